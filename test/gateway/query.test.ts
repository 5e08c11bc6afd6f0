/** The order query (section 4.4): one of two ids is enough, and a response with a status is a trade. */
import { parseTradeId } from '../../src/gateway';
import { parseExact } from '../../src/gateway/json';
import { readTrade } from '../../src/gateway/query';
import { faults, type Json } from './support';

describe('the request', () => {
  test.each([{ out_trade_no: 'o-1' }, { trade_no: 't-1' }, { out_trade_no: 'o-1', trade_no: 't-1' }])('%j', (id) => {
    expect(parseTradeId(id)).toEqual(id);
  });

  test('one of the two ids is required', () => {
    expect(faults(() => parseTradeId({}))).toEqual({ out_trade_no: 'required, unless trade_no is given' });
  });

  test('two empty ids count as absent', () => {
    expect(Object.keys(faults(() => parseTradeId({ out_trade_no: '', trade_no: '' })))).toContain('out_trade_no');
  });

  test('another field is refused', () => {
    expect(faults(() => parseTradeId({ out_trade_no: 'o-1', method: 'PIX' }))).toEqual({ method: 'unknown field' });
  });
});

describe('the response', () => {
  const answer = {
    code: '10000',
    msg: 'Success',
    out_trade_no: 'o-1',
    trade_no: 't-1',
    trade_status: 'PROCESSING',
    order_amount: '150.00',
    order_currency: 'BRL',
  };
  const { code: _code, msg: _msg, ...said } = answer;
  const trade = (text: string) => readTrade(parseExact(text) as Json);

  test('is read by the names of the interface', () => {
    expect(readTrade(answer)).toEqual({
      out_trade_no: 'o-1',
      trade_no: 't-1',
      trade_status: 'PROCESSING',
      order_amount: '150.00',
      order_currency: 'BRL',
      answer: said,
    });
  });

  test('all fields are kept in `answer`', () => {
    const more = { ...said, create_time: '2026-03-02 12:00:00', customer: { name: 'Mariana' }, new_field: [1] };
    expect(readTrade({ ...answer, ...more })?.answer).toEqual(more);
  });

  test.each([
    ['a string', '"150.00"', '150.00'],
    ['a number', '150.5', '150.5'],
    ['a number with trailing zeros', '150.00', '150.00'],
    ['the largest amount as a number', '99999999999999.99', '99999999999999.99'],
    ['a number with an exponent', '1.5E+2', '150'],
    ['a string with an exponent', '"1.5E+2"', '150'],
    ['what nobody can read', '"1.500,00"', '1.500,00'],
  ])('the amount may be %s', (_, literal, amount) => {
    expect(trade(`{"trade_status":"SUCCESS","order_amount":${literal}}`)?.order_amount).toBe(amount);
  });

  test('an id of digits keeps all of them', () => {
    expect(trade('{"trade_status":"SUCCESS","trade_no":2025120320503108483}')?.trade_no).toBe('2025120320503108483');
  });

  test('a long or unknown state is kept', () => {
    for (const trade_status of ['CHARGEBACK_REVERSED', 'HELD_FOR_REVIEW_BY_BANK']) {
      expect(readTrade({ trade_status })).toEqual({ trade_status, answer: { trade_status } });
    }
  });

  test('empty strings count as absent', () => {
    expect(readTrade({ ...answer, trade_no: '' })?.trade_no).toBeUndefined();
  });

  test('without a status it is not a trade', () => {
    for (const trade_status of [undefined, null, '', {}])
      expect(readTrade({ ...answer, trade_status })).toBeUndefined();
  });
});
