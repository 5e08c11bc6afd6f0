/** The body of a notification (IPN, section 6.5). */
import { z } from 'zod';
import { parseExactBytes } from './json';
import { isId } from './pure/ids';
import { amountText } from './pure/money';

const id = (max?: number) =>
  z
    .union([z.string(), z.number()])
    .transform(String)
    .refine((text) => isId(text, max));
/** A field that no decision needs. Gateways send numbers instead of strings, and empty strings or null for absent fields. */
const optionalText = z
  .union([z.string(), z.number()])
  .transform((v) => (v === '' ? undefined : String(v)))
  .nullish()
  .transform((v) => v ?? undefined);

const notification = z.object({
  app_id: id(32),
  trade_no: id(),
  out_trade_no: id(),
  out_request_no: optionalText,
  method: optionalText,
  // The interface says 16 characters, but gateways send longer states.
  trade_status: z.string().min(1).max(64),
  currency: optionalText,
  amount: optionalText.transform((text) => text && amountText(text)),
  timestamp: optionalText,
  transfer_account: z
    .literal('')
    .transform(() => undefined)
    .or(
      z.object({
        // The account's workflow is named by it. Without a usable id, a person finds out whose deposit it is.
        account_id: optionalText.transform((text) => (text !== undefined && isId(text) ? text : undefined)),
        account_number: optionalText,
        provider: optionalText,
        buyer_id: optionalText,
        transfer_timestamp: optionalText,
        beneficiary_name: optionalText,
      }),
    )
    .nullish()
    .transform((account) => account ?? undefined),
});

/**
 * A notification as workflows get it. `user` and `card` are left out: they are personal data, and no decision needs them.
 * `amount` is a decimal string in currency units, or what the gateway writes in its place.
 */
export type Notification = z.infer<typeof notification>;

/** Reads the bytes of a notification; undefined if they are not one. Check the signature first. */
export function readNotification(bytes: Uint8Array): Notification | undefined {
  try {
    return notification.parse(parseExactBytes(bytes));
  } catch {
    return undefined;
  }
}
