/** Where the money of a refund goes, by the method of its order (section 4.3). Pure. */

const BY_METHOD: readonly (readonly [methods: readonly string[], to: string])[] = [
  [['PIX', 'Boleto', 'Lottery', 'DepositExpress'], 'a bank account'],
  [['SPEI'], 'a bank account (CLABE)'],
];

/** The buyer's bank account that a refund by this method needs, which no order has; undefined if the interface names none. */
export const refundNeedsAccount = (method: string | null): string | undefined =>
  BY_METHOD.find(([methods]) => methods.some((one) => one.toLowerCase() === method?.toLowerCase()))?.[1];
