/** Each page of something that needs a person names the command and the update that settle it. */
import {
  ACCOUNT_RUNBOOK,
  ATTENTIONS,
  afterSaleWorkflowId,
  appAttentionWorkflowId,
  namedInCommands,
  operatorActions,
  paymentWorkflowId,
  RUNBOOK,
  runbookEntry,
} from '../../src/contract';
import { attentionSection } from '../../src/workflows/shared/visibility';

const AFTER_SALE = afterSaleWorkflowId('shop', 'order-1');
const pageOf = (attention: string, workflowId: string, out_request_no?: string) =>
  attentionSection({ attention, out_request_no }, '2026-03-02T12:00:00.000Z', workflowId).join('\n');

/** One id of each kind that may need a person, with its reasons. */
const KINDS: readonly (readonly [workflowId: string, reasons: readonly string[]])[] = [
  [paymentWorkflowId('shop', 'order-1'), ATTENTIONS],
  [appAttentionWorkflowId('shop', 'credentials'), ['credentials']],
  [AFTER_SALE, ATTENTIONS],
  ['stray-notification:shop:abc', ['unreadable-notification']],
  ['event-delivery:abc:payment:shop:order-1', ['undelivered-event']],
  ['reconciliation:shop:2026-03-01', ['books-differ']],
  ['stuck-sweep-2026', ['stuck-payments']],
  ['spei-account:shop:123', Object.keys(ACCOUNT_RUNBOOK['spei-account'] ?? {})],
  ['create-spei-account:shop:buyer-1', ['unknown-outcome']],
  ['spei-account-quantity:shop', Object.keys(ACCOUNT_RUNBOOK['spei-account-quantity'] ?? {})],
];

test.each(KINDS.flatMap(([workflowId, reasons]) => reasons.map((reason) => [workflowId, reason] as const)))(
  'the page of %s under %s says what happened, and names a command and an update',
  (workflowId, reason) => {
    const entry = runbookEntry(reason, workflowId);
    const page = pageOf(reason, workflowId);
    expect(page).toContain(`${entry?.happened}`);
    expect(page).toMatch(/^- To .*: `payment-gateway (recheck|resolve) .*`, or the update `(recheck|resolve)`/m);
    expect(page).not.toContain('undefined');
  },
);

test('an after-sale’s page names the refund that waits, in the command and in the update', () => {
  const page = pageOf('unknown-refund', AFTER_SALE, "p'1");
  expect(page).toContain(
    String.raw`payment-gateway resolve order-1 --app shop --refund 'p'\''1' --outcome OUTCOME --by YOU --reason WHY`,
  );
  const [, json = ''] = /^ {2}```json\n(.*?)^ {2}```$/ms.exec(page) ?? [];
  expect(JSON.parse(json)).toEqual({ out_request_no: "p'1", outcome: 'OUTCOME', by: 'YOU', reason: 'WHY' });
  // On several lines, the form of Temporal UI sends it by the first press.
  expect(json.trim().split('\n')).toHaveLength(6);
  expect(page).not.toContain('--elsewhere');
});

test('refunds that are not in the list are settled by their amount, and by nothing else', () => {
  const resolving = operatorActions(AFTER_SALE, { attention: 'refund-elsewhere' }).filter(
    ({ update }) => update === 'resolve',
  );
  expect(resolving.map(({ command }) => command)).toEqual([
    'payment-gateway resolve order-1 --app shop --elsewhere AMOUNT --by YOU --reason WHY',
  ]);
});

test('a refund that was not sent can only be given up: nothing has become of it at the gateway', () => {
  const question = { attention: 'waiting-refund', out_request_no: 'p-1' };
  const resolving = operatorActions(AFTER_SALE, question).filter(({ update }) => update === 'resolve');
  expect(resolving.map(({ command }) => command)).toEqual([
    'payment-gateway resolve order-1 --app shop --refund p-1 --outcome NOT_CREATED --by YOU --reason WHY',
  ]);
});

test('an open payment’s page offers to settle what a look settles, and to end the payment', () => {
  const resolving = (attention: string, trade_status = 'PROCESSING') =>
    operatorActions(paymentWorkflowId('shop', 'order-1'), { attention, trade_status })
      .filter(({ update }) => update === 'resolve')
      .map(({ command }) => command.replace('payment-gateway resolve order-1 --app shop ', ''));
  const both = (reason: string) => [
    `--seen ${reason} --by YOU --reason WHY`,
    `--seen ${reason} --outcome OUTCOME --by YOU --reason WHY`,
  ];
  expect(resolving('second-trade')).toEqual(both('second-trade'));
  expect(resolving('amount-mismatch')).toEqual(both('amount-mismatch'));
  // Money that is there is decided on.
  expect(resolving('amount-mismatch', 'SUCCESS')).toEqual([
    '--seen amount-mismatch --outcome OUTCOME --by YOU --reason WHY',
  ]);
});

test('late money, all of which goes back, is not offered for delivery: a person says how the order has ended', () => {
  const resolving = (all_goes_back: boolean) =>
    operatorActions(afterSaleWorkflowId('shop', 'order-1'), { attention: 'late-payment', all_goes_back })
      .filter(({ update }) => update === 'resolve')
      .map(({ input }) => input?.outcome);
  expect(resolving(false)).toEqual([undefined, 'OUTCOME']);
  expect(resolving(true)).toEqual(['OUTCOME']);
});

test('no action decides for the person: outcomes and amounts are theirs to write', () => {
  for (const [workflowId] of KINDS)
    for (const { command, input } of operatorActions(workflowId))
      expect(`${command} ${JSON.stringify(input)}`).not.toMatch(/SUCCESS|CANCEL|REFUNDED|EXPIRED/);
});

test('a command of Temporal in the runbook gets the id of the workflow that needs a person, as a shell takes it', () => {
  const workflowId = afterSaleWorkflowId('shop', "it's $&");
  const command = namedInCommands(
    'Unpause it: `temporal activity unpause --workflow-id ID --activity-id ID`.',
    workflowId,
  );
  expect(command).toContain(`--workflow-id '${workflowId.replace("'", "'\\''")}' --activity-id ID`);
  expect(namedInCommands(command, workflowId, '7')).toContain(' --activity-id 7`');
});

test('a command of ours in the runbook gets the order, where the workflow is of one', () => {
  const { act } = RUNBOOK['late-payment'];
  expect(namedInCommands(act, afterSaleWorkflowId('shop', 'order-1'))).toContain(
    '(`payment-gateway refund order-1 --app shop`, ',
  );
  expect(namedInCommands(act, 'stuck-sweep')).toBe(act);
});

test('an order that was not sent is not said to be paid, though nothing answers', () => {
  expect(RUNBOOK['no-answer'].loses).toContain('an order that was not sent fails once its time is over');
});

test('a payment that was ended from outside is left to the next sweep: its buyer may still pay', () => {
  expect(runbookEntry('ended-from-outside', paymentWorkflowId('shop', 'order-1'))?.act).toContain(
    'next sweep: it may still be paid',
  );
});

describe('a number that looks like something else is named in a command so that it is this order', () => {
  const commandsOf = (out_trade_no: string) =>
    operatorActions(paymentWorkflowId('shop', out_trade_no), { attention: 'no-answer' }).map(({ command }) => command);

  test('the id of another order’s workflow stands beside its app, with which only numbers stand', () => {
    expect(commandsOf('payment:shop:5')[0]).toBe('payment-gateway recheck payment:shop:5 --app shop');
  });

  test.each(['--yes', '-x'])('%s comes last, after the word that ends options', (out_trade_no) => {
    const { act } = RUNBOOK['late-payment'];
    expect(commandsOf(out_trade_no)[1]).toBe(
      `payment-gateway resolve --app shop --seen no-answer --outcome OUTCOME --by YOU --reason WHY -- '${out_trade_no}'`,
    );
    expect(namedInCommands(act, paymentWorkflowId('shop', out_trade_no))).toContain(
      `(\`payment-gateway refund --app shop -- '${out_trade_no}'\`, `,
    );
  });
});
