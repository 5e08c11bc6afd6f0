/** `payment-gateway find TEXT`: finds an order by anything that a person knows of it. */
import { commandOf } from '../../contract';
import { DAY } from '../../gateway/pure/durations';
import { appIdsOf } from '../../process/settings';
import { ConfigError } from '../../process/user-error';
import { type FoundOrder, findAmount, findInOtherApps, findNamed } from '../../temporal/find';
import { explainIfNotSetUp } from '../../temporal/search-attributes';
import type { AppOptions } from '../command-settings';
import { EXIT } from '../exit-codes';
import { printable, say } from '../print';
import { asOperator, type Operator } from './connection';
import { momentOf } from './options';
import { orderColumns, type TableOptions, tableOptions } from './order-table';
import { table } from './table';
import { foundLink, uiPlace } from './ui-links';

/** An amount, and perhaps a day. */
const AMOUNT = /^(\d+(?:[.,]\d{1,2})?)(?: +(\S+))?$/;

/** Ends the process: 0 if something is found, 1 if nothing is. */
export function find(words: readonly string[], options: AppOptions): Promise<never> {
  const text = words.join(' ').trim();
  if (text === '') throw new ConfigError('find: what is looked for? A number, a buyer_id, or an amount and a day.');
  const now = new Date();
  return asOperator(async (operator) => {
    const found = await findAll(operator, text, { app: options.app, now });
    if (options.json) for (const one of found) say(JSON.stringify(one));
    else say(asText(found, text, tableOptions(operator.config, now)));
    const place = found.length > 0 && !options.json ? uiPlace(operator) : undefined;
    if (place) say(`In Temporal UI: ${foundLink(place, { text, app_ids: appsOf(operator, options.app) })}`);
    if (found.length === 0) await explainIfNotSetUp(operator.client);
    return found.length === 0 ? EXIT.refused : EXIT.ok;
  }, 'lists');
}

const appsOf = ({ config }: Operator, app: string | undefined) => (app === undefined ? appIdsOf(config) : [app]);

/** By number and name; if nothing has it, by amount if it can be one. */
async function findAll(
  operator: Operator,
  text: string,
  { app, now }: { app: string | undefined; now: Date },
): Promise<FoundOrder[]> {
  const { client } = operator;
  const sought = { text, app_ids: appsOf(operator, app), app_id: app };
  const ofSettings = await findNamed(client, sought);
  const named = ofSettings.length > 0 || app !== undefined ? ofSettings : await findInOtherApps(client, sought);
  const [, amount, day] = AMOUNT.exec(text) ?? [];
  if (named.length > 0 || amount === undefined) return named;
  const since = day === undefined ? undefined : momentOf('find, the day', day, now);
  const began = since && { since, until: new Date(since.getTime() + DAY) };
  return findAmount(client, { amount: Number(amount.replace(',', '.')), began }, app);
}

function asText(found: readonly FoundOrder[], text: string, options: TableOptions): string {
  const [first] = found;
  if (first === undefined)
    return `Nothing is found by ${printable(text)}. An order, trade, refund, account, CLABE or buyer_id is found by the whole of it; an amount as 150.00, with a day as 150.00 2026-03-01; a second trade only while a person is asked about it (second-trade), with the keys and a worker.`;
  const columns = [{ name: 'FOUND BY', of: ({ found_by }: FoundOrder) => found_by }, ...orderColumns(found, options)];
  const all = printable(commandOf('show', first.workflow_id));
  return `${table(columns, found)}\n${found.length} found. All of it: ${all}`;
}
