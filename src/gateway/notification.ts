/** The body of a notification, IPN for short (section 6.5). */
import { z } from 'zod';
import { parseExactBytes } from './json';

/** An id of at most `max` characters, counted as those of an order are. */
const id = (max: number) =>
  z
    .union([z.string(), z.number()])
    .transform(String)
    .refine((s) => s !== '' && [...s].length <= max);
/** Gateways send numbers where the interface says string, and empty strings for what they do not have. */
const loose = z
  .union([z.string(), z.number()])
  .transform((v) => (v === '' ? undefined : String(v)))
  .nullish()
  .transform((v) => v ?? undefined);

const notification = z.object({
  app_id: id(32),
  trade_no: id(64),
  out_trade_no: id(64),
  out_request_no: loose,
  method: loose,
  // The interface says 16 characters; states of the field are longer.
  trade_status: z.string().min(1).max(64),
  currency: loose,
  amount: loose,
  timestamp: loose,
  transfer_account: z
    .literal('')
    .transform(() => undefined)
    .or(
      z.object({
        account_id: loose,
        account_number: loose,
        provider: loose,
        buyer_id: loose,
        transfer_timestamp: loose,
        beneficiary_name: loose,
      }),
    )
    .nullish()
    .transform((account) => account ?? undefined),
});

/**
 * A notification as workflows see it: without `user` and `card`, which are personal data that no decision needs.
 * `amount` is a decimal string in currency units.
 */
export type Notification = z.infer<typeof notification>;

/** Reads the bytes of a notification whose signature holds; undefined where they cannot be one. */
export function readNotification(bytes: Uint8Array): Notification | undefined {
  try {
    return notification.parse(parseExactBytes(bytes));
  } catch {
    return undefined;
  }
}
