/** How payloads travel by the settings: encrypted wherever there are keys, in clear where somebody has said so. */
import type { DataConverter } from '@temporalio/common';
import { type Config, ConfigError } from '../config';
import { EncryptionCodec } from './encryption-codec';

export type EncryptionSettings = Pick<
  Config,
  'NODE_ENV' | 'PAYMENTS_ENCRYPTION_KEYS' | 'PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES'
>;

/**
 * The data converter of a client or a worker. A user's own codecs come before ours, which is added once however often
 * this is asked. Throws ConfigError in production without keys, unless histories in clear text were asked for.
 */
export function dataConverter(settings: EncryptionSettings, users: DataConverter = {}): DataConverter {
  const { PAYMENTS_ENCRYPTION_KEYS: keys } = settings;
  if (keys === undefined) {
    demandClearTextWasMeant(settings);
    return users;
  }
  const codecs = users.payloadCodecs ?? [];
  if (codecs.some((codec) => codec instanceof EncryptionCodec)) return users;
  return {
    ...users,
    failureConverterPath: users.failureConverterPath ?? require.resolve('./failure-converter'),
    payloadCodecs: [...codecs, new EncryptionCodec(keys)],
  };
}

function demandClearTextWasMeant(settings: EncryptionSettings): void {
  if (settings.NODE_ENV !== 'production' || settings.PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES) return;
  throw new ConfigError(
    'NODE_ENV is production and PAYMENTS_ENCRYPTION_KEYS is not set: Temporal would keep buyers’ data in clear text. Make a key with payment-gateway keys new, or set PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES=true to run without.',
  );
}
