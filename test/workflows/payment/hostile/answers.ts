/** The oracle's checks of what merchants and operators are answered. */

import type { PaymentData, PaymentState } from '../../../../src/contract';
import type { WorkflowRun } from '../../../../src/testing/simulated-temporal/workflow-run';
import { type Broken, UNDER_WAY_MS } from '../../hostile/base-world';
import { statusAt } from '../../hostile/gateway';
import { when } from '../../hostile/oracle';
import {
  mayBeTakenForOurs,
  mayStillBePaid,
  NOTICED_WITHIN_MS,
  paidAt,
  rank,
  type Seen,
  wasAdoptedBefore,
} from './facts';
import type { Told, World } from './world';

/** What of an answer says which trade the buyer pays, and how. */
const meaningOf = ({ trade_no, qr_code, web_url }: PaymentData): string =>
  [trade_no, qr_code, web_url].map((one) => (typeof one === 'string' && one !== '' ? one : '-')).join(' ');
const NOTHING = '- - -';

/** 1. The same order gets the same answer, whenever it is asked for. Before anything is known, the answer may be empty. */
export function orderAnswersAlike(world: World): Broken[] {
  const { told } = world;
  const happened = (is: Told['is'], before: number) => told.some((one) => one.is === is && one.at <= before);
  const answers = told.flatMap((one) => {
    if (one.is !== 'payment data' || !world.isOwn(one.order)) return [];
    const answer = meaningOf(one.data);
    // A person may reset a run, and end it before it has read the one before: it says the person's word, and no way to pay.
    const isOnlyAWord = answer === NOTHING && happened('reset', one.at) && happened('resolved', one.at);
    return isOnlyAWord ? [] : [answer];
  });
  const [first, ...others] = answers.slice(answers.findIndex((answer) => answer !== NOTHING));
  const other = others.find((answer) => answer !== first);
  return first === undefined || first === NOTHING || other === undefined
    ? []
    : [{ promise: 1, what: `one order was answered with ${first}, and then with ${other}` }];
}

/** 2. What a merchant has withdrawn makes no order, whoever asks for it again, for as long as Temporal remembers. */
export function withdrawnIsNotSent({ told, gateway, forgottenAt }: World): Broken[] {
  return told.flatMap(({ is, at }) => {
    if (is !== 'withdrawn') return [];
    const made = gateway.trades.find(({ made_by, states }) => made_by === 'us' && (states[0]?.at ?? 0) < forgottenAt);
    return made
      ? [
          {
            promise: 2,
            what: `a merchant was told at ${when(at)} that nothing was sent, and there is ${made.trade_no}`,
          },
        ]
      : [];
  });
}

/** What a person or a merchant did that may end an order in other words than the gateway's. */
const ENDED_BY_PEOPLE: readonly string[] = ['withdrawn', 'cancel asked', 'resolved', 'terminated', 'reset'];

/**
 * 2. A number whose creation certainly failed can be used again: whoever asks for it later is not answered with what was
 * before, unless a creation has failed anew.
 */
export function refusedIsNotBurned({ told, gateway, wasCutOff, traits, asked: calls }: World): Broken[] {
  const failures = told.flatMap((one) => (one.is === 'failure' && calls.includes(one.asked) ? [one] : []));
  const first = failures.find(({ type }) => type === 'NotCreatedError');
  // The run that failed answers until what goes on after it has started.
  if (!first || wasCutOff || traits.childStarts_ms > 0 || told.some(({ is }) => ENDED_BY_PEOPLE.includes(is)))
    return [];
  return failures.flatMap(({ type, asked, at }) => {
    const before = gateway.exchanges.filter((one) => one.is === 'creation' && one.at <= at);
    const isCertain = before.every(({ answered }) => ['not sent', 'refusal', 'temporary'].includes(answered));
    const isFree = isCertain && gateway.trades.every(({ states }) => (states[0]?.at ?? 0) > at);
    // Another order may have been asked for meanwhile, and be under way.
    const isAlone = !calls.some((one) => one > Math.min(first.at, asked - UNDER_WAY_MS) && one < asked);
    const isFinal = type === 'NotCreatedError' || (type === 'DuplicateOrderError' && isAlone);
    // A pending answer ends nothing: who asks then is told how the run ends that goes on.
    const last = failures.findLast((one) => one.at < asked && one.type !== 'PaymentPendingError');
    if (!isFree || !isFinal || !last || asked <= last.at + UNDER_WAY_MS) return [];
    if (before.some((one) => one.at >= last.at)) return [];
    return [{ promise: 2, what: `asked at ${when(asked)}, ${type} at once: the number is burned` }];
  });
}

/** 8. Who asks for a look is told what the gateway says since. */
export function recheckTellsWhatIs(world: World): Broken[] {
  const { told, gateway, traits, temporal } = world;
  return told.flatMap((one) => {
    if (one.is !== 'rechecked') return [];
    const { asked, at, state, workflowId } = one;
    const looks = gateway.exchanges.filter((look) => look.is === 'query' && look.at >= asked && look.at <= at);
    /** Whether who asked the run for our own order was told how that run fails. */
    const hasFailed = (startedAt: number) =>
      told.some(
        (said) =>
          said.is === 'failure' &&
          said.type !== 'PaymentPendingError' &&
          world.isOwn(said.order) &&
          said.at >= startedAt &&
          said.at <= at,
      );
    const isDecided = state.outcome !== null && workflowId.startsWith('payment:');
    if (isDecided || state.attention !== null) return [];
    if (looks.length === 0) {
      const mayExist = ['trade', 'nothing', 'created refused', 'duplicate'];
      const isSent = gateway.exchanges.some(
        (sent) => sent.is === 'creation' && mayExist.includes(sent.answered) && sent.at < asked - UNDER_WAY_MS,
      );
      // A run that has failed has nothing to look for, and answers until what goes on after it has started.
      const isEnd = ({ status, startedAt, closedAt = Number.POSITIVE_INFINITY }: WorkflowRun) =>
        closedAt >= asked && (status === 'FAILED' ? closedAt <= at + UNDER_WAY_MS : hasFailed(startedAt));
      const isOver = temporal.latest(workflowId)?.isRunning !== true || temporal.runs(workflowId).some(isEnd);
      return isSent && !isOver ? [{ promise: 8, what: `a recheck at ${when(asked)} was answered without a look` }] : [];
    }
    const trade = gateway.trades.find(({ trade_no }) => trade_no === state.trade_no);
    if (!trade || !looks.every(({ shown }) => shown?.trade_no === trade.trade_no)) return [];
    const truth = statusAt(trade, asked - traits.lag_ms);
    if (truth === undefined || rank(state.trade_status ?? 'INITIAL') >= rank(truth)) return [];
    return [
      {
        promise: 8,
        what: `a recheck at ${when(asked)} was answered with ${state.trade_status}, and the gateway said ${truth}`,
      },
    ];
  });
}

/** 8. A question of a person fails only where somebody ends the workflow. */
export function questionsAreAnswered({ told }: World): Broken[] {
  const isCut = told.some(({ is }) => is === 'terminated' || is === 'reset');
  return told.flatMap((one) => {
    if (one.is !== 'recheck failed' || isCut) return [];
    // Who comes at the very end asks again: Temporal says so, or the run that takes no more.
    if (one.message.includes('closed before it had looked') || one.message.includes('is just ending. Ask again'))
      return [];
    // The next look answers five, and leaves room for a person's word.
    if (one.message.includes('callers wait for the gateway’s next answer already')) return [];
    // A start that was refused has nothing to look at, and says so.
    if (one.message.includes('No payment was started')) return [];
    return [{ promise: 8, what: `a recheck of ${one.workflowId} at ${when(one.asked)} failed: ${one.message}` }];
  });
}

/**
 * 5 and 8. When the trouble is over, whoever waits for a look or for the end has an answer, or it waits for a person and
 * says so.
 */
export function waitersAreAnswered(world: World, seen: readonly Seen[], mayWait: boolean): Broken[] {
  return world.waiting.flatMap(({ is, asked, answered, workflowId }) => {
    if (answered || world.now - asked < NOTICED_WITHIN_MS) return [];
    const run = world.temporal.latest(workflowId);
    const isBeforeAPerson = run !== undefined && typeof world.temporal.attributesOf(run).PaymentAttention === 'string';
    if (run?.isRunning && mayWait && (isBeforeAPerson || (is === 'outcome' && mayStillBePaid(world, seen)))) return [];
    return [{ promise: 5, what: `who asked ${workflowId} for the ${is} at ${when(asked)} waits without an end` }];
  });
}

/** 4. Who waited for the end is told SUCCESS of money that the gateway has, or of what a person said. */
export function outcomesAreTrue(world: World): Broken[] {
  const { told, gateway, traits, acknowledged } = world;
  return told.flatMap((one) => {
    if (one.is !== 'outcome') return [];
    const { outcome, trade_no, confirmed_by } = one.state;
    if (outcome === null)
      return [{ promise: 5, what: `the end of the payment was told at ${when(one.at)}, and is none` }];
    if (outcome !== 'SUCCESS' || confirmed_by === 'operator') return [];
    if (!wasAdoptedBefore(world) && isOfOthers(world, one.state))
      return [{ promise: 1, what: `SUCCESS of ${trade_no} was told at ${when(one.at)}, which another system made` }];
    const paid = gateway.trades.find((trade) => trade.trade_no === trade_no && (paidAt(trade) ?? one.at + 1) <= one.at);
    const isBelieved =
      !traits.confirmByQuery && acknowledged.some((ack) => ack.trade_no === trade_no && ack.status === 'SUCCESS');
    return paid || isBelieved
      ? []
      : [{ promise: 4, what: `SUCCESS of ${trade_no} was told at ${when(one.at)}, which the ledger does not know` }];
  });
}

/** Whether the trade of this state was made by another system and can be told from ours, and no person was asked. */
function isOfOthers(world: World, { trade_no, attention }: PaymentState): boolean {
  const { gateway, events } = world;
  const trade = gateway.trades.find((one) => one.trade_no === trade_no);
  const wasAsked = events.some((event) => event.type === 'attention' && event.payment.trade_no === trade_no);
  if (trade?.made_by !== 'another system' || attention !== null || wasAsked) return false;
  return !mayBeTakenForOurs(world, trade);
}
