/** What must hold in every hostile world, whatever it is about, and the words in which the oracles read ledgers. */
import Big from 'big.js';
import { type MerchantEvent, namedByWorkflowId } from '../../../src/contract';
import { ANOTHER_ERROR, type BaseWorld, type Broken } from './base-world';

export const when = (at: number) => new Date(at).toISOString();
export const sumOf = (money: readonly { readonly amount: string }[]) =>
  money.reduce((sum, { amount }) => sum.plus(amount), new Big(0));

/** What must hold at every moment. */
export const always = (world: BaseWorld): Broken[] => [
  ...noneTwice(world),
  ...attentionIsOpen(world),
  ...typedAnswers(world),
];

/** 7. No refund is given back twice under one number. */
function noneTwice({ gateway: { refunds } }: BaseWorld): Broken[] {
  const kept = refunds.filter(({ by, ends }) => by === 'us' && ends === 'done').map(({ number }) => number);
  return kept
    .filter((number, i) => kept.indexOf(number) !== i)
    .map((number) => ({ promise: 7, what: `${number} twice` }));
}

/** 8. What people find under attention is open: a closed workflow cannot be settled. */
function attentionIsOpen({ temporal }: BaseWorld): Broken[] {
  return temporal.allRuns().flatMap((run) => {
    const { PaymentAttention } = temporal.attributesOf(run);
    if (run.isRunning || PaymentAttention === undefined || PaymentAttention === null) return [];
    if (run.status === 'TERMINATED' || run.status === 'CONTINUED_AS_NEW') return [];
    return [{ promise: 8, what: `${run.runId} is ${run.status}, and found under ${PaymentAttention}` }];
  });
}

/** 8. Merchants meet our own errors, and no raw one of Temporal's. */
function typedAnswers({ told }: BaseWorld): Broken[] {
  return told.flatMap((one) =>
    one.type === ANOTHER_ERROR ? [{ promise: 8, what: `a merchant met ${one.message}` }] : [],
  );
}

/** 8. Once everything had its time, what events have said last of an order's or account's need for a person is what lists say. */
export function attentionIsTold({ temporal, events, told }: BaseWorld): Broken[] {
  const runs = temporal.allRuns();
  // Who ends or resets a workflow ends what it had to tell.
  if (told.some(({ is }) => is === 'reset') || runs.some(({ status }) => status === 'TERMINATED')) return [];
  const said = new Map(
    events.flatMap((event) => (ABOUT_ATTENTION.test(event.type) ? [[subjectOf(event), event] as const] : [])),
  );
  const open = new Set(
    runs.flatMap((run) =>
      run.isRunning && typeof temporal.attributesOf(run).PaymentAttention === 'string'
        ? [subjectOfRun(run.start.workflowId)]
        : [],
    ),
  );
  return [...said].flatMap(([subject, { type, time }]) =>
    type !== 'failed' && type.endsWith('.cleared') === open.has(subject)
      ? [{ promise: 8, what: `${type} of ${subject} was told at ${time}, and lists ${open.has(subject)}` }]
      : [],
  );
}

/** After a payment has failed, lists say who has to look. */
const ABOUT_ATTENTION = /attention(\.cleared)?$|^failed$/;

function subjectOf(event: MerchantEvent): string {
  if ('payment' in event) return `order ${event.payment.out_trade_no}`;
  return 'account' in event ? `account ${event.account.account_id}` : event.type;
}

function subjectOfRun(workflowId: string): string {
  const { out_trade_no, part } = namedByWorkflowId(workflowId) ?? {};
  return out_trade_no ? `order ${out_trade_no}` : `account ${part}`;
}
