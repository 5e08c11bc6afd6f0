/** The fields of a creation's response (section 4.1) and of a notification (section 6.5). */

// biome-ignore format: a table, read by columns
/** Response fields that only some methods have (4.1); wallets by the type of their channel. */
export const PAYMENT_DATA: Record<string, readonly string[]> = {
  pay_url:                 ['PIX', 'Boleto', 'DepositExpress', 'Lottery', 'OXXO', 'SPEI', 'Wallet QR', 'PSE', 'Efecty'],
  barcode:                 ['Boleto'],
  qr_code:                 ['PIX'],
  provider_owner:          ['DepositExpress'],
  provider_owner_document: ['DepositExpress'],
  provider_agency:         ['DepositExpress'],
  provider_number:         ['DepositExpress'],
  wallet_url:              ['Wallet QR', 'Wallet URL'],
  app_link_url:            ['Wallet QR'],
  bank_code:               ['Boleto'],
  bank_name:               ['SPEI'],
  reference:               ['SPEI'],
  clabe:                   ['SPEI'],
  beneficiary_name:        ['SPEI'],
  // In a sample, but in no table.
  service_url:             [],
};

/** The fields of a notification: longest length, and whether one character more is refused. Only required fields are refused. */
// biome-ignore format: a table, read by columns
export const NOTIFICATION: readonly (readonly [field: string, max: number | undefined, onePast: 'refused' | 'read'])[] = [
  ['app_id',                               32, 'refused'],
  ['trade_no',                             64, 'refused'],
  ['out_trade_no',                         64, 'refused'],
  ['out_request_no',                       64, 'read'],
  ['method',                               32, 'read'],
  // Gateways send states that are longer than the interface's 16 characters.
  ['trade_status',                         16, 'read'],
  ['currency',                             3,  'read'],
  ['amount',                               undefined, 'read'],
  ['user.name',                            undefined, 'read'],
  ['user.email',                           undefined, 'read'],
  ['user.phone',                           undefined, 'read'],
  ['user.identify.number',                 undefined, 'read'],
  ['user.identify.type',                   undefined, 'read'],
  ['card.card_no',                         undefined, 'read'],
  ['transfer_account.account_id',          undefined, 'read'],
  ['transfer_account.account_number',      undefined, 'read'],
  ['transfer_account.provider',            undefined, 'read'],
  ['transfer_account.buyer_id',            undefined, 'read'],
  ['transfer_account.transfer_timestamp',  undefined, 'read'],
  ['transfer_account.beneficiary_name',    undefined, 'read'],
];
