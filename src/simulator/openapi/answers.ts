import { refusals } from '../operations/answers';
import type { Settings } from '../options';
import { refundStatuses } from '../refunds/refund';
import { type MethodName, methods, type PaymentField, paymentFields, walletAnswers } from '../rules/methods';
import type { JsonSchema, JsonSchemaObject } from '../rules/schema';
import { tradeStatuses } from '../trades/states';

const text = (description: string): JsonSchemaObject => ({ type: 'string', description });
const oneOf = (values: readonly string[], description: string): JsonSchemaObject => ({
  type: 'string',
  enum: values,
  description,
});
const decimal = ({ queryAmount }: Settings, description: string): JsonSchemaObject =>
  queryAmount === 'number' ? { type: 'number', description } : { type: 'string', description };

const out_trade_no = text('The merchant’s own number of the order.');
const trade_no = text('The service’s number of the order.');
const trade_status = oneOf(tradeStatuses, 'State of the order.');

/** What the fields of payment data hold; for which methods they come, the table of methods says. */
const paymentMeanings: Readonly<Record<PaymentField, string>> = {
  pay_url: 'The page on which the buyer pays, and later sees what became of it.',
  barcode: 'The barcode’s 44 digits.',
  bank_code: 'The line of digits that a buyer types.',
  qr_code: 'What the QR code says; it can be copied and pasted, too.',
  provider_owner: 'Owner of the account to pay into.',
  provider_owner_document: 'The owner’s document.',
  provider_agency: 'Branch of the account.',
  provider_number: 'Number of the account.',
  wallet_url: 'Address of the QR code’s picture, or of the wallet’s page.',
  app_link_url: 'Opens the wallet’s app on a phone.',
  bank_name: 'Bank of the CLABE.',
  reference: 'Reference of the transfer.',
  clabe: 'The CLABE to pay to.',
  beneficiary_name: 'Owner of the CLABE.',
};

/** The fields of each operation's success, besides `code` and `msg`. */
export const answerFields = {
  pay: () => ({ required: { out_trade_no, trade_no, trade_status }, optional: paymentData() }),
  create: () => ({
    required: { out_trade_no, trade_no, web_url: text('The checkout page to which the buyer is sent.') },
  }),
  refund: (settings: Settings) => ({
    required: {
      out_trade_no,
      trade_no,
      refund_currency: text('Currency code.'),
      refund_amount: decimal(settings, 'Amount that is given back.'),
      refund_status: oneOf(refundStatuses, 'State of the refund.'),
    },
  }),
  query: (settings: Settings) => ({
    required: {
      out_trade_no,
      trade_no,
      trade_status,
      order_amount: decimal(settings, 'Amount to pay.'),
      order_currency: text('Currency code.'),
      method: text('Payment method; empty while a checkout leaves it open.'),
      create_time: text('`yyyy-MM-dd HH:mm:ss`, UTC.'),
      update_time: text('Likewise; empty where nothing has happened yet.'),
    },
  }),
  bankList: ({ bankListData }: Settings) => ({
    required: { data: bankListData === 'list' ? { type: 'array', items: bank } : { anyOf: [bank, noBank] } },
  }),
  installments: (settings: Settings) => ({
    required: {
      fee: {
        type: 'array',
        items: record({
          stage: { type: 'integer', description: 'Number of installments.' },
          amount_each: decimal(settings, 'What each costs.'),
          amount: decimal(settings, 'What all cost.'),
          rate: decimal(settings, 'Rate of the fee.'),
        }),
      },
    },
  }),
  walletToken: () => ({ required: { token: text('Client token for the wallet’s component in the browser.') } }),
  account: () => ({
    required: {
      account_id: text('Id of the virtual account.'),
      account_number: text('The virtual account itself: a CLABE.'),
      buyer_id: text('The merchant’s id of the buyer.'),
      provider: text('Channel.'),
      status: oneOf(['ACTIVE', 'CANCELED'], 'State of the virtual account.'),
      beneficiary_name: text('Owner of the CLABE.'),
      notify_url: text('Where its notifications are posted to.'),
    },
  }),
  quantity: () => ({ required: { available_quantity: { type: 'integer', description: 'Accounts still available.' } } }),
} as const satisfies Record<string, (settings: Settings) => AnswerFields>;

/** The name of a shape of success. */
export type AnswerName = keyof typeof answerFields;

interface AnswerFields {
  required: Readonly<Record<string, JsonSchema>>;
  optional?: Readonly<Record<string, JsonSchema>>;
}

/** The schema of an operation's success. Other fields may come with later versions. */
export function answerSchema(name: AnswerName, settings: Settings): JsonSchemaObject {
  const { required, optional = {} }: AnswerFields = answerFields[name](settings);
  const envelope = { code: { type: 'string', const: '10000' }, msg: { type: 'string', const: 'Success' } };
  // Published samples of answers about virtual accounts have neither.
  const isBare = settings.accountAnswers === 'bare' && (name === 'account' || name === 'quantity');
  return record(isBare ? required : { ...envelope, ...required }, optional);
}

/** The schema of a refusal. */
export const refusalSchema: JsonSchemaObject = {
  ...record({
    code: oneOf(Object.keys(refusals), 'Kind of refusal.'),
    msg: oneOf([...new Set(Object.values(refusals))], 'What that kind is called.'),
    sub_code: text('The name of the field that is wrong, or a code of its own.'),
    sub_msg: text('The same as a sentence.'),
  }),
  description: 'The service says no.',
};

/** An object with these fields. */
export function record(
  required: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchemaObject {
  return { type: 'object', required: Object.keys(required), properties: { ...required, ...optional } };
}

const bank = record({
  bank_id: text('What a direct creation takes as `bank`.'),
  bank_name: text('Name of the bank.'),
  language_code: text('Language of the bank.'),
  channel: text('Channel of the bank.'),
  logo: { type: 'string', format: 'uri', description: 'Address of the bank’s logo.' },
  currency: text('Currency code.'),
  min_amount: text('Least amount, as a decimal text.'),
});
const noBank = { type: 'object', maxProperties: 0 };

function paymentData(): Record<string, JsonSchema> {
  return Object.fromEntries(
    paymentFields.map((field) => [field, text(`${paymentMeanings[field]} For ${payersOf(field).join(', ')}.`)]),
  );
}

function payersOf(field: PaymentField): string[] {
  const answers = (given: readonly PaymentField[]) => given.includes(field);
  const ofMethods = Object.entries<{ answers: readonly PaymentField[] }>(methods satisfies Record<MethodName, unknown>)
    .filter(([, { answers: given }]) => answers(given))
    .map(([name]) => name);
  const ofWallets = Object.entries(walletAnswers)
    .filter(([, given]) => answers(given))
    .map(([kind]) => `Wallet ${kind}`);
  return [...ofMethods, ...ofWallets];
}
