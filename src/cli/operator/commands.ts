/** The operator's commands, as `payment-gateway --help` lists them. Each file is loaded only when its command runs. */
import { type Command, Option } from 'commander';
import { examples } from '../help-examples';

const app = () =>
  new Option('--app <app_id>', 'the gateway app; where the settings have several, what changes something needs it');
const json = () => new Option('--json', 'print JSON lines for programs');

export function addOperatorCommands(program: Command): void {
  addLists(program);
  addOrderCommands(program);
  addReconciliation(program);
  addDecisions(program);
}

/** The options that choose payments. */
function withFilter(command: Command): Command {
  return command
    .option('--attention [reason]', 'what needs a person, for any reason or for this one')
    .option(
      '--stuck [duration]',
      'open payments past their time, unsent, or without a worker, for so long (default 1h)',
    )
    .option('--mine <name>', 'what this person has taken on')
    .option('--method <method>', 'such as PIX')
    .option('--status <status>', 'the gateway’s last word, such as PROCESSING')
    .option('--since <time>', 'started since: a day, a time, or how long ago')
    .option('--until <time>', 'started before')
    .option('--query <query>', 'more of Temporal’s own list query')
    .addOption(new Option('--app <app_id>', 'one app (default: all of the namespace)'))
    .addOption(json());
}

function addLists(program: Command): void {
  withFilter(
    program
      .command('list')
      .description(
        'payments: what is open, the newest first, then what ended last; with --attention, --stuck or --mine what is open and why, the longest wait first',
      ),
  )
    .option('--disputes', 'disputes that nobody has answered, with the time that is left, the nearest first')
    .option(
      '--owed',
      'to whom money is to be sent back: for an order that a person has ended without a sale, or paid twice',
    )
    .option('--limit <n>', 'at most so many (default 100 for people, all for programs)')
    .addHelpText(
      'after',
      examples(
        'list --attention',
        'list --disputes',
        'list --owed',
        'list --mine ana',
        'list --attention no-answer --app shop',
        'list --stuck 2h --json',
      ),
    )
    .action(async (options, command) => {
      const other = [...CHOICES, 'disputes'].find((name) => options[name] !== undefined);
      if (options.owed && other) return command.error(`error: --owed is a list of its own: leave out --${other}`);
      return (await import('./list.js')).list(options);
    });
  withFilter(program.command('watch').description('a table of what needs a person, read anew until Ctrl-C'))
    .option('--every <duration>', 'how often', '5s')
    .addHelpText('after', examples('watch', 'watch --stuck 30m --every 30s'))
    .action(async (options) => (await import('./watch.js')).watch(options));
  withFilter(program.command('export').description('payments with their exact amounts, to standard output'))
    .addOption(new Option('--format <format>', 'csv or jsonl').choices(['csv', 'jsonl']).default('csv'))
    .addHelpText('after', examples('export --since 2026-03-01 --until 2026-03-02 > day.csv', 'export --format jsonl'))
    .action(async (options) => (await import('./export.js')).exportPayments(options));
}

function addOrderCommands(program: Command): void {
  program
    .command('find <text...>')
    .description('an order by its number, trade, refund, account or CLABE, its buyer_id, or its amount and day')
    .addOption(app())
    .addOption(json())
    .addHelpText('after', examples('find order-123', 'find buyer-7', 'find 150.00 2026-03-01'))
    .action(async (text, options) => (await import('./find.js')).find(text, options));
  program
    .command('show <order>')
    .description(
      'what happened to an order, what it waits for, and what can be done; by its number, or what else find takes of it',
    )
    .option('--all', 'every line of what happened')
    .option('--why', 'each fact of the order, and what was concluded from it by which rule')
    .addOption(app())
    .addOption(json())
    .addHelpText('after', examples('show order-123', 'show order-123 --why', 'show app-attention:shop:credentials'))
    .action(async (order, options) => (await import('./show.js')).showOrder(order, options));
  program
    .command('story <order>')
    .description('what happened to an order, without anything private, for simulate() of /testing to play')
    .addOption(
      new Option('--test [runner]', 'a test that plays it, for the runner of Node or another').choices([
        'node',
        'jest',
        'vitest',
      ]),
    )
    .addOption(app())
    .addHelpText(
      'after',
      examples(
        'story order-123 > story.json',
        'story order-123 --test > incident.test.ts',
        'story order-123 --test vitest > incident.test.ts',
      ),
    )
    .action(async (order, options) => (await import('./story.js')).tellStory(order, options));
  program
    .command('refunds <order>')
    .description('the refunds of an order and their sums')
    .addOption(app())
    .addOption(json())
    .addHelpText('after', examples('refunds order-123'))
    .action(async (order, options) => (await import('./refunds.js')).refunds(order, options));
  program
    .command('explain [reason]')
    .description('what a reason for attention means and what to do; without a reason, all of them')
    .addOption(json())
    .addHelpText('after', examples('explain no-answer'))
    .action(async (reason, options) => (await import('./explain.js')).explain(reason, options));
  program
    .command('ui [text...]')
    .description(
      'print links to lists in Temporal UI: what needs a person, what is stuck, or what find finds by a text',
    )
    .addOption(app())
    .addOption(json())
    .addHelpText('after', examples('ui', 'ui order-123', 'ui buyer-7'))
    .action(async (text, options) => (await import('./ui.js')).ui(text, options));
}

function addReconciliation(program: Command): void {
  program
    .command('reconcile')
    .description(
      'compare a day of payments with the gateway, and with your own list; differences go to standard output',
    )
    .option('--since <time>', 'the beginning: a day, a time, or how long ago (default: yesterday, UTC)')
    .option('--until <time>', 'the end (default: the end of yesterday, or now with --since)')
    .option(
      '--csv',
      'read your list from standard input: CSV with the columns order, amount, status, perhaps currency, refunded',
    )
    .option('--adopt', 'take on orders that the gateway has and that are missing here')
    .option('--per-second <n>', 'how many orders to compare a second', '10')
    .addOption(app())
    .addOption(json())
    .addHelpText(
      'after',
      examples('reconcile', 'reconcile --since 2026-03-01 --until 2026-03-02 --csv --adopt < orders.csv'),
    )
    .action(async (options) => (await import('./reconcile.js')).reconcile(options));
}

function addDecisions(program: Command): void {
  program
    .command('take <order>')
    .description('say that you take care of what waits for a person; lists and pages show it')
    .requiredOption('--by <name>', 'who takes it')
    .option('--note <text>', 'for the others: what you are doing, and nothing of the buyer')
    .addOption(app())
    .addOption(json())
    .addHelpText('after', examples('take order-123 --by ana --note "asked the bank"', 'list --mine ana'))
    .action(async (order, options) => (await import('./decide.js')).takeOrder(order, options));
  program
    .command('log')
    .description('who decided what and why, over all orders')
    .option('--since <time>', 'a day, a time, or how long ago', '24h')
    .option('--until <time>', 'before this time (default: now)')
    .option('--by <name>', 'only this person')
    .addOption(app())
    .addOption(json())
    .addHelpText('after', examples('log --since 24h', 'log --since 2026-03-01 --by ana --json'))
    .action(async (options) => (await import('./log.js')).log(options));
  withFilter(
    program.command('recheck [order]').description('ask the gateway now, for an order or for all that are chosen'),
  )
    .option('--dry-run', 'only list what would be asked for')
    .option('--yes', 'do not ask before many are asked for')
    .option('--per-second <n>', 'how many to begin a second', '10')
    .addHelpText(
      'after',
      examples('recheck order-123', 'recheck --attention no-answer --dry-run', 'recheck --stuck 2h --yes'),
    )
    .action(async (order, options, command) => {
      if (order !== undefined) {
        if (ONLY_MANY.some((name) => options[name] !== undefined))
          return command.error(
            'error: an order is asked for by itself: leave out the order, or --dry-run and what chooses payments',
          );
        return (await import('./decide.js')).recheckOrder(order, options);
      }
      if (CHOICES.some((name) => options[name] !== undefined)) return (await import('./bulk.js')).recheckMany(options);
      return command.error('error: name an order, or choose payments with --query, --attention, --stuck, --method …');
    });
  program
    .command('resolve [order]')
    .description(
      'tell what waits for a person that it is taken care of, or decide how a payment or a refund ends; of one order, or of all that wait for a reason',
    )
    .requiredOption('--by <name>', 'who decides')
    .requiredOption('--reason <text>', 'why')
    .option(
      '--outcome <outcome>',
      'SUCCESS (the gateway has the money; of one that was paid another way say CANCEL), CANCEL, REFUSED, EXPIRED; of a refund: REFUNDED, NOT_CREATED, …',
    )
    .option('--refund <out_request_no>', 'which refund; required with its outcome')
    .option(
      '--elsewhere <amount>',
      'all that went back by refunds that are not in our list; replaces what was said before',
    )
    .option(
      '--although <status>',
      'with --outcome or --elsewhere: the trade has this status, such as REFUNDED, or a person has decided this outcome, and it is so all the same',
    )
    .option(
      '--seen <reason>',
      'the reason that you looked at, of a virtual account such as old-deposit:7, as show prints it: refused where it needs a person for another one meanwhile',
    )
    .option('--account <account_id>', 'the virtual account that a creation made whose answer was lost')
    .addOption(
      new Option('--all-events', 'of a delivery of events: leave out all that wait, and not only the first').conflicts([
        'allOf',
      ]),
    )
    .addOption(app())
    .addOption(json())
    .option('--all-of <reason>', 'everything that waits for this reason: it is listed, and done with --yes')
    .option('--dry-run', 'only list what would be resolved')
    .option('--yes', 'do not ask before many are resolved')
    .option('--per-second <n>', 'how many to begin a second', '10')
    .addHelpText(
      'after',
      examples(
        'resolve order-123 --outcome CANCEL --by ana --reason "sent back by bank transfer"',
        'resolve --all-of never-ended --by ana --reason "looked at each in the dashboard" --dry-run',
      ),
    )
    .action(async (order, options, command) => {
      const isMany = options.allOf !== undefined;
      if (isMany === (order !== undefined)) return command.error('error: name an order, or a reason with --all-of');
      const single = ['refund', 'elsewhere', 'although', 'seen', 'account'].find((name) => options[name] !== undefined);
      if (isMany && single) return command.error(`error: --${single} is of one order: leave out --all-of`);
      if (isMany) return (await import('./bulk.js')).resolveMany(options);
      if (options.although !== undefined && options.elsewhere === undefined && options.outcome === undefined)
        return command.error(
          'error: --although goes with --outcome or --elsewhere: it names the trade’s status, or the decision that stands, and says that yours is so all the same',
        );
      if (options.dryRun || options.yes) return command.error('error: --dry-run and --yes go with --all-of');
      return (await import('./decide.js')).resolveOrder(order, options);
    });
}

const CHOICES = ['attention', 'stuck', 'mine', 'method', 'status', 'since', 'until', 'query'];
/** Options that are only for many orders. For one order they are refused: a dry run must not ask the gateway. */
const ONLY_MANY = [...CHOICES, 'dryRun'];
