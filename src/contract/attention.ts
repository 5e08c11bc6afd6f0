/** Why something needs a person, and what the person has to do: the runbook. There are no other reasons. */

/** What a person has to know of a reason. docs/runbook.md, Temporal UI and `payment-gateway explain` show it. */
export interface RunbookEntry {
  readonly happened: string;
  /** Who loses what while nobody looks. */
  readonly loses: string;
  /** Where to look. */
  readonly look: string;
  /** What to do. */
  readonly act: string;
  /** What happens after that. */
  readonly after: string;
}

/** The entries by reason: of payments, after-sales, and notifications that could not be read. */
export const RUNBOOK = {
  'amount-mismatch': {
    happened: 'The gateway names another amount or currency than was ordered, or an amount that nobody can read.',
    loses: 'The merchant delivers for too little, or the buyer has paid too much.',
    look: 'Both amounts: on its page in Temporal UI, in `payment-gateway show`, and in the state (`mismatch` beside `order_amount`). Then the trade in the gateway’s dashboard.',
    act: 'Compare the two. Unpaid: send `resolve` without an outcome. Paid: send SUCCESS where you deliver for it, CANCEL where you do not and send the money back.',
    after:
      'An unpaid one goes on, and asks again if so paid. A paid one ends as you say. Nothing is sent back by itself: `payment-gateway refund ORDER`, or the dashboard.',
  },
  'late-payment': {
    happened:
      'Money came after the payment had ended without it, or after somebody had ended its workflow before any outcome was known.',
    loses: 'The buyer has paid and gets nothing, until somebody delivers or sends the money back.',
    look: 'Whether the order can still be delivered; `late_payment_refund` in the state where a refund was tried.',
    act: 'To deliver, send `resolve` without an outcome. Else first send `resolve` with CANCEL, then refund (`payment-gateway refund ORDER`, with `--with FILE` for the buyer’s data).',
    after:
      'The order counts as sold, or as CANCEL. After CANCEL, `payment-gateway list --owed` names the money until it has gone back.',
  },
  'unconfirmed-notification': {
    happened: 'A genuine notification says that this was paid, and the gateway’s own answer does not.',
    loses: 'The buyer waits for goods that may be paid; the merchant would deliver for nothing if it is not.',
    look: 'The trade in the gateway’s dashboard.',
    act: 'Wait, or send `resolve` where the dashboard is clear.',
    after: 'The gateway is asked on. A SUCCESS ends the payment without you.',
  },
  dispute: {
    happened: 'The buyer disputes this payment.',
    loses: 'The merchant loses the money if nobody answers in time.',
    look: 'The dispute in the gateway’s dashboard, which has its own date. `payment-gateway list --disputes` has the days that are left by PAYMENTS_DISPUTE_DEADLINE.',
    act: 'Answer it in the dashboard: your evidence goes there, not here. Send `resolve` once you have answered, or decided not to.',
    after: 'No refund is made meanwhile. The gateway’s word on the dispute is followed.',
  },
  chargeback: {
    happened: 'The bank has taken the money back.',
    loses: 'The merchant has lost the money, and also the goods if they are delivered now.',
    look: 'The trade in the gateway’s dashboard.',
    act: 'Do not deliver, and do not refund: the buyer has the money. Send `resolve` once that is done.',
    after: 'The reason is settled. A reversal of the chargeback is told anew.',
  },
  'chargeback-reversed': {
    happened: 'A chargeback was reversed: the money is yours again.',
    loses: 'The buyer has paid, and may still wait for what you held back.',
    look: 'Whether the order was delivered, in your shop.',
    act: 'Deliver what was held back. Send `resolve` once that is done.',
    after: 'The reason is settled.',
  },
  'refund-elsewhere': {
    happened:
      'The gateway shows, or may be showing, a refund that is not known here: made elsewhere, by a bank, or long forgotten.',
    loses: 'Nobody knows how much is left, so no refund is granted: the buyer may wait for one.',
    look: 'The trade’s refunds in the gateway’s dashboard.',
    act: 'Add up what went back by refunds that the list here lacks, or calls `NOT_CREATED`, then send the after-sale `resolve` with that amount: `0.00` where there are none.',
    after: 'The ledger is complete again, and refunds are granted up to what is left.',
  },
  'unknown-refund': {
    happened: 'Nothing shows whether the gateway made this refund, or something contradicts what we knew of it.',
    loses: 'The buyer waits for the money; the merchant would lose it twice if the refund were repeated.',
    look: 'The refund in the gateway’s dashboard, two minutes or more after it was sent: until then it may be on its way.',
    act: 'Send the after-sale `resolve` with the refund’s number and `REFUNDED`, `REFUND_REFUSED`, `REFUND_REVOKE` (came back) or `NOT_CREATED` (not there). Wait while it is under way.',
    after: 'The refund is never sent again by itself. The next refund of the trade, which waits meanwhile, goes on.',
  },
  'waiting-refund': {
    happened:
      'A refund has waited a week for its turn: the trade stays as it is (REFUND_VERIFYING, REFUND_PROCESSING, REFUND_REVOKE or CHARGEBACK_REVERSED), so nothing was sent.',
    loses: 'The buyer waits for the money.',
    look: 'The trade in the gateway’s dashboard: what it waits for.',
    act: 'Have that ended: a buyer confirms a refund that is verified, support ends what hangs. Or give the refund up: send the after-sale `resolve` with its number and `NOT_CREATED`.',
    after:
      'Once the trade moves on, the refund is sent by itself. One that was given up is free: where you refund in the dashboard instead, it shows as a refund made elsewhere.',
  },
  'second-trade': {
    happened: 'There is another trade under this order’s number (`other_trades` in the state).',
    loses: 'The buyer may have paid twice.',
    look: 'Both trades in the gateway’s dashboard.',
    act: 'Send back what is too much, once: another trade in the dashboard alone, since `refund` sends back the order’s own. Then send `resolve` without an outcome: a payment that is open goes on.',
    after: 'The reason is settled, and no list has the other trade’s money any more. That trade stays the gateway’s.',
  },
  'unproven-trade': {
    happened:
      'Nothing proves that the trade under this number is ours: its creation was refused, or had no answer, or only a notification names it. We go on with it as ours.',
    loses: 'Where another system made it, one of the two delivers for money that is the other’s.',
    look: 'The trade in the gateway’s dashboard, beside the order.',
    act: 'Compare the two, then send `resolve`.',
    after: 'The reason is settled, and the payment goes on or ends as you say.',
  },
  'no-answer': {
    happened:
      'The gateway, or Temporal where it is asked for earlier runs of the order, has not answered for as long as PAYMENTS_PATIENCE says (by default ten minutes).',
    loses: 'The buyer waits, and may have paid; an order that was not sent fails once its time is over.',
    look: 'The pending activity has the last words; then the gateway’s status page, Temporal’s visibility and our settings.',
    act: 'Bring the gateway or the network back. `recheck` asks at once.',
    after: 'The gateway is asked on. Its answer settles this without you.',
  },
  'unknown-outcome': {
    happened: 'The creation’s answer was lost, and the gateway does not show the order.',
    loses: 'The buyer may pay for an order that nobody here sees as created.',
    look: 'The order in the gateway’s dashboard.',
    act: 'Where it is there, wait or send `recheck`. Where it certainly is not, wait while it may be sent again, or send `resolve` with CANCEL.',
    after:
      'It is looked for, ever less often, and sent again under the same number while its time lasts. An answer of the gateway settles this.',
  },
  'never-ended': {
    happened: 'The gateway never ended this trade, so we call it EXPIRED. Nothing was paid as far as we know.',
    loses: 'Nobody yet: the buyer, if money is under way.',
    look: 'The trade in the gateway’s dashboard.',
    act: 'Send `resolve` once you have seen it.',
    after:
      'The trade is polled on while the gateway has it open, as long as any method may take: money that comes is noticed. The gateway’s end of it settles this too.',
  },
  'unknown-trade': {
    happened:
      'The gateway says that it does not know a trade that it made for this order, or that a notification names.',
    loses: 'The buyer may have paid for a trade that is counted nowhere.',
    look: 'The trade in the gateway’s dashboard (`trade_no`, or one of `other_trades` in the state), and whether our settings are of its app and its environment.',
    act: 'Correct the settings where they are not, and restart the worker. Else ask the gateway’s support, then send `resolve`: to an open payment with how it has ended.',
    after: 'It is looked for until you resolve it or the gateway knows it.',
  },
  'unlisted-transition': {
    happened:
      'The gateway reports a state that cannot follow what is known here, such as CANCEL of an order that is sold here: it was not believed.',
    loses: 'The merchant delivers although no money came, or the state here is behind the gateway’s.',
    look: 'The trade in the gateway’s dashboard, and whether the buyer has paid.',
    act: 'Send `recheck`; where the gateway keeps saying it, send `resolve` with the outcome that is true: CANCEL, too, where it was paid another way, such as in cash.',
    after: 'The order ends as you say; a payment that is open may go on.',
  },
  'unknown-status': {
    happened: 'The gateway reported a state that nobody here knows.',
    loses: 'The buyer and the merchant wait for an outcome that cannot be read.',
    look: 'The trade in the gateway’s dashboard.',
    act: 'Send `resolve`, and tell us the new state.',
    after: 'The payment ends as you say. Until then the gateway is asked on.',
  },
  credentials: {
    happened: 'The gateway refuses our credentials or our account.',
    loses: 'The merchant: every order of this app will fail.',
    look: 'GATEWAY_APP_ID and GATEWAY_SECRET_KEY of the worker, and the account in the dashboard.',
    act: 'Correct them and restart the worker. Then send `resolve`.',
    after: 'Orders that were refused are not sent again: the merchant sends them anew.',
  },
  settings: {
    happened:
      'The worker that took this lacks its app (GATEWAY_APPS_FILE, or GATEWAY_APP_ID with GATEWAY_SECRET_KEY) or the key of its secret (PAYMENTS_SEALING_JWKS): the gateway was not asked.',
    loses: 'The buyer waits, and may have paid; an order that was not sent fails once its time is over.',
    look: 'The pending activity names the worker, and the app or the key. Then the settings of each worker of the task queue.',
    act: 'Add it to that worker’s settings and restart it, or correct the app_id or key of whoever sends the orders. `recheck` asks at once.',
    after: 'A worker that has it goes on. The gateway’s answer settles this without you.',
  },
  'missing-activity': {
    happened:
      'No worker of the task queue could run an activity of this, or read its payload. The gateway was not asked.',
    loses: 'The buyer waits, and may have paid; an order that was not sent fails once its time is over.',
    look: 'The pending activity names the worker and the failure. Each worker needs the plugin, the same version and the same PAYMENTS_ENCRYPTION_KEYS.',
    act: 'Stop or mend the worker that lacks it. `recheck` asks at once.',
    after: 'A worker that has the activity goes on with it. The gateway’s answer settles this without you.',
  },
  'bare-secret': {
    happened: 'An order had a card token, PIN or card number that was not sealed. It was refused; nothing was sent.',
    loses: 'The card’s owner: this history holds the secret.',
    look: 'The sender of the order.',
    act: 'Have the sender seal it, and treat the secret as seen by others. Send `resolve`, and then delete the workflow that has the order in its input.',
    after: 'The order can be sent again, sealed, under the same number.',
  },
  'unexpected-signal': {
    happened: 'A signal was not taken: this workflow does not handle its name, or refuses what it says.',
    loses: 'Nobody yet: whoever sent it waits for something that does not happen.',
    look: 'The signal in this workflow’s history, and who sent it.',
    act: 'Find the sender, then send `resolve` without an outcome: a payment that is open goes on.',
    after: 'The signal stays in the history and changes nothing.',
  },
  'books-differ': {
    happened: 'A reconciliation found orders that are not the same here, at the gateway or in the merchant’s list.',
    loses: 'Whoever trusts the wrong side: a buyer who paid and gets nothing, or a merchant who delivers for nothing.',
    look: 'The list of differences in this workflow’s state, and each order with `payment-gateway show`.',
    act: 'Settle each difference: `recheck`, adopt what is missing, or correct the merchant’s books. Then send `resolve`.',
    after: 'The reconciliation ends. The next one looks anew.',
  },
  'stuck-payments': {
    happened: 'The sweep found open payments past their time, unsent for long, or that no worker has ever taken.',
    loses: 'Buyers and merchants wait for outcomes; unsent orders run out of their time.',
    look: 'Whether workers run. Then `payment-gateway list --stuck 1h`, and `payment-gateway show` of one of them.',
    act: 'Bring back what stands: workers, the gateway, or the network. `recheck --stuck 1h` asks for all at once.',
    after: 'This sweep looks again every ten minutes, until nothing is stuck: then it ends by itself.',
  },
  terminated: {
    happened:
      'Somebody terminated this payment, or its parent took it along, and the sweep has taken the order on again.',
    loses: 'The buyer may have paid, or may still pay, while nobody looked.',
    look: 'Who terminated it, and why, in the run before; the trade in the gateway’s dashboard.',
    act: 'Say by `resolve` that you have seen it, and it goes on; or end it with an outcome where the order is not wanted.',
    after: 'Money that came or comes is found as ever. A termination ends nothing at the gateway.',
  },
  'deposit-without-account': {
    happened:
      'A transfer to an account number (CLABE) was notified without the id of the account, and no order here has its number: no account counts it.',
    loses: 'The buyer, who has paid in and is not credited.',
    look: 'The account number in the notification, in the history of the payment, and the transfer in the gateway’s dashboard.',
    act: 'Credit the deposit in your books. Then send `resolve`.',
    after: 'The payment stays as the gateway confirmed it, and no account counts it.',
  },
  'unreadable-notification': {
    happened: 'A notification was genuinely signed and could not be read. Its bytes are in the input, in base64.',
    loses: 'The buyer may have paid, and the payment hears of it only by its next poll.',
    look: 'The trade in the gateway’s dashboard, and the bytes.',
    act: 'Take care of the trade, then send `resolve`.',
    after: 'The notification is done with.',
  },
  'undelivered-event': {
    happened:
      'An address of PAYMENTS_EVENTS_URL, or the handler onEvent, has not taken an event for as long as PAYMENTS_EVENTS_GIVE_UP says. Later events of the same payment wait.',
    loses: 'The merchant’s program does not hear that money came, or went back.',
    look: 'What the address answered, that the handler threw, or that a worker lacks it: on its page in Temporal UI, or `problem` in the state. Then the receiver’s log.',
    act: 'Mend the receiver or the handler, then `payment-gateway recheck --attention undelivered-event`. After a new address, too. `resolve` leaves the event out, with `--all-events` all that wait.',
    after: 'The event is told again, and after it those that wait, in their order.',
  },
} as const satisfies Record<string, RunbookEntry>;

/** Why a payment, a refund or a notification needs a person. */
export type Attention = keyof typeof RUNBOOK;

/** Reasons that say why the gateway has given no answer. Its next answer settles each of them. */
export const SILENCES = [
  'no-answer',
  'credentials',
  'settings',
  'missing-activity',
] as const satisfies readonly Attention[];

/** Why the gateway has given no answer. */
export type Silence = (typeof SILENCES)[number];

export const isSilence = (reason: unknown): reason is Silence => SILENCES.some((one) => one === reason);

/** Every reason, in the order of the runbook. */
export const ATTENTIONS = Object.keys(RUNBOOK).filter(isAttention);

export function isAttention(reason: string): reason is Attention {
  return Object.hasOwn(RUNBOOK, reason);
}

// — The wait of an order or an account for a person —

/** Who has taken on a wait for a person, so that nobody else begins with it. */
export interface Taken {
  by: string;
  note: string | null;
  /** ISO 8601, UTC. */
  time: string;
}

/** Why something waits for a person, since when (ms since the epoch), and who has taken it on. */
export interface Wait<Reason extends string = Attention> {
  readonly attention: Reason;
  readonly since: number;
  readonly taken: Taken | null;
}

/** The wait as the public states show it. */
export interface ShownWait {
  /** ISO 8601, UTC: since when it waits for a person for this reason; null if it does not wait. */
  attention_since: string | null;
  /** Who has taken the wait on; null if nobody has. */
  taken: Taken | null;
}

/** The update `take`: somebody takes on what waits for a person, with a note for others. A later `take` replaces an earlier one. */
export interface Taking {
  by: string;
  note?: string | undefined;
}

// — What Temporal says of a workflow that cannot go on, or was ended: then no code of ours runs that could say it —

/** The run that was ended goes on from where it was. */
export const RESET = '`temporal workflow reset --workflow-id ID --type LastWorkflowTask --reason WHY`';

export const TEMPORAL_RUNBOOK = {
  'failing-tasks': {
    happened:
      'The workflow’s task fails again and again: its worker cannot read it, or not run its code, or lacks `gateway.policy`.',
    loses: 'The buyer may have paid and waits; nothing of this order goes on.',
    look: '`payment-gateway show` has the worker’s last words; so has the view *Failures* in Temporal UI.',
    act: 'Give the worker what is missing: the key, the plugin’s activities, or the version of the code that began it. A key that is gone for good: docs/operations.md.',
    after:
      'The workflow goes on by itself within about ten minutes, with all that came to it meanwhile: Temporal tries ever less often.',
  },
  'paused-activity': {
    happened: 'Somebody has paused an activity of this workflow: it is not tried until somebody unpauses it.',
    loses: 'Nothing is asked or sent meanwhile. Deadlines hold all the same.',
    look: 'The pending activity in Temporal UI says who paused it, and why.',
    act: 'Unpause it: `temporal activity unpause --workflow-id ID --activity-id ID`, or in Temporal UI.',
    after: 'It is tried at once, and the reason is settled.',
  },
  'ended-from-outside': {
    happened: 'Somebody terminated this workflow, or its time ran out, and no later run goes on with it.',
    loses: 'Whoever it was for: a refund’s buyer, a deposit that nobody counts, a person who was to be asked.',
    look: 'Who ended it, and why, in its last event; what it waited for, in its page and in `payment-gateway show`.',
    act: `Leave a payment to the next sweep: it may still be paid. Else: ${RESET}, then \`recheck\` or \`resolve\`, as \`show\` says.`,
    after: 'The run that goes on needs a person for what is still open.',
  },
} as const satisfies Record<string, RunbookEntry>;

/** A reason that comes from Temporal, instead of `PaymentAttention`. */
export type TemporalAttention = keyof typeof TEMPORAL_RUNBOOK;

/** The reason of a workflow that is closed: lists of open workflows do not have it. */
export const ENDED_FROM_OUTSIDE = 'ended-from-outside' satisfies TemporalAttention;

/** The reason of a workflow whose task fails again and again. */
export const FAILING_TASKS = 'failing-tasks' satisfies TemporalAttention;

export const isTemporalAttention = (reason: string): reason is TemporalAttention =>
  Object.hasOwn(TEMPORAL_RUNBOOK, reason);

// — A reason for which every order of an app fails, until a person mends it —

export interface AppAttentionInput {
  app_id: string;
  attention: Attention;
}

/** The query `state` of `appAttention`, and what it returns. */
export interface AppAttentionState {
  app_id: string;
  /** Null once a person has said that the reason is mended. */
  attention: Attention | null;
  resolved: { by: string; reason: string; time: string } | null;
}

export type AppAttentionWorkflow = (input: AppAttentionInput) => Promise<AppAttentionState>;
