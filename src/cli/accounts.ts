/** `payment-gateway accounts …`: virtual accounts for people. */
import { readFile } from 'node:fs/promises';
import { AccountError, AccountPendingError, type AccountsClient, InvalidAccountError, PaymentsClient } from '../client';
import { ConfigError, loadConfig, ruleSettings } from '../config';
import { connectClient } from '../connect';
import { InvalidRequestError, parseNewSpeiAccount } from '../gateway';
import { parseExact } from '../gateway/json';
import { withDevSettings } from './dev-settings';
import * as print from './print';

interface Options {
  app?: string;
  json?: boolean;
  key?: string;
}

/** What the command's exit code tells. */
const EXIT = { refused: 1, wrongInput: 2, pending: 3 } as const;

export async function create(file: string, options: Options): Promise<void> {
  const request = await readRequest(file);
  await withAccounts(options, async (accounts) => {
    const account = await accounts.create(request, options.key === undefined ? {} : { key: options.key });
    return { json: { account }, text: `The account is there.\n${print.account(account)}` };
  });
}

export const show = (account_id: string, options: Options) =>
  withAccounts(options, async (accounts) => told(await accounts.get(account_id)));

export const cancel = (account_id: string, options: Options) =>
  withAccounts(options, async (accounts) => told(await accounts.cancel(account_id)));

export const recheck = (account_id: string, options: Options) =>
  withAccounts(options, async (accounts) => told(await accounts.recheck(account_id)));

export const quantity = (options: Options) =>
  withAccounts(options, async (accounts) => {
    const state = await accounts.quantity();
    const few = state.attention ? `. These are few: below ${state.low} (PAYMENTS_ACCOUNTS_LOW)` : '';
    return { json: { quantity: state }, text: `${state.available_quantity} virtual accounts are left${few}.` };
  });

/** One line for each, page after page. Programs get no line where there are none. */
export const deposits = (account_id: string, options: Options) =>
  withAccounts(options, async (accounts) => {
    let listed = 0;
    let page: string | null = '';
    while (page !== null) {
      const found = await accounts.deposits(account_id, page === '' ? {} : { page });
      for (const deposit of found.deposits) {
        const { time, out_trade_no, amount, currency, outcome } = deposit;
        const money = amount === null ? 'being confirmed' : `${amount} ${currency}  ${outcome}`;
        say(options.json ? JSON.stringify({ deposit }) : `${time}  ${out_trade_no}  ${money}`);
      }
      listed += found.deposits.length;
      page = found.next_page;
    }
    if (listed === 0 && !options.json) say('No deposits are listed.');
    return undefined;
  });

function told(state: Awaited<ReturnType<AccountsClient['get']>>) {
  return { json: { state }, text: print.accountState(state) };
}

async function withAccounts(
  options: Options,
  act: (accounts: AccountsClient) => Promise<{ json: object; text: string } | undefined>,
): Promise<void> {
  const { env, from } = withDevSettings(process.env);
  const config = loadConfig(env);
  const app_id = options.app ?? config.GATEWAY_APP_ID ?? config.apps[0]?.app_id;
  if (app_id === undefined) {
    throw new ConfigError('Which app? Set GATEWAY_APP_ID, use --app, or run npm start in this folder first.');
  }
  if (from && !options.json) say(`Using the stack that runs here (${from}).`);
  const client = await connectClient(env, config);
  const taskQueue = config.PAYMENTS_TASK_QUEUE;
  const { accounts } = new PaymentsClient({ client, app_id, taskQueue, rules: ruleSettings(config) });
  try {
    const answer = await act(accounts);
    if (answer) say(options.json ? JSON.stringify(answer.json) : answer.text);
  } catch (error) {
    if (!(error instanceof AccountError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = exitCodeFor(error);
  } finally {
    await client.connection.close();
  }
}

function exitCodeFor(error: AccountError): number {
  if (error instanceof InvalidAccountError) return EXIT.wrongInput;
  return error instanceof AccountPendingError ? EXIT.pending : EXIT.refused;
}

/** The file of a request: the body of the creation (section 4.8) without `app_id` and `timestamp`. */
async function readRequest(file: string) {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`The request file ${file} cannot be read (${error.code}).`);
  });
  try {
    return parseNewSpeiAccount(parseExact(text));
  } catch (error) {
    if (error instanceof SyntaxError) throw new ConfigError(`The request file ${file} is not JSON: ${error.message}`);
    if (!(error instanceof InvalidRequestError)) throw error;
    throw new ConfigError(error.message);
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
