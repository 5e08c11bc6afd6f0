/** `payment-gateway accounts …`: virtual accounts (SPEI), as an operator uses them. */
import type { AccountsClient, DepositPayment } from '../client';
import type { NewSpeiAccount } from '../gateway';
import { InvalidRequestError } from '../gateway/errors';
import { parseNewSpeiAccount } from '../gateway/virtual-accounts';
import { ConfigError } from '../process/user-error';
import { type AppOptions, appSettings } from './command-settings';
import { EXIT } from './exit-codes';
import * as print from './print';
import { say } from './print';
import { readJsonObject } from './read-json';
import { withPayments } from './with-payments';

interface CreateOptions extends AppOptions {
  key?: string;
}

export async function create(file: string, options: CreateOptions): Promise<void> {
  const request = await readRequest(file);
  await withAccounts(options, undefined, async (accounts, app_id) => {
    const account = await accounts.create(request, options.key === undefined ? {} : { key: options.key });
    answer(options, { account }, `The account is there (app ${app_id}).\n${print.account(account)}`);
  });
}

/** A command that asks about one account, and prints the state that is answered. */
const printingState = (ask: 'get' | 'cancel' | 'recheck') => (account_id: string, options: AppOptions) =>
  withAccounts(options, account_id, async (accounts) => {
    const state = await accounts[ask](account_id);
    answer(options, { state }, print.accountState(state));
  });

export const show = printingState('get');
export const cancel = printingState('cancel');
export const recheck = printingState('recheck');

export const quantity = (options: AppOptions) =>
  withAccounts(options, undefined, async (accounts, app_id) => {
    const state = await accounts.quantity();
    const few = state.attention ? `. These are few: below ${state.low} (PAYMENTS_ACCOUNTS_LOW)` : '';
    answer(
      options,
      { quantity: state },
      `${state.available_quantity} virtual accounts of app ${app_id} are left${few}.`,
    );
  });

/** Prints a line for each deposit, page after page. Programs get no line if there are none. */
export const deposits = (account_id: string, options: AppOptions) =>
  withAccounts(options, account_id, async (accounts) => {
    const listed = new Set<string>();
    let page: string | null = '';
    while (page !== null) {
      const found = await accounts.deposits(account_id, page === '' ? {} : { page });
      for (const deposit of found.deposits) {
        const { time, out_trade_no, amount, currency } = deposit;
        const money = amount === null ? '' : `${amount} ${currency}  `;
        answer(options, { deposit }, `${time}  ${out_trade_no}  ${money}${standingOf(deposit)}`);
        listed.add(out_trade_no);
      }
      page = found.next_page;
    }
    const { deposits: known } = await accounts.get(account_id);
    for (const set_aside of known.set_aside.filter(({ out_trade_no }) => !listed.has(out_trade_no))) {
      answer(options, { set_aside }, print.setAside(set_aside));
      listed.add(set_aside.out_trade_no);
    }
    if (listed.size === 0 && !options.json) say('No deposits are listed.');
  });

/** Whether the account has counted it comes first: people credit buyers by this list. */
function standingOf({ is, because, outcome }: DepositPayment): string {
  const ended = outcome === null ? 'being confirmed' : outcome;
  const words = {
    counted: 'counted',
    pending: 'being confirmed',
    'set-aside': `NOT counted (${because}); its payment: ${ended}`,
    older: `${ended} (the account remembers it no longer)`,
  };
  return words[is];
}

/** Ends the process: 0 if `act` returns, 1 if the gateway refuses, 2 for wrong input, 3 if the answer is not known yet. */
async function withAccounts(
  options: AppOptions,
  account_id: string | undefined,
  act: (accounts: AccountsClient, app_id: string) => Promise<void>,
): Promise<void> {
  const settings = await appSettings(options, account_id);
  await withPayments(settings, async ({ accounts }) => {
    await act(accounts, settings.app_id);
    return EXIT.ok;
  });
}

/** Prints the object for programs, or the text for people. */
function answer({ json }: AppOptions, object: object, text: string): void {
  say(json ? JSON.stringify(object) : text);
}

/** Reads the request: the body of the creation (section 4.8) without `app_id` and `timestamp`. Throws ConfigError. */
async function readRequest(file: string): Promise<NewSpeiAccount> {
  const value = await readJsonObject('request file', file);
  try {
    return parseNewSpeiAccount(value);
  } catch (error) {
    throw error instanceof InvalidRequestError ? new ConfigError(error.message) : error;
  }
}
