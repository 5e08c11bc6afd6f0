/**
 * What an account knew before somebody terminated or reset its workflow: the ledger, from a query of the closed run; and from the history,
 * the deposits that the run had not taken.
 */
import { activityInfo, getClient, type Info, log } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import {
  type AccountActivities,
  type AccountHandover,
  type Cancellation,
  type CarriedAccount,
  cancellationAfter,
  type DepositSignal,
  type EarlierAccount,
  FAILURE,
  type LeftByRun,
  onePage,
  SEARCH_ATTRIBUTE,
  SIGNAL,
  type SpeiAccountData,
  telling,
  UPDATE,
  WANTED,
} from '../contract';
import { carriedIn, earlierRuns, ifExists } from '../temporal/runs';
import { type GivenSignal, type GivenUpdate, givenTo, NOTHING_GIVEN } from '../temporal/workflow-history';
import { ownRunId } from './own-run';

/** A worker of the run's task queue answers queries of a closed run. Without such a worker only the history is read. */
const QUERY_ATTEMPTS = 3;

type Known = Omit<EarlierAccount, 'read_by'>;
type OwnRun = NonNullable<Info['workflowExecution']>;

/** The first page has the ledger, the others events and deposits. Throws a retryable failure while the list of workflows is behind. */
export const accountBefore: AccountActivities['payments.account-before'] = telling(async ({ left }) => {
  const { workflowExecution: own } = activityInfo();
  const known = own === undefined ? nothingBut([]) : left === null ? await knownBefore(own) : await pageOf(own, left);
  return { ...known, read_by: ownRunId() };
});

/** Reads earlier runs of this account, the latest first, until one has a ledger. */
async function knownBefore({ workflowId, runId }: OwnRun): Promise<Known> {
  const before = nothingBut([]);
  const cancels: (Cancellation | null | undefined)[] = [];
  const client = getClient();
  for (const { runId: earlier, typedSearchAttributes } of await earlierRuns(client, workflowId, runId)) {
    const { carried, cancel, is_lost, keys, account, left } = await knownTo(client, workflowId, earlier);
    cancels.unshift(cancel);
    before.is_lost ||= is_lost;
    before.account = { ...account, ...before.account };
    before.keys.unshift(...(typedSearchAttributes.get(SEARCH_ATTRIBUTE.accountKeys) ?? []), ...keys);
    if (left) before.left.unshift(left);
    if (carried === null) continue;
    before.carried = carried;
    break;
  }
  return { ...before, cancel: cancels.reduce<Cancellation | null>(cancellationAfter, null) };
}

/** An empty page. `left` says what the next pages have. */
const nothingBut = (left: LeftByRun[]): Known => ({
  ...{ carried: null, cancel: null, is_lost: false, keys: [], account: {} },
  ...{ undelivered: [], deposits: [], left },
});

/** What a run knew; `carried` is null if it had no ledger yet. Only its history has the signals that it had not taken. */
async function knownTo(client: Client, workflowId: string, runId: string) {
  const found = await ifExists(() => givenTo(client, workflowId, runId), null);
  const { input, signals, updates, isReset } = found ?? NOTHING_GIVEN;
  // A reset has sent nothing, and what it kept is old: the run that it resets says more. Only what came to itself is new.
  const handover = isReset ? undefined : await handoverOf(client, workflowId, runId);
  // Of a run that cannot be queried, only its first ledger is known.
  const given = handover || isReset ? null : givenLedger(input);
  const deposits_from = handover?.seen ?? 0;
  const events_from = handover?.undelivered.length ? 0 : null;
  const hasMore = events_from !== null || argumentsOf(signals, SIGNAL.deposit).length > deposits_from;
  return {
    carried: handover ? handover.carried : given,
    cancel: handover ? leftOf(handover) : wishOf(updates, isReset ? 'wanted' : 'begun', given?.cancel),
    is_lost: found === null,
    keys: argumentsOf(signals, SIGNAL.keyed).flatMap((signal) => keyed.safeParse(signal).data?.key ?? []),
    account: givenAccount(input),
    left: hasMore ? { run_id: runId, deposits_from, events_from } : null,
  };
}

/** What the oldest of these runs left. If somebody has deleted that run, `is_lost` says so: an empty page would hide the loss. */
async function pageOf({ workflowId }: OwnRun, [run, ...later]: LeftByRun[]): Promise<Known> {
  if (run === undefined) return nothingBut([]);
  return ifExists(() => readPage(getClient(), workflowId, run, later), { ...nothingBut(later), is_lost: true });
}

/** One page of what a run left, its events first. */
async function readPage(client: Client, workflowId: string, run: LeftByRun, later: LeftByRun[]): Promise<Known> {
  const { run_id, deposits_from, events_from } = run;
  if (events_from !== null) {
    // The run answered for the first page, so it will answer again.
    const handover = await carriedIn<AccountHandover>(client, { workflowId, runId: run_id });
    const left = handover.undelivered.slice(events_from);
    const undelivered = onePage(left);
    const next = undelivered.length < left.length ? events_from + undelivered.length : null;
    return { ...nothingBut([{ ...run, events_from: next }, ...later]), undelivered };
  }
  const { signals } = await givenTo(client, workflowId, run_id);
  const left = argumentsOf(signals, SIGNAL.deposit).slice(deposits_from).map(fieldsOf);
  const page = onePage(left);
  const next = page.length < left.length ? [{ ...run, deposits_from: deposits_from + page.length }] : [];
  return { ...nothingBut([...next, ...later]), deposits: page.filter((deposit) => deposit !== null) };
}

async function handoverOf(client: Client, workflowId: string, runId: string): Promise<AccountHandover | undefined> {
  try {
    return await ifExists(() => carriedIn<AccountHandover>(client, { workflowId, runId }), undefined);
  } catch (error) {
    if (activityInfo().attempt < QUERY_ATTEMPTS) throw error;
    log.warn('a terminated account cannot be asked for its ledger: its deposits are confirmed anew', { runId });
    return undefined;
  }
}

const argumentsOf = (signals: readonly GivenSignal[], name: string): unknown[] =>
  signals.flatMap((signal) => (signal.name === name ? [signal.argument] : []));

/** What is left of a cancellation; undefined if the run has not read what runs before it knew, and nobody has called it. */
const leftOf = ({ carried, cancel }: AccountHandover) => cancel ?? (carried === null ? undefined : null);

/** Of a run that cannot be queried, the last call tells: nothing is left where it was told that it is done, or that the gateway refuses. */
function wishOf(updates: readonly GivenUpdate[], is: 'wanted' | 'begun', given: Cancellation | null | undefined) {
  const last = updates.findLast(({ name }) => name === UPDATE.cancel);
  if (last === undefined) return given;
  return last.isDone || last.failure === FAILURE.notCanceled ? null : { ...WANTED, is };
}
const isDeposit = (signal: unknown): signal is DepositSignal => typeof signal === 'object' && signal !== null;

/** The fields of a notification that an account uses. Null for any other argument. */
function fieldsOf(signal: unknown): DepositSignal | null {
  if (!isDeposit(signal)) return null;
  const { app_id, out_trade_no, trade_no, trade_status, amount, currency, transfer_account } = signal;
  return { app_id, out_trade_no, trade_no, trade_status, amount, currency, transfer_account };
}

const keyed = z.object({ key: z.string() });

/** The ledger with which a run began; null if it cannot be read, as after a start by hand. */
function givenLedger(input: unknown): CarriedAccount | null {
  const { success, data } = z.object({ carried: z.custom<CarriedAccount>(isCarried) }).safeParse(input);
  return success ? data.carried : null;
}

/** What a creation, or the run before, has told a run of the account. */
function givenAccount(input: unknown): Partial<SpeiAccountData> {
  const { account_id, status, ...given } = z.object({ account }).safeParse(input).data?.account ?? {};
  return given;
}

const text = z.string().optional();
const account = z.object({
  ...{ account_id: z.string(), account_number: text, provider: text, status: text },
  ...{ notify_url: text, beneficiary_name: text, buyer_id: text },
});
const ledger = z.object({
  count: z.number(),
  total: z.record(z.string(), z.string()),
  latest: z.array(z.object()),
  set_aside: z.array(z.object()),
  pending: z.array(z.object()),
  counted: z.array(z.tuple([z.string(), z.tuple([z.number(), z.string().nullable(), z.array(z.string())])])),
  forgotten_until: z.number().nullable(),
});
const taken = z.object({ by: z.string(), note: z.string().nullable(), time: z.string() });
const phase = z.enum(['wanted', 'begun', 'answered']);
const cancel = z.object({ is: phase, left_at: z.number(), refusal: z.object().nullable() }).nullable();
const shape = z.object({
  ...{ since: z.number(), published: z.object(), cancel },
  ...{ account, canceled_at: z.number().nullable(), ledger },
  asked: z.number(),
  unseen: z.array(z.object()),
  wait: z.object({ attention: z.string(), since: z.number(), taken: taken.nullable() }).nullable(),
});
const isCarried = (value: unknown) => shape.safeParse(value).success;
