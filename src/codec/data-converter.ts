/** The data converter by the settings: it encrypts if there are keys. In production, clear text must be allowed explicitly. */
import type { DataConverter } from '@temporalio/common';
import type { Config } from '../process/settings';
import { ConfigError } from '../process/user-error';
import { EncryptionCodec } from './encryption-codec';

export type EncryptionSettings = Pick<
  Config,
  'NODE_ENV' | 'PAYMENTS_ENCRYPTION_KEYS' | 'PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES'
>;

/**
 * The data converter of a Client or Worker: the user's own, with our codec after theirs. Our codec is added only once, even if
 * this is called on its own result. Throws ConfigError in production without keys, unless clear text is allowed.
 */
export function dataConverter(settings: EncryptionSettings, own: DataConverter = {}): DataConverter {
  const { PAYMENTS_ENCRYPTION_KEYS: keys } = settings;
  if (keys === undefined) {
    assertClearTextIsAllowed(settings);
    return own;
  }
  const codecs = own.payloadCodecs ?? [];
  if (codecs.some((codec) => codec instanceof EncryptionCodec)) return own;
  return {
    ...own,
    failureConverterPath: own.failureConverterPath ?? require.resolve('./failure-converter'),
    payloadCodecs: [...codecs, new EncryptionCodec(keys)],
  };
}

function assertClearTextIsAllowed(settings: EncryptionSettings): void {
  if (settings.NODE_ENV !== 'production' || settings.PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES) return;
  throw new ConfigError(
    'NODE_ENV is production and PAYMENTS_ENCRYPTION_KEYS is not set: Temporal would store buyers’ data in clear text. Make a key with payment-gateway keys new, or set PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES=true to run without one.',
  );
}
