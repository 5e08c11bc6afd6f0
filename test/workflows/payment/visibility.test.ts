/** What Temporal UI shows of a payment. */
import { appAttentionWorkflowId, nameDigest, personDigest, SEARCH_ATTRIBUTE, WORKFLOW } from '../../../src/contract';
import { simulate } from '../../../src/testing';
import { paymentAttributes, paymentDetails, paymentSubject } from '../../../src/workflows/payment/visibility';
import { LearningPayment } from '../../harness/learning-payment';
import { publishedOrder } from '../../harness/orders';

test('a payment under amount-mismatch shows both amounts until a person has decided', () => {
  const request = publishedOrder('pix', { order_amount: '150.00' });
  const { out_trade_no } = request;
  const payment = new LearningPayment({ kind: 'direct', app_id: 'app', request });
  const shown = () => paymentSubject(payment.known).amounts;
  expect(shown()).toBeUndefined();
  const paid = { trade_no: 'T1', out_trade_no, trade_status: 'SUCCESS', order_amount: '120', order_currency: 'BRL' };
  payment.query(paid);
  expect(shown()).toBe('Ordered: 150.00 BRL. The gateway names: 120.00 BRL.');
  payment.learn({ is: 'decided', outcome: 'SUCCESS', reason: 'the rest came by transfer', by: 'ana' });
  expect(shown()).toBeUndefined();
});

test('who has taken it stands on the page, with the note, until nobody is needed', () => {
  const payment = new LearningPayment({ kind: 'direct', app_id: 'app', request: publishedOrder('pix') });
  const shown = () => paymentDetails(payment.known, 'the buyer').join('\n');
  payment.learn({ is: 'raised', attention: 'unexpected-signal' });
  payment.learn({ is: 'taken', by: 'ana', note: 'asked the sender' });
  expect(shown()).toMatch(/Taken by \*\*ana\*\* on 20\d\d-\d\d-\d\d \d\d:\d\d UTC: asked the sender/);
  payment.learn({ is: 'seen', by: 'ana', reason: 'a test' });
  expect(shown()).not.toContain('Taken by');
});

test('the page of a payment that a person has ended says who, when and why, and no time in ISO', () => {
  const payment = new LearningPayment({ kind: 'direct', app_id: 'app', request: publishedOrder('pix') });
  payment.query({ trade_no: 'T1', trade_status: 'PROCESSING' });
  payment.learn({ is: 'decided', outcome: 'CANCEL', reason: 'sent back by transfer', by: 'ana' });
  const shown = paymentDetails(payment.known, 'nothing').join('\n');
  expect(shown).toContain('It has ended, as a person decided.');
  expect(shown).toMatch(/Decided by \*\*ana\*\* on \S+ \S+ UTC: sent back by transfer/);
  expect(shown).not.toMatch(/\dT\d/);
});

test('lists find a payment by its outcome, its wait, who has taken it and who decided, and by a buyer whom nobody can read', () => {
  const request = publishedOrder('pix', { buyer_id: 'buyer-7' });
  const payment = new LearningPayment({ kind: 'direct', app_id: 'app', request });
  const attributes = () =>
    Object.fromEntries(paymentAttributes(payment.known).map(({ key, value }) => [key.name, value]));
  expect(attributes()).toMatchObject({
    ...{ PaymentOutcome: null, PaymentAttentionSince: null, PaymentTakenBy: null },
    ...{ PaymentNames: [nameDigest('buyer', 'buyer-7')], PaymentMoney: 'BRL 150.00', PaymentAmount: 150 },
  });
  expect(JSON.stringify(attributes())).not.toContain('buyer-7');
  // What an earlier run has shown stays.
  expect(attributes()).not.toHaveProperty('PaymentDecidedBy');
  payment.learn({ is: 'raised', attention: 'unexpected-signal' });
  payment.learn({ is: 'taken', by: 'ana' });
  const { attention_since } = payment.state;
  expect(attributes()).toMatchObject({
    PaymentAttentionSince: new Date(String(attention_since)),
    PaymentTakenBy: 'ana',
    // The audit log finds by it who has taken it on, also once that is over.
    PaymentDecidedBy: personDigest('ana'),
  });
  payment.learn({ is: 'decided', outcome: 'CANCEL', by: 'ben', reason: 'not wanted' });
  expect(attributes()).toMatchObject({
    ...{
      PaymentOutcome: 'CANCEL',
      PaymentDecidedBy: personDigest('ben'),
      PaymentAttentionSince: null,
      PaymentTakenBy: null,
    },
  });
});

test('what belongs to no order shows since when it waits, too', async () => {
  const simulation = await simulate();
  try {
    const workflowId = appAttentionWorkflowId('app', 'credentials');
    const args = [{ app_id: 'app', attention: 'credentials' }];
    const began = await simulation.temporal.currentTimeMs();
    const handle = await simulation.temporal.client.workflow.start(WORKFLOW.appAttention, {
      ...{ workflowId, taskQueue: 'simulated', args },
    });
    await simulation.sleep('1 minute');
    const since = async () => (await handle.describe()).typedSearchAttributes.get(SEARCH_ATTRIBUTE.attentionSince);
    expect((await since())?.getTime()).toBeLessThan(began + 60_000);
    await handle.executeUpdate('resolve', { args: [{ by: 'ana', reason: 'mended' }] });
    expect(await since()).toBeUndefined();
  } finally {
    await simulation.close();
  }
});
