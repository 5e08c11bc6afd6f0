/** The names in the tables of sections 4, 6.5 and 8, copied from them. The table test must have a row for each. */

/** The request fields of each operation (section 4), and the two of every request (2.1). */
export const REQUEST_FIELDS: Record<string, string> = {
  any: 'app_id timestamp',
  '/trade/pay': `
    out_trade_no method channel order_currency order_amount subject content notify_url return_url buyer_id timeout_express
    cancellation_express token issuer bank customer.name customer.email customer.phone customer.identify.number
    customer.identify.type address.zip_code address.state address.city address.street_number address.street
    address.neighborhood ip language_code installments fingerprint account_number account_verification_code region`,
  '/trade/create': `
    out_trade_no channel order_currency order_amount subject content notify_url return_url buyer_id timeout_express
    cancellation_express method trade_type regions version`,
  '/trade/refund': `
    trade_no out_trade_no out_request_no refund_currency refund_amount refund_reason user_info.identify.number
    user_info.identify.type user_info.name user_info.email user_info.phone platform_type bank_info.bank_id
    bank_info.bank_name bank_info.agency bank_info.type bank_info.number`,
  '/trade/query': 'out_trade_no trade_no',
  '/trade/bank-list': 'method type region',
  '/trade/installments': 'currency amount',
  '/trade/get-wallet-client-token': 'region',
  '/virtual-account/spei/create': `
    notify_url customer.buyer_id customer.email customer.name customer.phone customer.identify.number
    customer.identify.type`,
  '/virtual-account/spei/cancel': 'account_id',
  '/virtual-account/spei/query': 'account_id',
  '/virtual-account/spei/quantity': 'account_id',
};

/** The response fields of each operation (section 4). */
export const ANSWER_FIELDS: Record<string, string> = {
  '/trade/pay': `
    code msg sub_code sub_msg out_trade_no trade_no trade_status pay_url barcode qr_code provider_owner
    provider_owner_document provider_agency provider_number wallet_url app_link_url bank_code bank_name reference clabe
    beneficiary_name service_url`,
  '/trade/create': 'code msg sub_code sub_msg out_trade_no trade_no web_url',
  '/trade/refund': 'code msg sub_code sub_msg out_trade_no trade_no refund_currency refund_amount refund_status',
  '/trade/query': 'code msg out_trade_no trade_no trade_status order_amount order_currency',
  '/trade/bank-list': `
    code msg data data.bank_id data.bank_name data.language_code data.channel data.logo data.currency data.min_amount`,
  '/trade/installments': 'code msg fee fee.stage fee.amount_each fee.amount fee.rate',
  '/trade/get-wallet-client-token': 'code msg token',
  '/virtual-account/spei/create': `
    code msg sub_code sub_msg account_id account_number provider status notify_url beneficiary_name`,
  '/virtual-account/spei/cancel': `
    code msg sub_code sub_msg account_id account_number provider status notify_url beneficiary_name`,
  '/virtual-account/spei/query': `
    code msg sub_code sub_msg account_id account_number provider status notify_url beneficiary_name`,
  '/virtual-account/spei/quantity': 'code msg sub_code sub_msg available_quantity',
};

/** The fields of a notification (section 6.5). */
export const NOTIFICATION_FIELDS = `
  app_id trade_no out_trade_no out_request_no method trade_status currency amount user.name user.email user.phone
  user.identify.number user.identify.type card.card_no transfer_account.account_id transfer_account.account_number
  transfer_account.provider transfer_account.buyer_id transfer_account.transfer_timestamp
  transfer_account.beneficiary_name`;

const ORDERS = ['/trade/pay', '/trade/create'];
const REFUND = ['/trade/refund'];
const AMOUNT = '0.01 to 99999999999999.99';

/** The lines of section 8: the limit, the operations and their fields. The retries of notifications are in test/simulator/notifications.test.ts. */
export const LIMITS: readonly (readonly [limit: string | number, paths: readonly string[], fields: string])[] = [
  [AMOUNT, ORDERS, 'order_amount'],
  [AMOUNT, REFUND, 'refund_amount'],
  ['0.01 to 99999999.99', ['/trade/installments'], 'amount'],
  [32, ['any'], 'app_id'],
  [19, ['any'], 'timestamp'],
  [64, ORDERS, 'out_trade_no'],
  [64, [...REFUND, '/trade/query'], 'out_trade_no trade_no'],
  [32, ORDERS, 'method channel'],
  [128, ORDERS, 'subject'],
  [255, ORDERS, 'content'],
  [255, ORDERS, 'notify_url return_url'],
  [128, ORDERS, 'buyer_id'],
  ['3 days', ORDERS, 'cancellation_express'],
  [16, REFUND, 'out_request_no'],
  [16, REFUND, 'user_info.identify.number user_info.identify.type'],
  [64, REFUND, 'user_info.name user_info.email user_info.phone'],
  [64, REFUND, 'bank_info.bank_id bank_info.bank_name bank_info.agency bank_info.type bank_info.number'],
  ['10 to 18 digits', ['/trade/pay'], 'account_number'],
  ['4 digits', ['/trade/pay'], 'account_verification_code'],
  [1, ['/trade/bank-list'], 'type'],
];

/** The names of one of the texts above, as a list. */
export const names = (text: string) => text.trim().split(/\s+/);
