/** The one line that Temporal UI shows of a workflow from its start on, without anything personal, and the words for our activities. */

interface Started {
  kind?: unknown;
  out_trade_no?: unknown;
  trade_no?: unknown;
  request?: unknown;
}

/** The static summary of a payment, `PIX 150.00 BRL · order-123`, or of an after-sale, whose input has no order. */
export function startSummary({ kind, out_trade_no, trade_no, request }: Started): string {
  const {
    method,
    order_amount,
    order_currency,
    out_trade_no: ordered,
  }: Record<string, unknown> = { ...asObject(request) };
  const name = [ordered, out_trade_no, trade_no].find((one) => typeof one === 'string') ?? 'a trade';
  if (kind === undefined && name === out_trade_no) return `After payment ${name}`;
  if (kind === 'adopt') return `Taken on · ${name}`;
  const money = [method, order_amount, order_currency].filter(
    (one) => typeof one === 'string' || typeof one === 'number',
  );
  return [money.join(' '), String(name)].filter(Boolean).join(' · ');
}

/** The forms of all summaries that our workflows give to timers, to other workflows and to their own runs. */
const OURS = [
  /^[A-Za-z]+ [\d.]+ [A-Z]{3} · \S+$/,
  /^[\d.]+ [A-Z]{3}( · \S+)?$/,
  /^(Taken on ·|After payment) \S+$/,
  /^Orders of \S+ fail$/,
  /^Events of \S+ (that the handler has not taken yet|for \S+)$/,
  /^(Reconciliation of \S+|Sweep for stuck payments)$/,
  /^(until|before|how long|callers of) [a-z_ ]+(: then the gateway is asked)?$/,
  /^sends the order: [\w.\- ]+$/,
  /^(the deadline, where the poll is held up|a person has ended the (look|post): before it is made again)$/,
  /^(watch|recheck|refund|looked at|canceled|followed)$/,
];

/** Whether a text is one of our summaries, which hold nothing personal. A merchant's own memo is not one. */
export const isOurSummary = (text: string): boolean => OURS.some((form) => form.test(text));

const asObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});

/** What our activities do, in words for people: the command line shows them, too. */
const WORDS: Readonly<Record<string, string>> = {
  'gateway.create': 'sends the order to the gateway',
  'gateway.look': 'asks the gateway for the trade',
  'gateway.glance': 'asks the gateway for the trade, for a moment',
  'gateway.find': 'looks for the trade at the gateway',
  'gateway.watch': 'asks the gateway now and then whether the trade has moved on',
  'gateway.refund': 'sends the refund to the gateway',
  'gateway.create-account': 'creates the virtual account at the gateway',
  'gateway.find-account': 'asks the gateway for the virtual account',
  'gateway.cancel-account': 'cancels the virtual account at the gateway',
  'gateway.account-quantity': 'asks the gateway how many virtual accounts are left',
  'gateway.account-policy': 'reads the worker’s settings',
  'gateway.watch-account': 'asks the gateway now and then for the virtual account',
  'gateway.watch-account-quantity': 'asks the gateway how many virtual accounts are left',
  'payments.knownBefore': 'reads what Temporal knows of the trade',
  'payments.earlierRuns': 'reads what earlier runs knew of the order',
  'payments.noticeReset': 'notices where somebody resets the workflow',
  'payments.account-before': 'reads what the account knew before it was terminated',
  'payments.account-of-creation': 'looks for the account that an earlier creation made',
  'payments.account-holder': 'asks whether the account is that of another key',
  'payments.ended-payment': 'waits for the end of the deposit’s payment',
  'payments.tell-order': 'asks whether an order has the number of this deposit, and tells it',
  'payments.deposit-owner': 'asks which account has this deposit',
  'payments.reconcile': 'compares payments with the gateway, order by order',
  'payments.adopt': 'takes on orders that are missing here',
  'payments.sweep': 'counts what is stuck, and what needs a person',
  'payments.onEvent': 'tells the merchant’s handler',
  'payments.created': 'waits for the answer to the payment’s creation',
  'payments.refunded': 'asks for the refund and waits for its answer',
  'payments.postEvents': 'posts events to the merchant’s address',
  'gateway.banks': 'asks the gateway for the banks of a method',
  'gateway.installments': 'asks the gateway for installments',
  'gateway.wallet-token': 'asks the gateway for a wallet’s client token',
};

/** What an activity does; the name of an activity that is not ours. */
export const activityWords = (activity: string): string => WORDS[activity] ?? activity;
