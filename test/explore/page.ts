/** The pages of the docs that say when a person is asked, and why: the explorer's questions, each with two worlds. */
import type { Explored, ExploredPayment, Question } from './explore';
import type { PaymentTruth } from './payment-faults';
import { isMoney } from './world';

const CONTRADICTS = ', and two facts contradict each other';

/** The title that a question stands under: where facts contradict each other besides, that of the same question without. */
export const titlesOf = (question: string) => [question, question.replace(CONTRADICTS, '')];

const HEAD = (states: number, depth: number) => `# When a person is asked about a refund, and why

\`npm run docs:questions\` writes this page: it plays every schedule of ${depth} moves of a small world after a sale (${states.toLocaleString('en')} states) with the real
rules. In none is an amount freed that may still go, a refund sent twice, or more given back than was paid.

The gateway has no query for a refund. Each heading is what is known where a person is asked; below it are two worlds, as short as they can be, in which we
know the same. In one the money has gone, or may still go; in the other it has not. The gateway's dashboard shows which one it is: say so by
\`payment-gateway resolve\`. Nothing is freed or sent until then. The same is asked where two facts contradict each other besides.

\`a\` and \`b\` are refunds of one order, \`x\` is one that another system makes.
`;

const OF_REFUNDS: Sides<Question extends ReadonlyMap<infer Truth, unknown> ? Truth : never> = [
  ['Gone', isMoney],
  ['Not gone', (truth) => !isMoney(truth)],
];

/** A page in Markdown. `depth`: the moves that were explored. */
export function questionsPage({ states, questions }: Explored, depth: number): string {
  const sections = [...questions]
    .filter(([known]) => titlesOf(known).every((title) => title === known || !questions.has(title)))
    .map(([known, truths]) => `## ${known}\n\n${worlds(truths, depth, OF_REFUNDS)}\n`);
  return [HEAD(states, depth), ...sections.toSorted()].join('\n');
}

const HEAD_OF_PAYMENTS = (states: number, depth: number) => `# When a person is asked about a payment, and why

\`npm run docs:questions\` writes this page: it plays every schedule of ${depth} moves of a small world from an order to its outcome
(${states.toLocaleString('en')} states) with the real rules. In none is an order sent twice or too late, or sold without its money.

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
      ? `- ${what}: more than ${depth} moves.`
      : wrapped(found[0] === what.toLowerCase() ? `- ${what}:` : `- ${what} (${found[0]}):`, found[1]);
  });
  return lines.join('\n');
}
