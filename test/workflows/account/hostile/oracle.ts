/**
 * Holds what the gateway truly received, and what it told and was acknowledged, against the ledgers, events and attention that
 * people saw. It never asks the code what it thinks.
 */
import Big from 'big.js';
import {
  createSpeiAccountWorkflowId,
  namedByWorkflowId,
  paymentWorkflowId,
  type SpeiAccountState,
  speiAccountWorkflowId,
} from '../../../../src/contract';
import { APP, type Broken } from '../../hostile/base-world';
import type { Trade } from '../../hostile/gateway';
import { always, sumOf } from '../../hostile/oracle';
import type { Told, World } from './world';

/** The statuses in which the merchant has the money. */
const WITH_MONEY: readonly string[] = ['SUCCESS', 'REFUND_REFUSED', 'CHARGEBACK_REVERSED'];

/** How many of the last deposits a state shows. */
const SHOWN = 20;

/** What must hold at every moment. */
export async function safety(world: World): Promise<Broken[]> {
  const states = await statesOf(world);
  return [
    ...always(world),
    ...oneAccountForAKey(world),
    ...states.flatMap((state) => [...countedIsMoney(world, state), ...sumsAreExact(state)]),
    ...eventsAreMoney(world),
  ];
}

/** What must hold once everything has had its time. */
export async function liveness(world: World): Promise<Broken[]> {
  const states = await statesOf(world);
  return [...states.flatMap((state) => nothingIsLost(world, state)), ...everyKeyIsAnswered(world)];
}

async function statesOf(world: World): Promise<SpeiAccountState[]> {
  const states = await Promise.all(world.gateway.accounts.map(({ account_id }) => world.state(account_id)));
  return states.flatMap((state) => state ?? []);
}

/** 1. The gateway has one account for one key, and whoever asks is told the same. */
function oneAccountForAKey(world: World): Broken[] {
  const { gateway, told, hadMadeAgain } = world;
  const keys = new Set(gateway.accounts.map(({ buyer_id }) => buyer_id));
  return [...keys].flatMap((key) => {
    const made = gateway.accounts.filter(({ buyer_id }) => buyer_id === key);
    const answers = new Set(told.flatMap((one) => (one.is === 'account' && one.key === key ? [one.account_id] : [])));
    const broken: Broken[] = [];
    // Of an account that nobody follows, Temporal knows as long as the namespace's retention.
    if (made.some(({ account_id }) => world.isForgotten(account_id))) return [];
    // A person may have one made again that had been looked for too early.
    if (made.length > 1 && !hadMadeAgain) broken.push({ promise: 1, what: `${made.length} accounts for ${key}` });
    if (answers.size > 1) broken.push({ promise: 1, what: `the key ${key} was answered with ${[...answers]}` });
    return broken;
  });
}

/** 4. What is counted is money that the gateway has had, in its amount, and once. */
function countedIsMoney(
  { gateway, told, acknowledged }: World,
  { account_id, deposits: { latest } }: SpeiAccountState,
): Broken[] {
  return latest.flatMap(({ out_trade_no, trade_no, amount }, i) => {
    const broken = (why: string) => [{ promise: 4, what: `deposit ${out_trade_no} is counted, ${why}` }];
    const truth = gateway.trades.find((one) => one.trade_no === trade_no);
    if (!truth || truth.account_id !== account_id) return broken('and the gateway has none');
    if (!truth.states.some(({ status }) => WITH_MONEY.includes(status))) return broken('and it was never paid');
    const isDecided = told.some(
      (one) => one.is === 'resolved' && one.workflowId === paymentWorkflowId(APP, out_trade_no),
    );
    if (!isDecided && !wasShownPaid(truth)) return broken('and its money went back before any query could show it');
    // A person called it paid while the gateway gave no answer: all that is known of its amount is what the gateway has notified.
    const isAWord = isDecided && acknowledged.some((one) => one.trade_no === trade_no && one.amount === amount);
    if (!isAWord && !new Big(amount).eq(truth.amount)) return broken(`as ${amount}, and it is ${truth.amount}`);
    return latest.findIndex((one) => one.trade_no === trade_no) === i ? [] : broken('twice');
  });
}

/** Whether a query could show that the merchant has the money: for some time, nothing else was true. */
const wasShownPaid = ({ states }: Trade) =>
  states.some(({ status, at }, i) => WITH_MONEY.includes(status) && (states[i + 1]?.at ?? Infinity) > at);

/** 3. The sum is that of the deposits. */
function sumsAreExact({ deposits: { count, total, latest } }: SpeiAccountState): Broken[] {
  if (count > SHOWN) return [];
  const sum = sumOf(latest);
  if (count === latest.length && sum.eq(total.MXN ?? '0')) return [];
  return [
    { promise: 3, what: `${count} deposits sum up to ${total.MXN}, and the list has ${latest.length} of ${sum}` },
  ];
}

/** 4. The merchant hears of no deposit that never was, and of each under one id. */
function eventsAreMoney({ gateway, events }: World): Broken[] {
  const heard = new Map<string, string>();
  return events.flatMap((event) => {
    if (event.type !== 'deposit') return [];
    const { out_trade_no, trade_no } = event.deposit;
    const truth = gateway.trades.find((one) => one.trade_no === trade_no);
    const isPaid = truth?.states.some(({ status }) => WITH_MONEY.includes(status));
    const isOther = (heard.get(`${trade_no}`) ?? event.id) !== event.id;
    heard.set(`${trade_no}`, event.id);
    if (isPaid && !isOther) return [];
    return [
      { promise: 4, what: `the merchant heard of deposit ${out_trade_no}, ${isPaid ? 'twice' : 'which never was'}` },
    ];
  });
}

/** 3. Every deposit that was acknowledged as paid is counted, or was put before a person. */
function nothingIsLost(world: World, state: SpeiAccountState): Broken[] {
  const { acknowledged, attentions, wasForgotten } = world;
  const { account_id, deposits } = state;
  const workflowId = speiAccountWorkflowId(APP, account_id);
  const paid = new Set(
    acknowledged.filter((one) => one.account_id === account_id && one.status === 'SUCCESS').map((one) => one.trade_no),
  );
  const isOf = (number: string) => (one: { readonly trade_no: string | null }) => one.trade_no === number;
  const truthOf = (number: string) => world.gateway.trades.find(isOf(number));
  const kept = [...paid].filter((number) => isKept(truthOf(number)));
  if (deposits.count < kept.length - deposits.set_aside.length && !wasForgotten)
    return [
      { promise: 3, what: `${kept.length} deposits of ${account_id} were acknowledged, ${deposits.count} are counted` },
    ];
  if (deposits.count > SHOWN || wasForgotten) return [];
  return [...paid].flatMap((number) => {
    if (deposits.latest.some(isOf(number))) return [];
    const isShown = attentions.some((one) => one.workflowId === workflowId);
    if (deposits.set_aside.some(isOf(number)) && isShown && !mustCount(world, truthOf(number))) return [];
    if (deposits.pending > 0 && isShown && !truthOf(number)) return [];
    const name = acknowledged.find(isOf(number))?.out_trade_no;
    return [{ promise: 3, what: `deposit ${name} was acknowledged, and is neither counted nor before a person` }];
  });
}

/** Whether the merchant has the money of a deposit, and always had. */
const isKept = (truth: Trade | undefined) =>
  truth?.states.every(({ status }) => WITH_MONEY.includes(status) || status === 'PROCESSING') === true &&
  truth.states.some(({ status }) => WITH_MONEY.includes(status));

/** A deposit that nobody has touched, and whose number and trade are its own, is counted, and not only shown to a person. */
function mustCount({ told, gateway, acknowledged }: World, truth: Trade | undefined): boolean {
  const { out_trade_no, trade_no } = truth ?? {};
  const isShared =
    gateway.trades.some((one) => one !== truth && one.out_trade_no === out_trade_no) ||
    acknowledged.some((one) => one.trade_no === trade_no && one.out_trade_no !== out_trade_no);
  return isKept(truth) && !isShared && !told.some(({ is }) => is === 'terminated');
}

/** 8. Whoever asked for an account has it, or a person is asked. */
function everyKeyIsAnswered({ told, attentions, gateway }: World): Broken[] {
  return gateway.accounts.flatMap(({ buyer_id }) => {
    if (buyer_id === 'elsewhere') return [];
    const isAnswer = (one: Told) =>
      one.is === 'account' || (one.is === 'failure' && one.type === 'AccountCanceledError');
    const isAnswered = told.some((one) => isAnswer(one) && 'key' in one && one.key === buyer_id);
    const workflowId = createSpeiAccountWorkflowId(APP, buyer_id);
    const isShown = attentions.some((one) => one.workflowId === workflowId);
    return isAnswered || isShown ? [] : [{ promise: 8, what: `the account of ${buyer_id} is made, and nobody knows` }];
  });
}

/** 8. What a person has settled, reason by reason, needs nobody any more. */
export function isSettled(world: World): Broken[] {
  return world.temporal.allRuns().flatMap((run) => {
    const { PaymentAttention: attention } = world.temporal.attributesOf(run);
    if (!run.isRunning || typeof attention !== 'string') return [];
    // That the gateway names a number that it does not know itself is outside the fault model: a person goes on being asked.
    const number = namedByWorkflowId(run.start.workflowId)?.out_trade_no;
    if (number && !world.gateway.trades.some(({ out_trade_no }) => out_trade_no === number)) return [];
    return [{ promise: 8, what: `settled again and again, and ${run.start.workflowId} still has ${attention}` }];
  });
}
