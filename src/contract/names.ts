/** The names of workflows, updates, signals and queries. Merchants in any language use them, so they never change. */

export const WORKFLOW = {
  payment: 'payment',
  /** Follows an order after its payment: refunds, disputes, late money, and whatever waits for a person. */
  afterSale: 'afterSale',
  /** Waits for a person to mend a reason for which every order of an app fails. */
  appAttention: 'appAttention',
  strayNotification: 'strayNotification',
  createSpeiAccount: 'createSpeiAccount',
  speiAccount: 'speiAccount',
  speiAccountQuantity: 'speiAccountQuantity',
  /** Questions to the gateway that change nothing. */
  bankList: 'bankList',
  installments: 'installments',
  walletToken: 'walletToken',
  /** Posts events to an address, or gives them to the handler. */
  eventDelivery: 'eventDelivery',
  /** Compares a period of payments with the gateway, and with the merchant's list. */
  reconciliation: 'reconciliation',
  /** Looks for open payments that should have moved on. */
  stuckSweep: 'stuckSweep',
} as const;
/**
 * How long a workflow task may take, in ms, if Temporal's ten seconds are too short: an account may read thousands of deposits
 * at once.
 */
export const TASK_TIMEOUT_MS: { readonly [type: string]: number | undefined } = { [WORKFLOW.speiAccount]: 60_000 };
export const UPDATE = {
  created: 'created',
  recheck: 'recheck',
  resolve: 'resolve',
  refund: 'refund',
  cancel: 'cancel',
  take: 'take',
} as const;
export const SIGNAL = {
  notification: 'notification',
  deposit: 'deposit',
  /** Internal: a payment hands itself over to the order's after-sale, which runs already. */
  payment: 'payment',
  /** Internal: an after-sale that has begun before its payment’s end waits to be told of the end. */
  followed: 'followed',
  /** Internal: a creation tells an account, which a deposit has started, the key that it was created for. */
  keyed: 'keyed',
  /** Internal: more events for `eventDelivery`. */
  tell: 'tell',
} as const;
export const QUERY = {
  state: 'state',
  /** Of a reconciliation: its differences, in pages. */
  differences: 'differences',
  /** Internal: the standing of the deposits of an account with these numbers. */
  deposits: 'deposits',
  /** What a run would hand on, besides its state. Only a later run asks. */
  carried: 'carried',
  /** Internal: a run's facts, and what was concluded from each. People ask by `show --why`. */
  facts: 'facts',
} as const;
