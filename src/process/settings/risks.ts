/** Warnings about settings that give up protection, at each start: somebody may have left one on by mistake. */
import { settingDocs } from './meaning';
import { environment } from './schema';

type SettingName = keyof typeof environment.shape;
/** Each setting that gives up protection has such a name; the compiler requires its line below. */
type RiskySetting = Extract<SettingName, `${string}_INSECURE_${string}` | `${string}_MIGRATION_${string}`>;

/** What is at risk while it is on. */
const AT_RISK: Readonly<Record<RiskySetting, string>> = {
  PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES:
    'without encryption keys, whoever can read Temporal reads buyers’ data, and whoever can write to it can forge what workflows read',
  PAYMENTS_MIGRATION_ACCEPT_CLEAR_TEXT:
    'whoever can write to Temporal can put clear text in place of encrypted data, and it is taken; set it to false once `payment-gateway keys needed TIME` counts nothing from before there were keys',
  PAYMENTS_INSECURE_PLAIN_HTTP:
    'over http:// whoever is on the way reads keys, tokens and buyers’ data, and can answer in the gateway’s place',
  CODEC_SERVER_INSECURE_VIEWERS:
    'whoever reaches the codec server reads payments, without the personal data in them; keep its port on loopback',
  SIMULATOR_INSECURE_REMOTE_CONTROL: 'whoever reaches the simulator from another machine can pay and refund its orders',
};

type RiskySettings = Readonly<Partial<Record<RiskySetting, boolean>>>;

/** The programs that say it, by the names that docs/settings.md has for them. */
type Program = 'worker' | 'webhook' | 'codec server' | 'simulator';

/** Logs a warning for each setting that gives up protection, is on, and is read by this program. */
export function warnOfRisks(
  settings: RiskySettings,
  program: Program,
  log: { warn(details: object, message: string): void },
): void {
  for (const { setting, text } of risksOf(settings)) if (isReadBy(setting, program)) log.warn({ setting }, text);
}

/** Each setting that gives up protection and is on, with what is at risk. */
export function risksOf(settings: RiskySettings): { setting: RiskySetting; text: string }[] {
  const names = Object.keys(environment.shape).filter(isRisky);
  return names.flatMap((setting) =>
    settings[setting] === true ? [{ setting, text: `${setting} is on: ${AT_RISK[setting]}.` }] : [],
  );
}

const isRisky = (name: string): name is RiskySetting => name in AT_RISK;
const isReadBy = (name: RiskySetting, program: Program) =>
  settingDocs.get(environment.shape[name])?.readBy.split(', ').includes(program) === true;
