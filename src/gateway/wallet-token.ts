/** Wallet client token: `/trade/get-wallet-client-token` (section 4.7). */
import { z } from 'zod';
import { field } from './answers';
import * as f from './fields';
import type { Operation } from './operation';
import { REGION_REQUIRED } from './shared-rules';

/** The real path carries the wallet provider's name, so it is a setting. */
export const WALLET_TOKEN_PATH = '/trade/get-wallet-client-token';

const walletTokenRequest = z.strictObject({ region: f.text().optional() });

/** The body of the request without `app_id` and `timestamp`. */
export type WalletTokenRequest = z.infer<typeof walletTokenRequest>;

/** The operation at the path that the settings give. Its result is the token for the wallet provider's client component. */
export const walletToken = (path: string): Operation<WalletTokenRequest, string> => ({
  rules: { operation: path, shape: walletTokenRequest, required: [REGION_REQUIRED], cross: [] },
  ownFields: ['token'],
  about: () => 'a wallet’s client token',
  read: (answer) => field(answer, 'token'),
});
