/** The paths of the gateway's operations, each under the name of its call of the client. */
export const PATH = {
  pay: '/trade/pay',
  createCheckout: '/trade/create',
  query: '/trade/query',
  refund: '/trade/refund',
  banks: '/trade/bank-list',
  installments: '/trade/installments',
  /** The default: the real path contains the name of the wallet provider, so it is a setting. */
  walletToken: '/trade/get-wallet-client-token',
  createSpeiAccount: '/virtual-account/spei/create',
  cancelSpeiAccount: '/virtual-account/spei/cancel',
  querySpeiAccount: '/virtual-account/spei/query',
  speiAccountQuantity: '/virtual-account/spei/quantity',
} as const;
