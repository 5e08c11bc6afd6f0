/** Everything that may happen within so many moves: what must never be, and each question to a person with the truths that fit it. */
import { hash } from 'node:crypto';
import { isComplete, leftToGrant } from '../../src/workflows/after-sale/ledger';
import { ended, type LateNode, lateFaults, lateKeyOf, lateMoves, latePathTo } from './late-world';
import { type PaymentTruth, paymentFaults, questionOf, truthOfPayment } from './payment-faults';
import { ordered, type PaymentNode, paymentKeyOf, paymentMoves, paymentPathTo } from './payment-world';
import {
  isMoney,
  keyOf,
  movesOf,
  type Node,
  OTHERS,
  PAID,
  pathTo,
  type Request,
  sold,
  stepOf,
  sumOfRefunds,
  type Truth,
  truthOf,
} from './world';

/** What is known where a person is asked what became of a refund, and the shortest way to each truth that fits. */
export type Question = ReadonlyMap<Truth | 'never made', readonly string[]>;

export interface Explored {
  readonly states: number;
  /** What must never be, and the shortest way to it. */
  readonly violations: ReadonlyMap<string, readonly string[]>;
  readonly questions: ReadonlyMap<string, Question>;
}

/** Explores all schedules of `depth` moves after a sale, the shortest first. `requests`: what a merchant may ask for. */
export function explore(depth: number, requests: readonly Request[]): Explored {
  const violations = new Map<string, string[]>();
  const questions = new Map<string, Map<Truth | 'never made', string[]>>();
  const moves = (node: Node) => movesOf(node, requests);
  const states = walk(sold(), depth, keyOf, moves, (node) => {
    for (const what of faultsOf(node)) if (!violations.has(what)) violations.set(what, pathTo(node));
    for (const [question, truth] of questionsOf(node)) {
      const truths = questions.get(question) ?? new Map();
      questions.set(question, truths);
      if (!truths.has(truth)) truths.set(truth, pathTo(node));
    }
  });
  return { states, violations, questions };
}

/** The same after a payment that ended: how money comes late, and what is known of it. */
export function exploreLateMoney(depth: number): Omit<Explored, 'questions'> {
  const violations = new Map<string, string[]>();
  const states = walk(ended(), depth, lateKeyOf, lateMoves, (node: LateNode) => {
    for (const what of lateFaults(node)) if (!violations.has(what)) violations.set(what, latePathTo(node));
  });
  return { states, violations };
}

/** What is known where a person is asked about a payment, and the shortest way to each truth that fits. */
export type PaymentQuestion = ReadonlyMap<PaymentTruth, readonly string[]>;

export interface ExploredPayment extends Omit<Explored, 'questions'> {
  readonly questions: ReadonlyMap<string, PaymentQuestion>;
}

/** A payment from its order to its outcome. `confirm_by_query`: whether a notification counts only once a query says so. */
export function explorePayment(depth: number, confirm_by_query: boolean): ExploredPayment {
  const violations = new Map<string, string[]>();
  const questions = new Map<string, Map<PaymentTruth, string[]>>();
  const states = walk(ordered(confirm_by_query), depth, paymentKeyOf, paymentMoves, (node: PaymentNode) => {
    for (const what of paymentFaults(node)) if (!violations.has(what)) violations.set(what, paymentPathTo(node));
    const question = questionOf(node);
    if (question !== null) {
      const truths = questions.get(question) ?? new Map();
      questions.set(question, truths);
      const truth = truthOfPayment(node.world);
      if (!truths.has(truth)) truths.set(truth, paymentPathTo(node));
    }
  });
  return { states, violations, questions };
}

/** Visits each state once, the nearest first; `moves` says what may happen next. Returns how many there are. */
function walk<Node extends { readonly depth: number }>(
  starts: readonly Node[],
  depth: number,
  key: (node: Node) => string,
  moves: (node: Node) => readonly Node[],
  visit: (node: Node) => void,
): number {
  // Digests: there are many, and the keys are long.
  const digest = (node: Node) => hash('sha1', key(node), 'base64');
  const seen = new Set(starts.map(digest));
  for (const node of starts) visit(node);
  for (let layer = starts; layer.length > 0; ) {
    const next: Node[] = [];
    for (const node of layer)
      for (const move of moves(node)) {
        const id = digest(move);
        if (seen.has(id)) continue;
        seen.add(id);
        visit(move);
        // Those of the last layer are not kept.
        if (move.depth < depth) next.push(move);
      }
    layer = next;
  }
  return seen.size;
}

/** What is known where a person is asked, in words. */
function questionsOf({ world, sale }: Node): [string, Truth | 'never made'][] {
  const status = sale.seen?.status ?? '';
  return sale.refunds
    .filter(({ asked }) => asked !== null)
    .map(({ number, asked, phase }) => [
      `The trade is ${status}, ${PHASES[phase] ?? phase}${asked === 'by the table' ? '' : ', and two facts contradict each other'}`,
      truthOf(world, number),
    ]);
}

const PHASES: Readonly<Record<string, string>> = {
  lost: 'the answer to the refund was lost',
  taken: 'the gateway has taken the refund',
  ended: 'the refund had ended',
};

const ENDS = ['REFUND_REFUSED', 'REFUND_REVOKE'];
const DONE = ['PARTIAL_REFUND', 'REFUNDED'];

/** What must never be, by what the gateway really did and what was told. */
function faultsOf(node: Node): string[] {
  const { world, sale } = node;
  const { fault, refunds, sent, told, shown } = world;
  const ours = refunds.filter(({ number, is }) => number !== OTHERS && isMoney(is));
  const numbers = ours.map(({ number }) => number);
  const faults = fault === undefined ? [] : [fault];
  if (sumOfRefunds(ours).gt(PAID)) faults.push('more went back by us than was paid');
  if (new Set(numbers).size < numbers.length) faults.push('a refund was made twice');
  if (isComplete(sale) && sumOfRefunds(ours).plus(leftToGrant(sale)).gt(PAID))
    faults.push('an amount is granted that is not there');

  const step = stepOf(node);
  const isAlone = !refunds.some(({ number }) => number === OTHERS);
  for (const { number, outcome, asked, confirmed_by, decided, phase } of sale.refunds) {
    const truth = truthOf(world, number);
    if (asked !== null || decided !== null) continue;
    if (outcome !== null && outcome !== 'REFUNDED' && isMoney(truth))
      faults.push(`the amount of a refund that is ${truth} was freed, known by ${confirmed_by}`);
    const isNotDone = truth !== 'done' && truth !== 'revoked';
    if (outcome === 'REFUNDED' && isNotDone)
      faults.push(`a refund that is ${truth} is called done, known by ${confirmed_by}`);
    if (phase === 'taken' && truth === 'never made' && isAlone)
      faults.push('a refund that never was is called accepted');
    if (phase === 'taken' && truth !== 'done' && step.take === 'rest' && sale.seen?.status === 'SUCCESS')
      faults.push('the watch is over, the trade shows nothing of a refund, and nobody is asked');
    const tries = sent.filter((one) => one === number).length;
    const named = told.filter((one) => one.startsWith(`${number} `)).map((one) => one.split(' ')[1] ?? '');
    const hasEnd = named.some((one) => ENDS.includes(one));
    if (tries === 1 && hasEnd && truth !== 'never made' && (outcome === null || outcome === 'REFUNDED'))
      faults.push('a notification has named how a refund ended, and it is forgotten');
    if (tries === 1 && !hasEnd && named.some((one) => DONE.includes(one)) && outcome !== 'REFUNDED')
      faults.push('a notification has named a refund that is done, and it is forgotten');
    // With one refund in the world, an end that the gateway shows is its end.
    const isOnly = sent.length === 1 && refunds.length === 1 && refunds[0]?.number === number;
    if (isOnly && shown.length > 0 && (outcome === null || outcome === 'REFUNDED'))
      faults.push('the gateway has shown that the only refund paid nothing, and nobody is asked');
  }

  const isElsewhere = refunds.some(({ number, is }) => number === OTHERS && is === 'done');
  const isKnown = !isComplete(sale) || sale.elsewhere !== '0.00';
  const hasNamed = told.some((one) => one.startsWith(`${OTHERS} `) && DONE.some((status) => one.endsWith(status)));
  if (isElsewhere && hasNamed && !isKnown)
    faults.push('a notification has named a refund of others, and it is forgotten');
  const hasOurs = sale.refunds.some((one) => one.begun !== null && one.outcome !== 'NOT_CREATED');
  if (isElsewhere && !hasOurs && DONE.includes(sale.seen?.status ?? '') && !isKnown)
    faults.push('the gateway shows a refund that is not ours, and nobody is asked');

  const isAsked = sale.reasons.includes('dispute') || sale.contradicted.length > 0;
  if (world.bank_at !== null && (step.take === 'rest' || step.take === 'watch') && !isAsked)
    faults.push('the bank was heard to take the money back, and nobody is asked');
  return faults;
}
