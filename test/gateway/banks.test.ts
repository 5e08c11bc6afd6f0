/** The bank list (section 4.5): all forms of `data` that gateways send. */
import { BANK_LIST, readBanks } from '../../src/gateway/banks';
import { checkRequest } from '../../src/gateway/check';
import { answerJson, failureOf, faults, gateways, type Json } from './support';

const open = gateways();
const reading = (input: Json, options = {}) => faults(() => checkRequest(BANK_LIST.rules, input, options));

describe('a request', () => {
  test('with another field is refused', () => {
    expect(reading({ method: 'Cash', currency: 'MXN' })).toEqual({ currency: 'unknown field' });
  });
});

describe('a response', () => {
  const bank = { bank_id: '001', bank_name: 'Banco', min_amount: '200' };

  test.each<[string, Json, Json[]]>([
    ['a list', { data: [bank, { bank_id: '002' }] }, [bank, { bank_id: '002' }]],
    ['one object', { data: bank }, [bank]],
    ['numbers', { data: { bank_id: 1, min_amount: 200 } }, [{ bank_id: '1', min_amount: '200' }]],
    ['an amount beside data', { data: { bank_id: '001' }, min_amount: '200' }, [{ bank_id: '001', min_amount: '200' }]],
    [
      'an amount beside data, where banks have their own',
      { data: [bank, { bank_id: '002' }], min_amount: '5' },
      [bank, { bank_id: '002', min_amount: '5' }],
    ],
    [
      'fields beside data, as a published sample has them',
      { 'data.bank_id': '001', 'data.bank_name': 'Banco', min_amount: '200', 'data.detail': '' },
      [{ ...bank, detail: '' }],
    ],
    [
      'what nobody knows of',
      { data: [{ bank_id: '001', hours: { from: 9 } }] },
      [{ bank_id: '001', hours: { from: 9 } }],
    ],
    ['an empty list', { data: [] }, []],
    ['null', { data: null }, []],
    ['an empty string', { data: '' }, []],
    ['nothing', {}, []],
    ['something that is no bank among banks', { data: [null, 'x', bank] }, [bank]],
  ])('with %s', (_, answer, banks) => expect(readBanks(answer)).toEqual(banks));

  test('whose data cannot hold a bank is unreadable', () => {
    for (const data of ['a text', 7, true]) expect(readBanks({ data })).toBeUndefined();
  });

  test('without code and msg is a success by its data', async () => {
    const gateway = await open.http(answerJson({ data: [bank] }));
    await expect(open.client(gateway).banks({ method: 'Khipu' })).resolves.toEqual([bank]);
  });

  test('with neither code nor data is unknown and retryable', async () => {
    const gateway = await open.http(answerJson({ banks: [bank] }));
    const failure = await failureOf(open.client(gateway).banks({ method: 'Khipu' }));
    expect(failure).toMatchObject({ outcome: 'unknown', retryable: true, operation: '/trade/bank-list' });
    expect(failure.message).toContain('method Khipu');
  });
});
