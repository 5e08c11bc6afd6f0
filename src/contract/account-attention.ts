/** Why a virtual account, its creation or the number of accounts left needs a person, and what the person has to do. */
import type { AccountAttention, UnseenEntry } from './account';
import {
  ATTENTIONS,
  ENDED_FROM_OUTSIDE,
  isAttention,
  isTemporalAttention,
  RUNBOOK,
  type RunbookEntry,
  type Silence,
  TEMPORAL_RUNBOOK,
} from './attention';
import { actAfterEnd } from './ended-from-outside';
import { namedByWorkflowId } from './ids';

const DEPOSIT_SEEN = 'The reason is settled, and the account goes on.';
const NOT_COUNTED =
  'The account goes on, and this deposit stays uncounted. A later notification that it is paid counts it.';

/** What a person is shown of an account, as a resolution names it: `old-deposit:7`. Undefined if nothing waits for a person. */
export function shownOf([first, ...others]: readonly UnseenEntry[]): string | undefined {
  if (first === undefined) return undefined;
  const last = others.findLast(({ because }) => because === first.because) ?? first;
  return `${first.because}:${last.no}`;
}

/** One entry in words. */
export function unseenLine({ no, because, deposit }: UnseenEntry): string {
  if (deposit === null) return `${because}:${no}`;
  const { out_trade_no, trade_no, amount, currency } = deposit;
  const money = amount === null ? '' : `, notified with ${[amount, currency ?? ''].join(' ').trim()}`;
  return `${because}:${no}: deposit ${out_trade_no}${trade_no === null ? '' : `, trade ${trade_no}`}${money}`;
}

const WAITS = {
  loses:
    'Creations, cancellations and the number of accounts left wait for the gateway. Deposits are counted all the same.',
  after:
    'It goes on by itself once the gateway answers. A creation fails once PAYMENTS_CREATE_WITHIN is over: no account was made.',
};

/** Why the gateway gives no answer about virtual accounts. */
const SILENCES_OF_ACCOUNTS: Readonly<Record<Silence, RunbookEntry>> = {
  'no-answer': {
    ...WAITS,
    happened: 'The gateway has not answered for as long as PAYMENTS_PATIENCE says (by default ten minutes).',
    look: 'The pending activity has the last words; then the gateway’s status page.',
    act: 'Bring the gateway or the network back.',
  },
  credentials: {
    ...WAITS,
    happened: 'The gateway refuses our credentials or our account.',
    look: 'GATEWAY_APP_ID and GATEWAY_SECRET_KEY of the worker, and the account in the dashboard.',
    act: 'Correct them and restart the worker.',
  },
  settings: {
    ...WAITS,
    happened: 'The settings of a worker lack the app. The gateway was not asked.',
    look: 'The pending activity names the worker; then its GATEWAY_APP_ID or GATEWAY_APPS_FILE.',
    act: 'Add the app to the settings and restart that worker.',
  },
  'missing-activity': {
    ...WAITS,
    happened: 'No worker of the task queue could run an activity of virtual accounts. The gateway was not asked.',
    look: 'The pending activity names the worker; then whether each worker has the plugin and the same version.',
    act: 'Stop or mend the worker that lacks it.',
  },
};

const OF_ACCOUNTS: Readonly<Record<AccountAttention, RunbookEntry>> = {
  'account-mismatch': {
    happened: 'A deposit was notified with another number, buyer or provider than the account’s.',
    loses: 'The merchant may credit the wrong buyer: the deposit is counted here, as the gateway confirmed it.',
    look: 'The deposit in the gateway’s dashboard, beside the account.',
    act: 'Compare the two, then send `resolve`.',
    after: DEPOSIT_SEEN,
  },
  'amount-mismatch': {
    happened:
      'A deposit was notified with another amount than the gateway confirms, or a person called it paid and no query confirms its amount.',
    loses:
      'Whoever trusts the notification: the confirmed amount is counted, and the notified one where a person called it paid.',
    look: 'The deposit in the gateway’s dashboard, and what the bank says.',
    act: 'Compare the two, then send `resolve`.',
    after: DEPOSIT_SEEN,
  },
  'unconfirmed-deposit': {
    happened: 'A deposit was notified as paid, and its payment did not end as paid. It is not counted (`set_aside`).',
    loses: 'The buyer may have paid for what is not credited.',
    look: 'The order in the gateway’s dashboard.',
    act: 'Where it is paid, press the dashboard’s callback button: we then confirm it again. Then send `resolve`.',
    after: NOT_COUNTED,
  },
  'old-deposit': {
    happened:
      'A deposit was notified that may be counted already: too old, without a time, or confirmed by another run. It is not counted (`set_aside`).',
    loses: 'The buyer, if it was never counted; the merchant, if it is credited twice.',
    look: 'The deposit in the gateway’s dashboard and in your books.',
    act: 'Compare the two, credit it in your books where it is new, then send `resolve`.',
    after: 'The account goes on, and this deposit stays uncounted here.',
  },
  'returned-deposit': {
    happened:
      'The money of a deposit went back, or was on its way back, before we saw it. It is not counted (`set_aside`).',
    loses: 'The merchant, where the buyer was credited elsewhere.',
    look: 'The order in the gateway’s dashboard.',
    act: 'Make sure that the buyer is not credited, then send `resolve`.',
    after: 'The account goes on, and this deposit stays uncounted here.',
  },
  'second-deposit': {
    happened:
      'A deposit was notified or shown with the number of another one, and another trade or amount. It is not counted (`set_aside`).',
    loses: 'The buyer, where both were paid; the merchant, where whoever trusts the notification credits it.',
    look: 'Both in the gateway’s dashboard, by the number and by each `trade_no`.',
    act: 'Credit it in your books where the money is there, then send `resolve`.',
    after: 'The account goes on, and this deposit stays uncounted here.',
  },
  'overdue-deposit': {
    happened: 'A deposit was notified, and the gateway has not confirmed it for ten minutes or more.',
    loses: 'The buyer waits for the credit.',
    look: 'The payments of this account that still run, and whether the gateway answers.',
    act: 'Bring the gateway back where it is down. Send `resolve` once you have seen it.',
    after: 'The gateway is asked on, and the deposit is counted once it is confirmed.',
  },
  'lost-deposits': {
    happened:
      'An earlier run of this workflow was deleted before it was read: what it had been told last is not known.',
    loses: 'The buyer, where a deposit is not counted; your programs may not have heard of one that is.',
    look: 'The account’s deposits in the dashboard, beside those counted here: `payment-gateway accounts deposits ACCOUNT_ID`.',
    act: 'Press the callback button of each that is missing, then send `resolve`.',
    after: 'A deposit that is notified again is counted once.',
  },
  'clabe-check-digit': {
    happened: 'The check digit of the account’s number, or of the one that a deposit names, is wrong.',
    loses: 'The buyer cannot pay: banks may refuse the number.',
    look: 'The account’s number in the gateway’s dashboard.',
    act: 'Ask the gateway’s support, then send `resolve`.',
    after: DEPOSIT_SEEN,
  },
  'unknown-account': {
    happened: 'The gateway says that it has no such account. Its deposits are still confirmed and counted.',
    loses: 'The buyer may pay to a number that is nobody’s.',
    look: 'The account in the gateway’s dashboard.',
    act: 'Send `recheck`; where the account has gone for good, give the buyer another one. Then send `resolve`.',
    after: 'The reason is settled. The next check may raise it again.',
  },
  'not-canceled': {
    happened:
      'The gateway has confirmed the cancellation of the account, and goes on to show it as not canceled. Nothing more is sent.',
    loses: 'The buyer may pay into an account that the merchant takes for canceled. Deposits are counted all the same.',
    look: 'The account in the gateway’s dashboard.',
    act: 'Ask the gateway’s support, or send `cancel` once more. Then send `resolve`.',
    after: 'The account is looked at now and then. Once the gateway shows it as canceled, this is settled by itself.',
  },
  'unknown-status': {
    happened: 'The gateway reports a status of the account that nobody here knows.',
    loses: 'Nobody yet: whether the account takes deposits is not known.',
    look: 'The account in the gateway’s dashboard.',
    act: 'Send `resolve` once you have seen it, and tell us the new status.',
    after: DEPOSIT_SEEN,
  },
  ...SILENCES_OF_ACCOUNTS,
  'unexpected-signal': { ...RUNBOOK['unexpected-signal'], act: 'Find the sender, then send `resolve`.' },
};

/** By the kind of the workflow, as its id begins. */
export const ACCOUNT_RUNBOOK: Readonly<Record<string, Readonly<Record<string, RunbookEntry>>>> = {
  'spei-account': OF_ACCOUNTS,
  'create-spei-account': {
    ...SILENCES_OF_ACCOUNTS,
    'unknown-outcome': {
      happened:
        'The creation’s answer was lost, or an earlier run was ended before it: nobody knows whether the gateway made the account.',
      loses: 'The buyer waits for an account. A second creation may waste one, and accounts are scarce.',
      look: 'The buyer’s accounts in the gateway’s dashboard, and how many were left before and after each try.',
      act: 'Send `resolve` with the account that was made. Where there certainly is none, send it without.',
      after: 'The account that you named is taken on; without one it is created again.',
    },
    credentials: {
      happened: 'The gateway refuses our credentials or our account. No virtual account was created.',
      loses: 'The buyer has no account; every other creation of this app fails too.',
      look: 'GATEWAY_APP_ID and GATEWAY_SECRET_KEY of the worker, and the account in the dashboard.',
      act: 'Correct them and restart the worker. Then create the account anew, under the same key.',
      after: 'This creation has ended; the next one under its key begins afresh.',
    },
  },
  'spei-account-quantity': {
    ...SILENCES_OF_ACCOUNTS,
    'few-accounts': {
      happened: 'Fewer virtual accounts are left than PAYMENTS_ACCOUNTS_LOW.',
      loses: 'The next buyers get no account once there are none.',
      look: 'How many are left, and which accounts nobody uses.',
      act: 'Ask the gateway for more, or cancel accounts that nobody uses. `recheck` asks at once. `resolve` says that you have seen it.',
      after:
        'The reason is settled by itself once there are enough. What you have seen comes again once there are fewer.',
    },
  },
};

/** Every reason once, as payments and accounts share some. All but Temporal's own are values of `PaymentAttention`. */
export const ATTENTION_WORDS: readonly string[] = [
  ...new Set([
    ...ATTENTIONS,
    ...Object.values(ACCOUNT_RUNBOOK).flatMap((entries) => Object.keys(entries)),
    ...Object.keys(TEMPORAL_RUNBOOK),
  ]),
];

/** What a person has to know of a reason that this workflow raised; undefined if it is no reason of ours. */
export function runbookEntry(attention: string, workflowId: string): RunbookEntry | undefined {
  if (attention === ENDED_FROM_OUTSIDE)
    return { ...TEMPORAL_RUNBOOK[ENDED_FROM_OUTSIDE], act: actAfterEnd(workflowId) };
  if (isTemporalAttention(attention)) return TEMPORAL_RUNBOOK[attention];
  const ofAccounts = ACCOUNT_RUNBOOK[namedByWorkflowId(workflowId)?.kind ?? ''];
  if (ofAccounts) return ofAccounts[attention];
  return isAttention(attention) ? RUNBOOK[attention] : undefined;
}
