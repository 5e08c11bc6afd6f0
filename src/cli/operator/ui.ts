/** `payment-gateway ui`: links to the payments desk in Temporal UI. */
import { appIdsOf } from '../../process/settings';
import { ConfigError } from '../../process/user-error';
import { type AppOptions, commandSettings } from '../command-settings';
import { say } from '../print';
import { foundLink, questionLinks, uiPlace } from './ui-links';

/** Prints the links, or only the one to the list of what has the text. Throws ConfigError if nothing says where Temporal UI is. */
export function ui(words: readonly string[], { app, json }: AppOptions): void {
  const settings = commandSettings();
  const place = uiPlace(settings);
  if (place === undefined) throw new ConfigError('Where is Temporal UI? Nothing says it: set TEMPORAL_UI_URL.');
  const text = words.join(' ');
  const app_ids = app === undefined ? appIdsOf(settings.config) : [app];
  const links = text === '' ? questionLinks(place, new Date()) : { [text]: foundLink(place, { text, app_ids }) };
  if (json) return void say(JSON.stringify(links));
  const lines = Object.entries(links).map(([name, link]) => `${name}\n  ${link}`);
  say([...lines, HOW_TO_KEEP].join('\n'));
}

/** Temporal UI 2.54 keeps columns and views in the browser: no link sets columns. */
const HOW_TO_KEEP = `Once in your browser: press the gear beside the table, and put first PaymentAttention, PaymentMoney, Workflow ID and PaymentAttentionSince, then what else you want.
To keep a list among the saved views, open its link once with &savedQuery=NAME at its end.`;
