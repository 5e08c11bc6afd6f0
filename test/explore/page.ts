/** The page of the docs that says when a person is asked about a refund, and why: the explorer's questions, each with two worlds. */
import type { Explored, Question } from './explore';
import { isMoney, type Truth } from './world';

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

/** A page in Markdown. `depth`: the moves that were explored. */
export function questionsPage({ states, questions }: Explored, depth: number): string {
  const sections = [...questions].map(([known, truths]) => `## ${known}\n\n${worlds(truths, depth)}\n`);
  return [HEAD(states, depth), ...sections.toSorted()].join('\n');
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

function worlds(truths: Question, depth: number): string {
  const shortest = (fits: (truth: Truth | 'never made') => boolean) =>
    [...truths].filter(([truth]) => fits(truth)).toSorted(([, one], [, other]) => one.length - other.length)[0];
  const line = (what: string, found: [Truth | 'never made', readonly string[]] | undefined) =>
    found === undefined
      ? `- ${what}: it takes more than ${depth} moves.`
      : wrapped(`- ${what}, it is ${found[0]}:`, found[1]);
  return [
    line('Gone, or it may go', shortest(isMoney)),
    line(
      'Not gone',
      shortest((one) => !isMoney(one)),
    ),
  ].join('\n');
}
