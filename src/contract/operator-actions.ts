/** What a person can do about a workflow: the command to type, and the update to press in Temporal UI. Pure. */
import type { AfterSaleState } from './after-sale';
import { isSilence } from './attention';
import { namedByWorkflowId } from './ids';
import { outcomeOf } from './trade-status-table';

export interface OperatorAction {
  /** The purpose, as a part of a sentence. */
  what: string;
  command: string;
  /** The update, and its input if it takes one. */
  update: 'recheck' | 'resolve' | 'cancel';
  input: Readonly<Record<string, string | true>> | undefined;
}

/** Why a workflow waits for a person, and for which refund, if the reason is about one. */
export interface OperatorQuestion {
  attention: string;
  out_request_no?: string | undefined;
  /** The status of its trade, if known. */
  trade_status?: string | null | undefined;
  /** For an account: what the person is shown, as the decision has to name it. */
  shown?: string | undefined;
  /** Whether all that was paid has gone back, or is on its way: then nothing is left to deliver for. */
  all_goes_back?: boolean | undefined;
}

type Standing = { attention: string | null; refunds: AfterSaleState['refunds'] };

/** The number of the refund that an after-sale's attention is about; undefined if it is about the trade. */
export function refundInQuestion({ attention, refunds }: Standing): string | undefined {
  return attention === null ? undefined : refunds.find((one) => one.attention === attention)?.out_request_no;
}

/** Placeholders that a person has to replace. A decision that still has one is refused. */
export const TO_WRITE = { by: 'YOU', reason: 'WHY' } as const;

/** The fields of a decision, each with its option of `payment-gateway resolve`. */
const OPTIONS = {
  seen: '--seen',
  out_request_no: '--refund',
  outcome: '--outcome',
  refunded_elsewhere: '--elsewhere',
  account_id: '--account',
  all: '--all-events',
  by: '--by',
  reason: '--reason',
} as const;

const optionsOf = (input: NonNullable<OperatorAction['input']>): string =>
  Object.entries(OPTIONS)
    .flatMap(([name, option]) => (input[name] === true ? option : input[name] ? `${option} ${typed(input[name])}` : []))
    .join(' ');

/**
 * The actions on an open workflow, the mildest first; with a `question`, only those that settle its reason. Empty for a kind of workflow
 * that takes no decision. What the person has to replace is in capitals.
 */
export function operatorActions(workflowId: string, question?: OperatorQuestion): OperatorAction[] {
  const { kind = '' } = namedByWorkflowId(workflowId) ?? {};
  const { out_request_no: NUMBER = 'NUMBER', attention = 'REASON', shown: REASON = attention } = question ?? {};
  const known: Readonly<Record<string, string>> = { NUMBER, REASON };
  return (ACTIONS[kind] ?? [])
    .filter(({ settles }) => question === undefined || settles === undefined || settles(question))
    .map(({ what, update, says }) => {
      const filled = Object.entries(says ?? {}).map(([name, value]) => [name, known[String(value)] ?? value]);
      const input: OperatorAction['input'] = says && { ...Object.fromEntries(filled), ...TO_WRITE };
      return { what, update, command: commandOf(update, workflowId, input && optionsOf(input)), input };
    });
}

/** Whether a workflow of this kind takes the update, while it is open. */
export const takesUpdate = (update: OperatorAction['update'], workflowId: string): boolean =>
  (ACTIONS[namedByWorkflowId(workflowId)?.kind ?? ''] ?? []).some((one) => one.update === update);

type Template = Pick<OperatorAction, 'what' | 'update'> & {
  /** What the decision says besides who and why: `NUMBER` and `REASON` are filled in where they are known. Absent: no decision. */
  says?: Readonly<Partial<Record<keyof typeof OPTIONS, string | true>>>;
  /** Whether it settles this question; by default it settles every question. */
  settles?: (question: OperatorQuestion) => boolean;
};

const RECHECK: Template = { what: 'ask the gateway now', update: 'recheck' };
const SEEN: Template = { what: 'say that you have taken care of it', update: 'resolve', says: {} };
// A decision names the reason that the person saw: the second of two persons does not settle the next one, nor end what goes on meanwhile.
const LOOKED_AT: Template = { ...SEEN, says: { seen: 'REASON' } };
const END_REFUND: Template = {
  what: 'end the refund as REFUNDED, REFUND_REFUSED, REFUND_REVOKE or NOT_CREATED',
  update: 'resolve',
  says: { out_request_no: 'NUMBER', outcome: 'OUTCOME' },
};
const END_ORDER: Template = {
  what: 'say how the order has ended: SUCCESS (the gateway has its money), CANCEL, REFUSED or EXPIRED',
  update: 'resolve',
  says: { seen: 'REASON', outcome: 'OUTCOME' },
};
/** Nothing was sent, so the only outcome is NOT_CREATED. */
const GIVE_UP: Template = {
  ...END_REFUND,
  what: 'give the refund up, where it need not be made any more',
  says: { out_request_no: 'NUMBER', outcome: 'NOT_CREATED' },
};
/**
 * Reasons that a person settles by having looked: the payment goes on as it is. For the other reasons that only a person settles, the
 * payment waits for its outcome.
 */
const SETTLED_BY_LOOKING: readonly string[] = [
  ...['second-trade', 'unexpected-signal', 'unproven-trade', 'unlisted-transition', 'terminated'],
];

/** Whether a decision without an outcome settles this reason of an open payment. Another amount needs an outcome only once it is paid. */
export const isSettledByLooking = ({ attention, trade_status }: Omit<OperatorQuestion, 'out_request_no'>): boolean =>
  SETTLED_BY_LOOKING.includes(attention) ||
  (attention === 'amount-mismatch' && outcomeOf(trade_status ?? '') !== 'SUCCESS');

/** Whether `recheck` settles this reason once its cause is mended. For these, `resolve` would give up what can still be obtained. */
export const isSettledByAskingAgain = (attention: string): boolean =>
  isSilence(attention) || attention === 'undelivered-event';

const isOfRefund = ({ out_request_no }: OperatorQuestion) => out_request_no !== undefined;
/** Whether a person has to say how the order has ended: what the gateway calls it is not what was ordered, or not what was sold. */
const isOfOutcome = ({ attention }: OperatorQuestion) =>
  attention === 'amount-mismatch' || attention === 'unlisted-transition';
/** Without an outcome it counts as sold. */
const isOfLateMoney = ({ attention }: OperatorQuestion) => attention === 'late-payment';
const isOfMoneyGone = (question: OperatorQuestion) => isOfLateMoney(question) && question.all_goes_back === true;
const isOfElsewhere = ({ attention }: OperatorQuestion) => attention === 'refund-elsewhere';
/** Of a creation of an account: while the gateway is silent, it asks on, and takes no decision. */
const isOfLostAnswer = ({ attention }: OperatorQuestion) => !isSilence(attention);
const isOfUnsent = ({ attention }: OperatorQuestion) => attention === 'waiting-refund';
/** Questions of an after-sale that having looked does not answer. */
const LEFT_TO_OTHERS = [isOfRefund, isOfElsewhere, isOfOutcome, isOfMoneyGone];

const ACTIONS: Readonly<Record<string, readonly Template[]>> = {
  payment: [
    RECHECK,
    {
      ...LOOKED_AT,
      what: 'say that you have taken care of it, and let the payment go on',
      settles: isSettledByLooking,
    },
    // Without an outcome the payment goes on.
    {
      ...END_ORDER,
      what: 'end the payment now, as SUCCESS (the gateway has its money), CANCEL, REFUSED or EXPIRED, instead of letting it go on',
    },
    { what: 'withdraw it, where it was certainly not sent', update: 'cancel' },
  ],
  'app-attention': [SEEN],
  'after-sale': [
    RECHECK,
    {
      ...LOOKED_AT,
      settles: (question) => !LEFT_TO_OTHERS.some((isOf) => isOf(question)),
    },
    { ...END_ORDER, settles: (question) => isOfOutcome(question) || isOfLateMoney(question) },
    { ...END_REFUND, settles: (question) => isOfRefund(question) && !isOfUnsent(question) },
    { ...GIVE_UP, settles: isOfUnsent },
    {
      what: 'say how much went back by refunds that are not in the list',
      update: 'resolve',
      says: { refunded_elsewhere: 'AMOUNT' },
      settles: isOfElsewhere,
    },
  ],
  'stray-notification': [SEEN],
  'event-delivery': [
    { ...RECHECK, what: 'post the event again' },
    { ...SEEN, what: 'leave the event out' },
    { what: 'leave out all that wait', update: 'resolve', says: { all: true } },
  ],
  reconciliation: [SEEN],
  'stuck-sweep': [SEEN],
  'spei-account': [RECHECK, LOOKED_AT],
  'create-spei-account': [
    {
      what: 'name the account that it made',
      update: 'resolve',
      says: { account_id: 'ACCOUNT_ID' },
      settles: isOfLostAnswer,
    },
    { ...SEEN, what: 'say that there is none, and have it created again', settles: isOfLostAnswer },
  ],
  'spei-account-quantity': [RECHECK, { ...SEEN, what: 'say that you have seen it, until there are fewer' }],
};

/**
 * The runbook's words, with this order instead of `ORDER` in our commands, and in Temporal's commands the id of this workflow and of the
 * activity that is meant, if there is one.
 */
export function namedInCommands(words: string, workflowId: string, activityId = 'ID'): string {
  const isOfOrder = typeof namedByWorkflowId(workflowId)?.out_trade_no === 'string';
  return words
    .replaceAll('--workflow-id ID', () => `--workflow-id ${typed(workflowId)}`)
    .replaceAll('--activity-id ID', () => `--activity-id ${typed(activityId)}`)
    .replaceAll(/`payment-gateway (\w+) ORDER\b ?([^`]*)`/g, (command, verb: string, options: string) =>
      isOfOrder ? `\`${commandOf(verb, workflowId, options)}\`` : command,
    );
}

/**
 * A command on a workflow, as a person types it into a shell: an order is named by its number and app, which together are unique, and any
 * other workflow by its id.
 */
export function commandOf(verb: string, workflowId: string, options = ''): string {
  const { app_id = '', out_trade_no = null } = namedByWorkflowId(workflowId) ?? {};
  const target = typed(out_trade_no ?? workflowId);
  const app = out_trade_no === null ? [] : [`--app ${typed(app_id)}`];
  const more = options === '' ? [] : [options];
  // After `--` a word that begins like an option is not taken as one, and nothing else may follow.
  const words = out_trade_no?.startsWith('-') ? [...app, ...more, '--', target] : [target, ...app, ...more];
  return ['payment-gateway', verb, ...words].join(' ');
}

/** The text as a person types it into a shell, quoted if needed. */
function typed(text: string): string {
  return /^[\w.,:@/+][\w.,:@/+-]*$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`;
}
