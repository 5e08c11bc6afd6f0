/** The body of a notification (section 6.5) as gateways really send it: read if possible, without personal data. */
import { readNotification } from '../../src/gateway';
import { edited, fixture, type Json } from './support';

const bytes = (body: unknown) => Buffer.from(JSON.stringify(body));
const read = (body: unknown) => readNotification(bytes(body));

const [boleto, empty, deposit] = fixture<{ of: string; body: Json }[]>('notifications').map(({ body }) => body);
if (!boleto || !empty || !deposit) throw new Error('The fixture has changed');

describe('a required field of a notification', () => {
  test.each(['app_id', 'trade_no', 'out_trade_no', 'trade_status'])('%s', (field) => {
    for (const nothing of [undefined, null, '', {}, [], true]) {
      expect(read(edited(boleto, { [field]: nothing }))).toBeUndefined();
    }
  });

  test.each([
    'method',
    'currency',
    'amount',
    'out_request_no',
    'timestamp',
    'channel',
    'user',
    'card',
    'transfer_account',
  ])('%s may be absent', (field) => {
    for (const nothing of [undefined, null, '']) {
      const notification = read(edited(deposit, { [field]: nothing }));
      expect(notification).toMatchObject({ trade_no: '2022022201111100011', trade_status: 'SUCCESS' });
      expect(notification).not.toHaveProperty(field, expect.anything());
    }
  });

  test.each(['account_id', 'account_number', 'provider', 'buyer_id', 'transfer_timestamp', 'beneficiary_name'])(
    'it can do without transfer_account.%s',
    (field) => {
      for (const nothing of [undefined, null, '']) {
        const account = read(edited(deposit, { [`transfer_account.${field}`]: nothing }))?.transfer_account;
        expect(account).toBeDefined();
        expect(account).not.toHaveProperty(field, expect.anything());
      }
    },
  );
});

describe('numbers are read as strings', () => {
  test('with all their digits', () => {
    const body =
      '{"app_id":1620000038,"trade_no":2022022201111100011,"out_trade_no":1001,"trade_status":"SUCCESS","amount":99999999999999.99,"timestamp":1645516741}';
    expect(readNotification(Buffer.from(body))).toMatchObject({
      app_id: '1620000038',
      trade_no: '2022022201111100011',
      out_trade_no: '1001',
      amount: '99999999999999.99',
      timestamp: '1645516741',
    });
  });

  test('an amount with an exponent is written out', () => {
    expect(readNotification(Buffer.from(JSON.stringify(boleto).replace('"12.01"', '1.2E+3')))?.amount).toBe('1200');
  });

  test('an amount with trailing zeros keeps them', () => {
    const body = '{"app_id":"a","trade_no":"t","out_trade_no":"o","trade_status":"SUCCESS","amount":1.00}';
    expect(readNotification(Buffer.from(body))?.amount).toBe('1.00');
  });
});

describe('personal data', () => {
  test('of the buyer and the card is dropped', () => {
    const marked = {
      ...deposit,
      user: { name: 'marked', email: 'marked@x', phone: 'marked', identify: { number: 'marked', type: 'marked' } },
      card: { card_no: 'marked' },
      customer: { name: 'marked' },
      unheard_of: 'marked',
    };
    const notification = read({
      ...marked,
      transfer_account: { ...Object(deposit.transfer_account), holder_name: 'marked' },
    });
    expect(notification).toBeDefined();
    expect(JSON.stringify(notification)).not.toContain('marked');
  });
});

describe('not a notification', () => {
  test.each<[string, string | Buffer]>([
    ['nothing', ''],
    ['half a body', '{"app_id":"a","trade_no":"t"'],
    ['a list', '[]'],
    ['null', 'null'],
    ['text', 'success'],
    ['a form', 'app_id=a&trade_no=t'],
    ['bytes that are not UTF-8', Buffer.from('{"app_id":"ção"}', 'latin1')],
    [
      'a body that says two things',
      '{"app_id":"a","trade_no":"t","out_trade_no":"o","trade_status":"CANCEL","trade_status":"SUCCESS"}',
    ],
    [
      'a body whose fields only an ancestor holds',
      '{"__proto__":{"app_id":"a","trade_no":"t","out_trade_no":"o","trade_status":"SUCCESS"}}',
    ],
    // Workflows are named by ids, and no database takes these: it is kept as one that nobody can read.
    [
      'a control character in an id',
      '{"app_id":"a","trade_no":"t","out_trade_no":"o\\u0000","trade_status":"SUCCESS"}',
    ],
    ['half a character in an id', '{"app_id":"a","trade_no":"t\\ud800","out_trade_no":"o","trade_status":"SUCCESS"}'],
  ])('%s', (_, body) => expect(readNotification(Buffer.from(body))).toBeUndefined());
});

test('an account_id that no workflow can be named by is none, and the rest is read', () => {
  const transfer_account = { account_id: '9'.repeat(65), account_number: '646180157000000004' };
  const body = { app_id: 'a', trade_no: 't', out_trade_no: 'o', trade_status: 'SUCCESS', transfer_account };
  expect(readNotification(Buffer.from(JSON.stringify(body)))).toMatchObject({
    out_trade_no: 'o',
    transfer_account: { account_id: undefined, account_number: '646180157000000004' },
  });
});
