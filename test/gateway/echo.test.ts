/** An answer that names another order, trade, refund or account than was asked for is no answer. */
import { OtherAnswerError, otherThanAsked } from '../../src/gateway';
import { answerJson, edited, failureOf, gateways, sendable } from './support';

const open = gateways();
const pix = edited(sendable('pix'), { out_trade_no: 'a-1' });
const refund = {
  ...{ trade_no: 'T1', out_request_no: 'r-1', refund_currency: 'BRL', refund_amount: '30.00' },
  user_info: { name: 'Ana Souza', email: 'ana@example.com', identify: { number: '11144477735' } },
};

describe('an answer differs from what was asked', () => {
  test.each<[what: string, asked: object, said: object, differing: string[]]>([
    ['in nothing', { out_trade_no: 'a-1' }, { out_trade_no: 'a-1' }, []],
    ['in nothing, where it leaves the number out', { out_trade_no: 'a-1' }, {}, []],
    ['in nothing, where its number is empty', { out_trade_no: 'a-1' }, { out_trade_no: '' }, []],
    ['in nothing, where its number is null', { out_trade_no: 'a-1' }, { out_trade_no: null }, []],
    ['in nothing, where it names what was not asked for', { out_trade_no: 'a-1' }, { trade_no: 'T1' }, []],
    ['in nothing, where its number is a JSON number', { trade_no: '17' }, { trade_no: 17 }, []],
    ['in nothing, where its amount is written in another way', { refund_amount: '30.00' }, { refund_amount: 30 }, []],
    ['in nothing, where its currency is in small letters', { refund_currency: 'BRL' }, { refund_currency: 'brl' }, []],
    ['in its number', { out_trade_no: 'a-1' }, { out_trade_no: 'a-2' }, ['out_trade_no']],
    ['in the case of its number', { out_trade_no: 'a-1' }, { out_trade_no: 'A-1' }, ['out_trade_no']],
    ['in a space of its number', { out_trade_no: 'a-1' }, { out_trade_no: 'a-1 ' }, ['out_trade_no']],
    [
      'in one of two numbers',
      { out_trade_no: 'a-1', trade_no: 'T1' },
      { out_trade_no: 'a-1', trade_no: 'T2' },
      ['trade_no'],
    ],
    ['in its amount', { refund_amount: '30.00' }, { refund_amount: '300.00' }, ['refund_amount']],
    ['in an amount that is none', { refund_amount: '30.00' }, { refund_amount: 'thirty' }, ['refund_amount']],
  ])('%s', (_, asked, said, differing) => expect(otherThanAsked(asked, said)).toEqual(differing));
});

test.each<[what: string, call: (client: ReturnType<typeof open.client>) => Promise<unknown>, said: object]>([
  ['a payment', (client) => client.pay(pix), { out_trade_no: 'a-2', trade_no: 'T9', trade_status: 'PROCESSING' }],
  [
    'a query by our number',
    (client) => client.query({ out_trade_no: 'a-1' }),
    { out_trade_no: 'A-1', trade_status: 'SUCCESS' },
  ],
  [
    'a query by the gateway’s number',
    (client) => client.query({ trade_no: 'T1' }),
    { trade_no: 'T2', trade_status: 'SUCCESS' },
  ],
  ['a refund', (client) => client.refund(refund), { trade_no: 'T1', out_request_no: 'r-2', refund_status: 'REFUNDED' }],
  ['a query of an account', (client) => client.querySpeiAccount('A1'), { account_id: 'A2', status: 'ACTIVE' }],
])('%s whose answer is about another one has an unknown outcome, and nothing of that answer', async (_, call, said) => {
  const gateway = await open.http(answerJson({ code: '10000', msg: 'Success', ...said }));
  const failure = await failureOf(call(open.client(gateway)));
  expect(failure).toBeInstanceOf(OtherAnswerError);
  expect(failure).toMatchObject({ outcome: 'unknown', retryable: true });
  for (const value of Object.values(said))
    expect(JSON.stringify([failure, failure.message])).not.toContain(`${value}"`);
});
