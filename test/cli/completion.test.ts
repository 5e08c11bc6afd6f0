/** Completion in the shells themselves: what they offer after the words that were typed. The last word is being typed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { built } from '../harness/built';
import { ROOT } from '../harness/terminal';

beforeAll(built);

const scripts = new Map<string, string>();
const script = (shell: string) => {
  const made =
    scripts.get(shell) ??
    execFileSync(process.execPath, [join(ROOT, 'lib/cli/main.js'), 'completion', shell], { encoding: 'utf8' });
  scripts.set(shell, made);
  return made;
};

/** What each shell does at the Tab key, with the words in its own variables. */
const SHELLS = {
  bash: {
    args: ['--norc', '--noprofile', '-c'],
    press: (before: string[]) =>
      `COMP_WORDS=(payment-gateway ${before.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${before.length}
       _payment_gateway; printf '%s\n' "\${COMPREPLY[@]}"`,
  },
  zsh: {
    // compadd chooses among what it is given; here it prints all, and grep chooses.
    args: ['-f', '-c'],
    press: (before: string[]) =>
      `words=(payment-gateway ${before.map((word) => `'${word}'`).join(' ')}); CURRENT=$#words
       compadd() { shift; print -l -- "$@" | grep "^\${words[CURRENT]}" }; _files() { :; }; _payment_gateway`,
  },
} as const;

const isHere = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

// zsh is tested where the machine has it.
describe.each((['bash', 'zsh'] as const).filter(isHere))('%s', (shell) => {
  const { args, press } = SHELLS[shell];
  const offered = (...before: string[]) => {
    const program = `${shell === 'zsh' ? 'compdef() { :; }\n' : ''}${script(shell)}\n${press(before)}`;
    return execFileSync(shell, [...args, program], { encoding: 'utf8' })
      .split('\n')
      .filter(Boolean);
  };

  test.each<[typed: string[], offers: string[]]>([
    [['rec'], ['reconcile', 'recheck']],
    [['accounts', 'qu'], ['quantity']],
    [
      ['keys', ''],
      ['needed', 'new', 'rotate', '--help'],
    ],
    [['keys', 'rotate', '--pro'], ['--promote']],
    [['pay', 'order.json', '--w'], ['--wait']],
    [
      ['init', '--language', ''],
      ['typescript', 'python'],
    ],
    [['init', 'shop', '--lang'], ['--language']],
    [
      ['completion', ''],
      ['bash', 'zsh', '--help'],
    ],
    [['completion', 'nonsense'], []],
  ])('after %j offers %j', (typed, offers) => {
    expect(offered(...typed).sort()).toEqual([...offers].sort());
  });

  test('a word that is no command changes nothing in what is completed', () => {
    expect(offered('show', 'keys', '--al')).toEqual(['--all']);
  });
});

test('every command that the help lists is offered', () => {
  const help = execFileSync(process.execPath, [join(ROOT, 'lib/cli/main.js'), '--help'], { encoding: 'utf8' });
  const commands = [...help.matchAll(/^ {2}([a-z][a-z-]*)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help');
  const [, offered = ''] = /'''?\) found='([^']*)'/.exec(script('bash')) ?? [];
  expect(commands.length).toBeGreaterThan(15);
  expect(commands.filter((name) => !offered.split(' ').includes(name))).toEqual([]);
});
