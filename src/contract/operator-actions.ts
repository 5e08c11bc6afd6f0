/** What a person can do about a workflow: the command to type, and the update to press in Temporal UI. Pure. */
import { namedByWorkflowId } from './ids';

export interface OperatorAction {
  /** What it is for, as a part of a sentence. */
  what: string;
  command: string;
  /** The update, and its input as JSON where it takes one. */
  update: 'recheck' | 'resolve' | 'cancel';
  input?: string;
}

const WHO = '"by": "YOU", "reason": "WHY"';
const WHO_OPTIONS = '--by YOU --reason WHY';

/** The actions on an open workflow, the mildest first. Empty for a kind that a person cannot tell anything. */
export function operatorActions(workflowId: string): OperatorAction[] {
  const { kind = '', app_id = '', out_trade_no = null } = namedByWorkflowId(workflowId) ?? {};
  // A follow-up of several orders, and what has no order, are named by the workflow's id.
  const target = out_trade_no === null ? typed(workflowId) : `${typed(out_trade_no)} --app ${typed(app_id)}`;
  return (ACTIONS[kind] ?? []).map(({ what, update, options = '', input }) => ({
    what,
    update,
    command: `payment-gateway ${update} ${target}${options === '' ? '' : ` ${options}`}`,
    ...(input === undefined ? {} : { input }),
  }));
}

type Template = Pick<OperatorAction, 'what' | 'update' | 'input'> & { options?: string };

const RECHECK: Template = { what: 'ask the gateway now', update: 'recheck' };
const SEEN: Template = {
  what: 'say that you have taken care of it',
  update: 'resolve',
  options: WHO_OPTIONS,
  input: `{${WHO}}`,
};

const ACTIONS: Readonly<Record<string, readonly Template[]>> = {
  payment: [
    RECHECK,
    {
      what: 'end the payment as SUCCESS, CANCEL, REFUSED or EXPIRED',
      update: 'resolve',
      options: `--outcome CANCEL ${WHO_OPTIONS}`,
      input: `{"outcome": "CANCEL", ${WHO}}`,
    },
    { what: 'withdraw it, where it was certainly not sent', update: 'cancel' },
  ],
  'payment-follow-up': [RECHECK, SEEN],
  'after-sale': [
    RECHECK,
    SEEN,
    {
      what: 'end a refund as REFUNDED, REFUND_REFUSED, REFUND_REVOKE or NOT_CREATED',
      update: 'resolve',
      options: `--refund NUMBER --outcome REFUNDED ${WHO_OPTIONS}`,
      input: `{"out_request_no": "NUMBER", "outcome": "REFUNDED", ${WHO}}`,
    },
    {
      what: 'say how much went back by refunds that are not in the list',
      update: 'resolve',
      options: `--elsewhere AMOUNT ${WHO_OPTIONS}`,
      input: `{"refunded_elsewhere": "AMOUNT", ${WHO}}`,
    },
  ],
  'stray-notification': [SEEN],
  'event-delivery': [
    { ...RECHECK, what: 'post the event again' },
    { ...SEEN, what: 'leave the event out' },
  ],
  reconciliation: [SEEN],
  'stuck-sweep': [SEEN],
  'spei-account': [RECHECK, SEEN],
  'spei-account-quantity': [RECHECK],
};

/** As a person types it into a shell. */
function typed(text: string): string {
  return /^[\w.,:@/+][\w.,:@/+-]*$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`;
}
