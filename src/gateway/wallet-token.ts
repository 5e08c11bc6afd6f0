/** Wallet client token: `/trade/get-wallet-client-token` (section 4.7). */
import { z } from 'zod';
import * as f from './fields';
import type { Operation } from './operation';
import { textField } from './response';
import { REGION_REQUIRED } from './shared-rules';

const walletTokenRequest = z.strictObject({ region: f.text(f.MOST.region).optional() });

/** The body of the request without `app_id` and `timestamp`. */
export type WalletTokenRequest = z.infer<typeof walletTokenRequest>;

/** The operation at a path of the settings. Its result is the token for the wallet provider's client component. */
export const walletTokenOperation = (path: string): Operation<WalletTokenRequest, string> => ({
  rules: { operation: path, shape: walletTokenRequest, required: [REGION_REQUIRED], cross: [] },
  ownFields: ['token'],
  about: () => 'a wallet’s client token',
  read: (answer) => textField(answer, 'token'),
});
