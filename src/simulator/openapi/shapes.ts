import { z } from 'zod';
import type { OperationName } from '../faults/faults';
import { namesOf } from '../names';
import { accountStates, refundStates, tradeStates } from '../records';
import { methodTable, paymentFields, type WalletKind, walletKinds } from '../rules/methods';
import { refusalCodes } from '../rules/refusal';
import type { Settings } from '../settings';

const text = (means: string) => z.string().describe(means);

const order = {
  out_trade_no: text('The merchant’s own number of the order.'),
  trade_no: text('The service’s number of the order.'),
};
const trade_status = z.enum(tradeStates).describe('State of the order.');
const method = text('Payment method. Empty in an answer while a checkout leaves it open.');
const currency = text('Currency code.');
const account = {
  account_id: text('Id of the virtual account.'),
  account_number: text('Its CLABE.'),
  provider: text('Channel.'),
  beneficiary_name: text('Owner of the CLABE.'),
};
const buyer_id = text('The merchant’s id of the buyer.');
const accountAnswer = {
  ...account,
  status: z.enum(accountStates).describe('State of the virtual account.'),
  notify_url: text('Where notifications are posted to.'),
};
const bank = z.object({
  bank_id: text('What a direct creation takes as `bank`.'),
  bank_name: text('Name of the bank.'),
  language_code: text('Language of the bank.'),
  channel: text('Channel of the bank.'),
  logo: z.url().describe('Address of the bank’s logo.'),
  currency,
  min_amount: text('The smallest amount, as a decimal text.'),
});

/** The schema of an operation's success. Later versions may add fields. */
export function answerSchema(name: OperationName, settings: Settings): z.ZodObject {
  const isBare = settings.accountAnswers === 'bare' && name.startsWith('account');
  const envelope = { code: z.literal('10000'), msg: z.literal('Success') };
  return z.object({ ...(isBare ? {} : envelope), ...answerFields(settings)[name] });
}

function answerFields({ queryAmount, bankListData }: Settings): Record<OperationName, z.ZodRawShape> {
  const decimal = (means: string) => (queryAmount === 'number' ? z.number() : z.string()).describe(means);
  const installment = z.object({
    stage: z.int().describe('Number of installments.'),
    amount_each: decimal('What each installment costs.'),
    amount: decimal('Amount of all installments.'),
    rate: decimal('Rate of the fee.'),
  });
  return {
    pay: { ...order, trade_status, ...paymentData },
    create: { ...order, web_url: text('The checkout page to which the buyer is sent.') },
    refund: {
      ...order,
      refund_currency: currency,
      refund_amount: decimal('Amount to give back.'),
      refund_status: z.enum(refundStates).describe('State of the refund.'),
    },
    query: {
      ...order,
      trade_status,
      order_amount: decimal('Amount to pay.'),
      order_currency: currency,
      method,
      create_time: text('When the order was created: `yyyy-MM-dd HH:mm:ss`, UTC.'),
      update_time: text('When its state changed last, or empty.'),
    },
    'bank-list': { data: bankListData === 'list' ? z.array(bank) : z.union([bank, z.strictObject({})]) },
    installments: { fee: z.array(installment) },
    'wallet-token': { token: text('A client token for the buyer’s browser.') },
    'account-create': accountAnswer,
    'account-cancel': accountAnswer,
    'account-query': accountAnswer,
    'account-quantity': { available_quantity: z.int().describe('Number of accounts that are still available.') },
  };
}

const paymentData = Object.fromEntries(
  Object.entries(paymentFields).map(([field, { means }]) => {
    return [field, text(`${means} For ${payersWith(field).join(', ')}.`).optional()];
  }),
);

function payersWith(field: string): string[] {
  const wallets = namesOf(walletKinds).map((kind) => [`Wallet ${kind}`, walletKinds[kind]] as const);
  const payers: (readonly [string, Pick<WalletKind, 'answers'>])[] = [...Object.entries(methodTable), ...wallets];
  return payers.filter(([, { answers }]) => answers.some((one) => one === field)).map(([name]) => name);
}

/** The schema of a refusal. */
export const refusalSchema = z
  .object({
    code: z.enum(namesOf(refusalCodes)),
    msg: z.enum(Object.values(refusalCodes)).describe('The meaning of the code.'),
    sub_code: text('The name of the field that is wrong, or a code.'),
    sub_msg: text('The same as a sentence.'),
  })
  .describe('The service refuses the request.');

/** The schema of a notification's body: section 6.5 of the interface, and what real gateways add. */
export function notificationBodySchema({ transferBuyerId, transferTimestamp }: Settings): z.ZodObject {
  const timestamp = transferTimestamp === 'number' ? z.int() : z.string();
  const transfer = {
    ...account,
    ...(transferBuyerId === 'present' ? { buyer_id } : {}),
    transfer_timestamp: timestamp.describe('When the money came in: Unix seconds.'),
  };
  const identify = { number: text('Number of the identity document.'), type: text('Kind of that document.') };
  const user = {
    buyer_id,
    name: text('The buyer’s name.'),
    email: text('The buyer’s email address.'),
    phone: text('The buyer’s phone number.'),
    ip: text('The buyer’s IP address.'),
    identify: z.object(identify),
  };
  return z.object({
    app_id: text('Id of the application.'),
    ...order,
    out_request_no: text('The merchant’s own number of the refund. Empty in a notification without a refund.'),
    method,
    channel: text('Sub-channel of a wallet.'),
    trade_status,
    currency,
    amount: text('Amount of the order.'),
    timestamp: text('Unix seconds.'),
    user: z.object(user),
    card: z.object({ card_no: text('Masked number of the card.') }).optional(),
    transfer_account: z.object(transfer).optional(),
  });
}
