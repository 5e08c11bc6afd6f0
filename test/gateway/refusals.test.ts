/** What each refusal means for a creation, row by row of the table in gateway-in-the-field.md. */
import { type Creation, isCredentialsRefusal, isDuplicate, refusalOf } from '../../src/gateway/refusals';

const REQUEST_FIELDS = ['out_trade_no', 'buyer_id', 'customer.email', 'address.zip_code'];
const means = (code: string, sub_code?: string) => refusalOf(code, sub_code, REQUEST_FIELDS);

const notCreated = { outcome: 'not-created', retryable: false };
const refused = { outcome: 'created-refused', kind: 'refused', retryable: false };
const unknown = { outcome: 'unknown', kind: 'unlisted', retryable: false };

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => String(from + i));

const TABLE: [code: string, sub_codes: (string | undefined)[], means: object][] = [
  ['20000', [undefined, 'isp.unknown-error'], { outcome: 'not-created', kind: 'temporary', retryable: true }],
  ['40001', [undefined, 'buyer_id', 'anything'], { ...notCreated, kind: 'request' }],
  [
    '40002',
    [
      'invalid-signature',
      'missing-signature-config',
      'app-not-match',
      'app-status-abnormal',
      'merchant-status-abnormal',
    ],
    { ...notCreated, kind: 'credentials' },
  ],
  ['40002', ['no-method-supported', 'currency-not-supported'], { ...notCreated, kind: 'request' }],
  ['40004', ['no-method-supported', 'currency-not-supported'], { ...notCreated, kind: 'request' }],
  ['40002', ['duplicate-out_trade_no'], { outcome: 'unknown', kind: 'duplicate', retryable: false }],
  ['40002', ['gen-card-token-fail', 'card-token-expired', 'bank-side-busy', 'SYS-0001'], refused],
  ['40002', ['account-pool-run-out'], { ...notCreated, kind: 'no accounts left' }],
  // Field errors have the field's own name as their sub_code.
  ['40002', REQUEST_FIELDS, { ...notCreated, kind: 'request' }],
  ['40005', [undefined, 'anything'], { ...notCreated, kind: 'request' }],
  ['70001', [...numbers(10001, 10004), '20001', '20002'], refused],
  ['90001', ['71012', ...numbers(101, 119), '190', ...numbers(201, 207), ...numbers(401, 403)], refused],
];

describe.each(TABLE)('code %s with %j', (code, sub_codes, expected) => {
  test(`means ${JSON.stringify(expected)}`, () => {
    for (const sub_code of sub_codes) expect({ sub_code, ...means(code, sub_code) }).toEqual({ sub_code, ...expected });
  });
});

describe('any other code is unknown', () => {
  test.each([
    ['40002', undefined],
    ['40002', 'never-heard-of'],
    ['40002', 'INVALID-SIGNATURE'],
    ['40002', '*'],
    ['40002', 'customer.colour'],
    ['40004', undefined],
    ['40004', 'invalid-signature'],
    ['40004', 'buyer_id'],
    ['70001', undefined],
    ['70001', '10005'],
    ['90001', undefined],
    ['90001', '100'],
    ['90001', '120'],
    ['90001', '200'],
    ['90001', '208'],
    ['90001', '404'],
    ['50000', undefined],
    ['', 'buyer_id'],
    ['', undefined],
    ['10000 ', undefined],
    ['constructor', 'constructor'],
  ])('%s with %s', (code, sub_code) => expect(means(code, sub_code)).toEqual(unknown));
});

describe('a creation of a refund or an account', () => {
  const of = (creates: Creation, code: string, sub_code?: string) =>
    refusalOf(code, sub_code, ['user_info.name'], creates);
  const others = ['refund', 'account'] as const;

  test('is not created after the refusals that come first, as an order', () => {
    for (const creates of others) {
      expect(of(creates, '20000')).toMatchObject({ outcome: 'not-created', kind: 'temporary', retryable: true });
      expect(of(creates, '40001')).toMatchObject({ ...notCreated, kind: 'request' });
      expect(of(creates, '40002', 'invalid-signature')).toMatchObject({ ...notCreated, kind: 'credentials' });
      expect(of(creates, '40002', 'merchant-status-abnormal')).toMatchObject({ ...notCreated, kind: 'credentials' });
      expect(of(creates, '40002', 'user_info.name')).toMatchObject({ ...notCreated, kind: 'request' });
      expect(of(creates, '40004', 'no-method-supported')).toMatchObject({ ...notCreated, kind: 'request' });
      expect(of(creates, '40005')).toMatchObject({ ...notCreated, kind: 'request' });
    }
  });

  test('is unknown with the codes of a payment that the bank or risk control refused', () => {
    for (const creates of others) {
      for (const [code, sub_code] of [
        ['40002', 'duplicate-out_trade_no'],
        ['40002', 'bank-side-busy'],
        ['40002', 'SYS-0001'],
        ['70001', '10001'],
        ['90001', '101'],
      ] as const) {
        expect({ code, sub_code, ...of(creates, code, sub_code) }).toEqual({ code, sub_code, ...unknown });
      }
    }
  });

  test('“no accounts left” means not created for an account, and unknown for a refund', () => {
    expect(of('account', '40002', 'account-pool-run-out')).toMatchObject({ ...notCreated, kind: 'no accounts left' });
    expect(of('refund', '40002', 'account-pool-run-out')).toEqual(unknown);
  });

  test('a refund is not made where the gateway says so in words that mean nothing else, and unknown after any other', () => {
    for (const [code, sub_code] of [
      ['40002', 'refund-not-supported'],
      ['40002', 'partial-refund-not-supported'],
      ['40002', 'refund-amount-exceeded'],
    ] as const) {
      expect(of('refund', code, sub_code)).toMatchObject({ ...notCreated, kind: 'request' });
      expect(of('order', code, sub_code)).toEqual(unknown);
    }
    expect(of('refund', '40002', 'try-later')).toEqual(unknown);
    expect(refusalOf('40002', 'try-later', [], 'refund', ['try-later'])).toMatchObject({ ...notCreated });
    expect(refusalOf('59999', undefined, [], 'refund', ['59999'])).toMatchObject({ ...notCreated });
  });

  test.each(['duplicate-out_request_no', 'out_request_no'])(
    'a refund whose number was used may exist: %s',
    (sub_code) => {
      const { outcome, kind } = refusalOf('40002', sub_code, ['out_request_no'], 'refund');
      expect({ outcome, kind }).toEqual({ outcome: 'unknown', kind: 'duplicate' });
      expect(isDuplicate({ code: '40002', sub_code }, 'refund')).toBe(true);
      expect(isDuplicate({ code: '40002', sub_code })).toBe(false);
    },
  );
});

describe('a refusal tells', () => {
  test('whether it proves that an order exists', () => {
    expect(isDuplicate({ code: '40002', sub_code: 'duplicate-out_trade_no' })).toBe(true);
    expect(isDuplicate({ code: '40002', sub_code: 'invalid-signature' })).toBe(false);
    expect(isDuplicate({ code: '40001', sub_code: 'duplicate-out_trade_no' })).toBe(false);
    expect(isDuplicate({ sub_code: 'duplicate-out_trade_no' })).toBe(false);
  });

  test('whether it is about our credentials', () => {
    expect(isCredentialsRefusal({ code: '40002', sub_code: 'merchant-status-abnormal' })).toBe(true);
    expect(isCredentialsRefusal({ code: '40002', sub_code: 'currency-not-supported' })).toBe(false);
    expect(isCredentialsRefusal({})).toBe(false);
  });
});
