/** The data converter by the settings: it encrypts if there are keys. Clear text must be allowed explicitly. */
import type { DataConverter } from '@temporalio/common';
import type { Config } from '../process/settings';
import { ConfigError } from '../process/user-error';
import { type CodecRules, EncryptionCodec } from './encryption-codec';

export type EncryptionSettings = Pick<
  Config,
  'PAYMENTS_ENCRYPTION_KEYS' | 'PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES' | 'PAYMENTS_MIGRATION_ACCEPT_CLEAR_TEXT'
>;

/** What the converter is for. A replay only reads, also histories of any namespace and from before there were keys. */
export type Purpose = 'client' | 'worker' | 'replay';

const RULES: Readonly<Record<Purpose, CodecRules>> = {
  client: {},
  worker: { refused: 'mark' },
  replay: { readsAll: true, acceptsClearText: true },
};

/**
 * The data converter of a Client or Worker: the caller's own, with our codec after its codecs. Our codec is added only once, even if
 * this is called on its own result. Throws ConfigError without keys, unless clear text is allowed.
 */
export function dataConverter(
  settings: EncryptionSettings,
  own: DataConverter = {},
  purpose: Purpose = 'client',
): DataConverter {
  const { PAYMENTS_ENCRYPTION_KEYS: keys, PAYMENTS_MIGRATION_ACCEPT_CLEAR_TEXT: isMigrating } = settings;
  if (keys === undefined) {
    assertClearTextIsAllowed(settings);
    return own;
  }
  const codecs = own.payloadCodecs ?? [];
  if (codecs.some((codec) => codec instanceof EncryptionCodec)) return own;
  const rules = { ...RULES[purpose], ...(isMigrating ? { acceptsClearText: true } : {}) };
  return {
    ...own,
    failureConverterPath: own.failureConverterPath ?? require.resolve('./failure-converter'),
    payloadCodecs: [...codecs, new EncryptionCodec(keys, rules)],
  };
}

function assertClearTextIsAllowed(settings: EncryptionSettings): void {
  if (settings.PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES) return;
  throw new ConfigError(
    'PAYMENTS_ENCRYPTION_KEYS is not set: Temporal would store buyers’ data in clear text. Make a key with payment-gateway keys new, or set PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES=true to run without one.',
  );
}
