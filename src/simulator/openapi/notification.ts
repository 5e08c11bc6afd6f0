import type { Settings } from '../options';
import type { JsonSchemaObject } from '../rules/schema';
import { tradeStatuses } from '../trades/states';
import { record } from './answers';

const text = { type: 'string' };

/** The schema of a notification's body (the interface's 6.5, and what comes in the field besides). */
export function notificationSchema({ transferBuyerId, transferTimestamp }: Settings): JsonSchemaObject {
  const buyer_id = { ...text, description: 'The merchant’s id of the buyer.' };
  return record(
    {
      app_id: text,
      trade_no: { ...text, description: 'The service’s number of the order.' },
      out_trade_no: { ...text, description: 'The merchant’s own number; the service’s for a deposit.' },
      out_request_no: { ...text, description: 'Number of the refund; empty where there is none.' },
      method: { ...text, description: 'Empty where a checkout never got one.' },
      channel: text,
      trade_status: { ...text, enum: tradeStatuses },
      currency: text,
      amount: { ...text, description: 'The order’s amount as a decimal text.' },
      timestamp: { ...text, description: 'Unix seconds.' },
      user: {
        ...record({
          buyer_id,
          name: text,
          email: text,
          phone: text,
          ip: text,
          identify: record({ number: text, type: text }),
        }),
        description: 'The buyer; what is not known is an empty text.',
      },
    },
    {
      card: { ...record({ card_no: { ...text, description: 'Masked.' } }), description: 'CreditCard only.' },
      transfer_account: {
        ...record({
          account_id: text,
          account_number: text,
          provider: text,
          beneficiary_name: text,
          ...(transferBuyerId === 'present' ? { buyer_id } : {}),
          transfer_timestamp: {
            type: transferTimestamp === 'number' ? 'integer' : 'string',
            description: 'Unix seconds.',
          },
        }),
        description: 'The virtual account of a deposit.',
      },
    },
  );
}

/** What a merchant answers when it has the notification. */
export const acknowledgements = {
  'text/plain': { schema: { type: 'string', const: 'success' } },
  'application/json': { schema: record({ result: { type: 'string', const: 'success' } }) },
};
