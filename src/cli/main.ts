#!/usr/bin/env node
/** The command line: `payment-gateway`. Each command has its own file, which is loaded only when the command runs. */
import { Argument, Command, Option } from 'commander';
import { packageVersion } from '../process/package';
import { settingsHelp } from '../process/settings/help';
import { addDeployCommands } from './deploy/commands';
import { EXIT, EXIT_CODES } from './exit-codes';
import { failedUsage, isForPrograms } from './failed';
import { examples } from './help-examples';
import { addOperatorCommands } from './operator/commands';
import { complain, say } from './print';
import { PROGRAMS, TEMPLATES } from './projects';

// A reader that has read enough, such as `head`, closes the pipe: that is no failure of the command.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) =>
  process.exit(code === 'EPIPE' ? EXIT.ok : EXIT.refused),
);

const program = new Command('payment-gateway')
  .description('Payments of a Latin American gateway as durable Temporal workflows')
  .version(packageVersion(), '-v, --version', 'print the version of this package')
  .addHelpText('after', `\nExit codes: ${EXIT_CODES}`)
  .showHelpAfterError('(payment-gateway --help lists everything)')
  // Wrong usage ends like every other wrong input.
  .exitOverride(failedUsage)
  .configureOutput({
    writeOut: (text) => say(text.trimEnd()),
    writeErr: (text) => isForPrograms() || complain(text.trimEnd()),
  });

program
  .command('dev')
  .description('everything on this machine: Temporal with its UI, a simulated gateway, webhook and worker')
  .option('--data-dir <folder>', 'where the state is kept', '.payments')
  .addHelpText('after', examples('dev'))
  .action(async (options) => (await import('./dev/index.js')).dev(options));

program
  .command('init [folder]')
  .description('write a small merchant’s project that pays on the stack of dev; nothing is overwritten')
  .addOption(
    new Option('--language <name>', 'one program, in this language')
      .choices(Object.keys(PROGRAMS))
      .default('typescript'),
  )
  .addOption(
    new Option('--template <name>', 'a shop with routes, events, refunds and a test').choices(Object.keys(TEMPLATES)),
  )
  .addHelpText('after', examples('init', 'init shop --language python', 'init shop --template express'))
  .action(async (folder = '.', options) => (await import('./init.js')).init(folder, options));

program
  .command('pay <order>')
  .description('send an order file and print its payment data')
  .option('--wait', 'print each state until the outcome is known')
  .option('--app <app_id>', 'the gateway app; needed where the settings have several')
  .addOption(new Option('--json', 'print JSON lines for programs'))
  .addHelpText('after', examples('pay examples/orders/pix.json --wait', 'pay order.json --app shop --json'))
  .action(async (order, options) => (await import('./pay.js')).pay(order, options));

program
  .command('cancel <out_trade_no>')
  .description('withdraw an order that was not sent yet')
  .option('--app <app_id>', 'the gateway app; needed where the settings have several')
  .addOption(new Option('--json', 'print JSON lines for programs'))
  .addHelpText('after', examples('cancel order-123'))
  .action(async (number, options) => (await import('./cancel.js')).cancelOrder(number, options));

const accounts = program
  .command('accounts')
  .description('virtual accounts (SPEI): create, show, cancel, and how many are left')
  .addHelpText('after', examples('accounts create examples/accounts/spei.json --key buyer-1', 'accounts quantity'));
const accountCommand = (usage: string, description: string, example: string) =>
  accounts
    .command(usage)
    .description(description)
    .option('--app <app_id>', 'the gateway app; needed where the settings have several')
    .addOption(new Option('--json', 'print JSON for programs'))
    .addHelpText('after', examples(`accounts ${example}`));
accountCommand(
  'create <request>',
  'create an account from a request file; the same key again gets the same account',
  'create examples/accounts/spei.json --key buyer-1',
)
  .option('--key <key>', 'your own name for the account (default: made of its buyer_id)')
  .action(async (file, options) => (await import('./accounts.js')).create(file, options));
accountCommand('show <account_id>', 'show an account and its deposits', 'show ACCOUNT').action(async (id, options) =>
  (await import('./accounts.js')).show(id, options),
);
accountCommand('deposits <account_id>', 'its deposits, the latest first', 'deposits ACCOUNT --json').action(
  async (id, options) => (await import('./accounts.js')).deposits(id, options),
);
accountCommand(
  'cancel <account_id>',
  'cancel an account, and wait until the gateway confirms it',
  'cancel ACCOUNT',
).action(async (id, options) => (await import('./accounts.js')).cancel(id, options));
accountCommand('recheck <account_id>', 'query an account at the gateway now', 'recheck ACCOUNT').action(
  async (id, options) => (await import('./accounts.js')).recheck(id, options),
);
accountCommand('quantity', 'how many accounts can still be created', 'quantity').action(async (options) =>
  (await import('./accounts.js')).quantity(options),
);

program
  .command('refund <out_trade_no>')
  .description('refund a paid order, all that is left of it or a part')
  .option('--amount <decimal>', 'a part, in the currency of the order')
  .option('--number <out_request_no>', 'the number of this refund, at most 16 characters')
  .option('--reason <text>', 'why')
  .option('--with <file>', 'a JSON file with user_info and bank_info')
  .option('--app <app_id>', 'the gateway app; needed where the settings have several')
  .addOption(new Option('--json', 'print JSON lines for programs'))
  .addHelpText(
    'after',
    examples(
      'refund order-123 --with examples/refunds/pix.json',
      'refund order-123 --amount 30.00 --number r-1 --reason "one ticket returned" --with examples/refunds/pix.json',
    ),
  )
  .action(async (number, options) => (await import('./refund.js')).refundOrder(number, options));

addOperatorCommands(program);

program
  .command('worker')
  .description('run a worker until a signal ends it')
  .addHelpText('after', () => settingsHelp('worker'))
  .addHelpText('after', examples('worker'))
  .action(async () => (await import('../worker.js')).runWorker(process.env));

program
  .command('webhook')
  .description('run the endpoint for notifications until a signal ends it')
  .addHelpText('after', () => settingsHelp('webhook'))
  .addHelpText('after', examples('webhook'))
  .action(async () => (await import('../webhook/index.js')).runWebhook(process.env));

program
  .command('codec-server')
  .description('run the server that decrypts payloads for Temporal UI, until a signal ends it')
  .addHelpText('after', () => settingsHelp('codec server'))
  .addHelpText('after', examples('codec-server'))
  .action(async () => (await import('../codec/index.js')).runCodecServer(process.env));

program
  .command('simulator')
  .description('run a simulated gateway until a signal ends it; needs no settings')
  .addHelpText('after', () => settingsHelp('simulator'))
  .option('--set <name=value>', 'a setting of the simulator, such as refundTakes=0s; once for each', collect, [])
  .addHelpText('after', examples('simulator', 'simulator --set refundTakes=0s'))
  .action(async (options) => (await import('./simulator.js')).simulator(process.env, options));

program
  .command('setup')
  .description(
    'register the search attributes in the namespace, and make the Schedules: the sweep for stuck payments, and a reconciliation of each app a day',
  )
  .option('--namespace <name>', 'make this namespace where it is missing, and prepare it (default: TEMPORAL_NAMESPACE)')
  .option('--retention <duration>', 'how long it keeps closed payments; a new one keeps them for 30d')
  .addHelpText('after', '\nPAYMENTS_SCHEDULES=false leaves out the Schedules.')
  .addHelpText('after', examples('setup', 'setup --namespace payments --retention 30d'))
  .action(async (options) => (await import('./setup.js')).setup(options, process.env));

program
  .command('check')
  .description('look at all that has to hold before real money goes through: a line a point, and what mends it')
  .addOption(new Option('--json', 'print JSON lines for programs'))
  .addHelpText(
    'after',
    '\nIt reads the settings of a worker, changes nothing, and ends with code 1 where a point fails.',
  )
  .addHelpText('after', examples('check', 'check --json'))
  .action(async (options) => (await import('./check/command.js')).check(options, process.env));

addDeployCommands(program);

const keys = program
  .command('keys')
  .description('keys for sealing and encryption')
  .addHelpText('after', examples('keys new', 'keys rotate --stage', 'keys needed 90d'));

keys
  .command('new')
  .description('make new keys and print them; they are stored nowhere')
  .option('--json', 'print { encryption_key, sealing_private_jwks, sealing_public_jwk, events_secret }')
  .addHelpText('after', examples('keys new', 'keys new --json'))
  .action(async (options) => (await import('./keys.js')).newKeys(options));

keys
  .command('rotate')
  .description('change the keys in the files that the settings name (PAYMENTS_…_FILE): SECURITY.md has the steps')
  .addOption(
    new Option('--stage', 'add new keys that nobody uses yet, for every process to learn').conflicts('promote'),
  )
  .addOption(new Option('--promote', 'use the staged keys from now on'))
  .option('--drop-after <age>', 'delete older sealing keys, except the one in use and the one before it', '24h')
  .addHelpText('after', examples('keys rotate --stage', 'keys rotate --promote'))
  .action(async (options) => (await import('./rotate-keys.js')).rotateKeys(options, process.env));

keys
  .command('needed <time>')
  .description('count what began before a time at which an encryption key went out of use: keep the key until it is 0')
  .option('--json', 'print { before, open, closed }')
  .addHelpText('after', examples('keys needed 2026-03-01T12:00', 'keys needed 90d'))
  .action(async (time, options) => (await import('./keys-needed.js')).keysNeeded(time, options));

program
  .command('completion')
  .description('print a script that completes commands and options; docs/operations.md says where it goes')
  .addArgument(new Argument('<shell>', 'your shell').choices(['bash', 'zsh']))
  .addHelpText('after', examples('completion bash'))
  .action(async (shell) => (await import('./completion.js')).printCompletion(program, shell));

/** An option that is given several times. */
function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

program.parseAsync().catch(async (error: unknown) => (await import('./tell-failure.js')).failed(error));
