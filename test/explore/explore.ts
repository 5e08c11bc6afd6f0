import { explore } from './after-sale';

test('explore', () => {
  const depth = Number(process.env.EXPLORE_DEPTH ?? 7);
  const began = Date.now();
  const found = explore(depth, [
    ['a', '50.00'],
    ['b', '100.00'],
  ]);
  console.log(
    found.states,
    'states',
    Date.now() - began,
    'ms',
    [...found.violations].map(([w, p]) => `${w}\n   ${p.join(' · ')}`).join('\n'),
    '\n',
    [...found.questions]
      .map(([q, { truths, path }]) => `${q} => ${[...truths].join(' | ')}   (${path.join(' · ')})`)
      .join('\n'),
  );
});
