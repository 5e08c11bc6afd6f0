/** `payment-gateway completion SHELL`: a script that completes commands and options, made of the commands themselves. */
import type { Command } from 'commander';

type Shell = 'bash' | 'zsh';

/** What can follow, by the commands typed so far, such as `accounts/create`, or by these and an option with choices. */
type Words = ReadonlyMap<string, readonly string[]>;

export function printCompletion(program: Command, shell: Shell): void {
  // A shell reads it: its commands are no advice to a person.
  process.stdout.write(`${completionScript(program, shell)}\n`);
}

/** The script. It completes files if none of our words fits. */
function completionScript(program: Command, shell: Shell): string {
  const words = [...wordsOf(program)];
  const afterOption = words.filter(([place]) => place.includes(' '));
  const afterCommand = words.filter(([place]) => !place.includes(' '));
  const commands = afterCommand.map(([place]) => place).filter(Boolean);
  return SCRIPTS[shell]({
    commands: commands.join(' '),
    afterOption: cases(afterOption),
    afterCommand: cases(afterCommand),
  });
}

const cases = (words: readonly (readonly [place: string, follow: readonly string[]])[]) =>
  words.map(([place, follow]) => `    '${place}') found='${follow.join(' ')}' ;;`).join('\n');

function wordsOf(command: Command, place = ''): Words {
  const follow = [
    ...command.commands.map((one) => one.name()),
    ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    ...command.options.map(({ long }) => long ?? ''),
    '--help',
  ];
  const choices = command.options.flatMap(({ long, argChoices = [] }) =>
    argChoices.length > 0 ? [[`${place} ${long}`, argChoices] as const] : [],
  );
  const below = command.commands.flatMap((one) => [
    ...wordsOf(one, place === '' ? one.name() : `${place}/${one.name()}`),
  ]);
  return new Map<string, readonly string[]>([[place, follow], ...choices, ...below]);
}

interface Parts {
  /** All places that are commands. */
  commands: string;
  /** Lines of `case`: what follows an option with choices, and what follows a command. */
  afterOption: string;
  afterCommand: string;
}

/** Finds the place by the words before the cursor, and what can follow there. */
const lookup = ({ commands, afterOption, afterCommand }: Parts) => `_payment_gateway_found() {
  local at= word last= found=
  for word in "$@"; do
    case " ${commands} " in *" \${at:+$at/}$word "*) at="\${at:+$at/}$word" ;; esac
    last="$word"
  done
  case "$at $last" in
${afterOption}
  esac
  [ -n "$found" ] || case "$at" in
${afterCommand}
  esac
  printf '%s' "$found"
}`;

const SCRIPTS: Readonly<Record<Shell, (parts: Parts) => string>> = {
  bash: (parts) => `${lookup(parts)}
_payment_gateway() {
  COMPREPLY=($(compgen -W "$(_payment_gateway_found "\${COMP_WORDS[@]:1:COMP_CWORD-1}")" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _payment_gateway payment-gateway temporal-payment-gateway`,
  zsh: (parts) => `${lookup(parts)}
_payment_gateway() {
  compadd -- \${=$(_payment_gateway_found "\${(@)words[2,CURRENT-1]}")} || _files
}
compdef _payment_gateway payment-gateway temporal-payment-gateway`,
};
