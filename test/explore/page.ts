/** The pages of the docs that say when a person is asked, and why: the explorer's questions, each with two worlds. */
import type { Explored, ExploredPayment, Question } from './explore';
import type { PaymentTruth } from './payment-faults';
import { isMoney } from './world';

const HEAD = (states: number, depth: number) => `# When a person is asked about a refund, and why

\`npm run docs:questions\` writes this page: \`test/explore/\` plays every schedule of ${depth} moves of a small world after a sale (${states.toLocaleString('en')} states:
what the gateway really did, replicas that are behind, answers and notifications that are lost or late, another system, the bank, a person),
and drives the real \`fold\` and \`nextStep\` with it. In none of them is an amount freed that may still go, a refund sent twice, more given back than
was paid, or something forgotten that was notified or shown.

The gateway has no query for a refund. So what is known does not always tell what became of one. Each heading is what is known where a person
is asked; below it are two worlds, as short as they can be, in which we know the same. In one the money has gone, or may still go; in the other it
has not. Whoever looks in the gateway's dashboard sees which one it is, and says so: \`payment-gateway resolve\`. Nothing is freed or sent until then.

The merchant asks for refunds \`a\` and \`b\` of one order; \`x\` is a refund that another system makes. \`b\` may be asked for where \`a\` could be, too.
`;

const OF_REFUNDS: Sides<Question extends ReadonlyMap<infer Truth, unknown> ? Truth : never> = [
  ['Gone, or it may go', isMoney],
  ['Not gone', (truth) => !isMoney(truth)],
];

/** A page in Markdown. `depth`: the moves that were explored. */
export function questionsPage({ states, questions }: Explored, depth: number): string {
  const sections = [...questions].map(([known, truths]) => `## ${known}\n\n${worlds(truths, depth, OF_REFUNDS)}\n`);
  return [HEAD(states, depth), ...sections.toSorted()].join('\n');
}

const HEAD_OF_PAYMENTS = (states: number, depth: number) => `# When a person is asked about a payment, and why

\`npm run docs:questions\` writes this page: \`test/explore/\` plays every schedule of ${depth} moves of a small world from an order to its outcome
(${states.toLocaleString('en')} states: what the gateway really did, replicas that are behind, silence, answers and notifications that are lost, early or late,
another system, the merchant, a person), and drives the real tables, fold and next step with it. In none of them is an order sent twice or too late,
sold without its money, or something forgotten that was notified or shown.

Each heading is where the payment stands, and [the reason](runbook.md) that is shown; below it are two worlds, as short as they can be, in which the
same reason is shown. \`T1\` is the order's trade, \`X\` that of another system under the same number.
`;

const OF_PAYMENTS: Sides<PaymentTruth> = [
  ['Paid', (truth) => truth === 'paid'],
  ['Not paid', (truth) => truth !== 'paid'],
];

/** The same for payments. */
export function paymentPage({ states, questions }: ExploredPayment, depth: number): string {
  const sections = [...questions].map(([known, truths]) => `## ${known}\n\n${worlds(truths, depth, OF_PAYMENTS)}\n`);
  return [HEAD_OF_PAYMENTS(states, depth), ...sections.toSorted()].join('\n');
}

const WIDTH = 140;

/** A list's item whose moves go on in the next line where one is full. */
function wrapped(start: string, moves: readonly string[]): string {
  const lines = [start];
  for (const [i, move] of moves.entries()) {
    const text = i < moves.length - 1 ? `${move} ·` : move;
    const last = lines.length - 1;
    const longer = `${lines[last]} ${text}`;
    if (longer.length <= WIDTH) lines[last] = longer;
    else lines.push(`  ${text}`);
  }
  return lines.join('\n');
}

type Sides<Truth> = readonly (readonly [what: string, fits: (truth: Truth) => boolean])[];

/** For each side the shortest way to a world of it. */
function worlds<Truth>(truths: ReadonlyMap<Truth, readonly string[]>, depth: number, sides: Sides<Truth>): string {
  const lines = sides.map(([what, fits]) => {
    const found = [...truths]
      .filter(([truth]) => fits(truth))
      .toSorted(([, one], [, other]) => one.length - other.length)[0];
    return found === undefined
      ? `- ${what}: it takes more than ${depth} moves.`
      : wrapped(found[0] === what.toLowerCase() ? `- ${what}:` : `- ${what}, it is ${found[0]}:`, found[1]);
  });
  return lines.join('\n');
}
