import { z } from 'zod';

/** The states a refund can be in; its trade shows the same one. */
export const refundStatuses = [
  'REFUND_VERIFYING',
  'REFUND_PROCESSING',
  'REFUNDED',
  'PARTIAL_REFUND',
  'REFUND_REFUSED',
  'REFUND_REVOKE',
] as const;

const status = z.enum(refundStatuses);
const time = z.number();

/** A refund as the simulator keeps it. A schema, since the data file is read back with it. */
export const refundSchema = z.object({
  refund_id: z.string(),
  app_id: z.string(),
  trade_no: z.string(),
  out_trade_no: z.string(),
  /** The merchant's number; `null` where there was none, or where a bank forced the refund. */
  out_request_no: z.string().nullable(),
  refund_currency: z.string(),
  /** Always two decimals, never a float. */
  refund_amount: z.string(),
  refund_status: status,
  /** Where the money goes; the account itself is never kept. */
  goes_to: z.enum(['account', 'clabe', 'source']),
  /** A bank gave the money back without being asked by the merchant. */
  forced: z.boolean(),
  created_at: time,
  updated_at: time,
  /** When the present state ends by itself; `null` when it does not. */
  due_at: time.nullable(),
  /** Proves that a button was pressed on the buyer's page and not by another site. */
  page_nonce: z.string(),
  history: z.array(z.object({ status, at: time })),
});

/** A refund of the simulated gateway. */
export type Refund = z.output<typeof refundSchema>;

/** A state of a refund. */
export type RefundStatus = Refund['refund_status'];

/** Whether a refund is still on its way. */
export function isPending(status: RefundStatus): boolean {
  return status === 'REFUND_VERIFYING' || status === 'REFUND_PROCESSING';
}

/** The address of a refund's page, where the buyer says which account the money goes to. */
export function refundPageAddress(publicUrl: string, refundId: string): string {
  return `${publicUrl}/refund?refund_id=${encodeURIComponent(refundId)}`;
}
