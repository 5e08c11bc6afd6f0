/**
 * A response is a success, a refusal, or unreadable. An unreadable one never means that no order was created. The published
 * ones: test/contract/interface/samples.test.ts.
 */

import { readResponse, textField, withoutEnvelope } from '../../src/gateway/response';
import type { Json } from './support';

/** The fields that only a success of each operation has. */
const OWN = {
  '/trade/pay': ['trade_no', 'trade_status'],
  '/trade/create': ['trade_no', 'web_url'],
  '/trade/query': ['trade_status'],
};

const read = (text: string | Uint8Array, own: readonly string[] = OWN['/trade/pay']) =>
  readResponse(typeof text === 'string' ? Buffer.from(text) : text, own);
const readJson = (body: unknown, own?: readonly string[]) => read(JSON.stringify(body), own);

describe('a success', () => {
  test.each([
    ['with the code as a string', { code: '10000', msg: 'Success', trade_no: 't-1' }],
    ['with the code as a number', { code: 10000, msg: 'Success', trade_no: 't-1' }],
    ['with the code alone', { code: '10000' }],
    ['with empty sub_code and sub_msg', { code: '10000', msg: 'Success', sub_code: '', sub_msg: '', trade_no: 't-1' }],
    ['without a code, by the operation’s own field', { trade_no: 't-1' }],
    ['without a code, by the other one', { trade_status: 'PROCESSING' }],
    ['with an empty code and an own field', { code: '', msg: '', trade_no: 't-1' }],
    ['with a code of null and an own field that is a number', { code: null, trade_no: 2025 }],
  ])('%s', (_, body) => expect(readJson(body)).toEqual({ is: 'success', answer: body }));
});

describe('a refusal', () => {
  test.each<[string, Json, object]>([
    [
      'with all its fields',
      { code: '40002', msg: 'Business Failed', sub_code: 'invalid-signature', sub_msg: 'invalid signature' },
      { code: '40002', sub_code: 'invalid-signature' },
    ],
    [
      'in numbers',
      { code: 90001, msg: 'Bank Request Fail', sub_code: 101, sub_msg: 7 },
      { code: '90001', sub_code: '101' },
    ],
    ['without a sub_code', { code: '20000', msg: 'Service Currently Unavailable' }, { code: '20000' }],
    ['with empty ones', { code: '40002', msg: 'Business Failed', sub_code: '', sub_msg: '' }, { code: '40002' }],
    ['with a sub_code alone', { sub_code: 'buyer_id' }, { code: '', sub_code: 'buyer_id' }],
    [
      'that carries the operation’s own fields all the same',
      { code: '70001', sub_code: '10001', trade_no: 't-1', trade_status: 'REFUSED' },
      { code: '70001', sub_code: '10001' },
    ],
    [
      'without a code, although it carries the operation’s own fields',
      { sub_code: 'bank-side-busy', trade_no: 't-1' },
      { code: '', sub_code: 'bank-side-busy' },
    ],
  ])('%s', (_, body, expected) => expect(readJson(body)).toMatchObject({ is: 'refusal', ...expected }));
});

describe('unreadable', () => {
  test.each([
    ['an empty body', ''],
    ['white space', ' \r\n'],
    ['a page of a proxy', '<html>\n<head><title>403 Forbidden</title></head>\n'],
    ['bare words', '401 Unauthorized'],
    ['a list', '[{"code":"10000"}]'],
    ['null', 'null'],
    ['a string', '"10000"'],
    ['a number', '10000'],
    ['true', 'true'],
    ['an empty object', '{}'],
    ['an object of something else', '{"error":"internal","message":"try later"}'],
    ['own fields that are empty', '{"trade_no":"","trade_status":""}'],
    ['own fields that hold nothing a field can hold', '{"trade_no":{},"trade_status":[1]}'],
    ['half a body', '{"code":"10000","msg":"Succ'],
    ['two bodies', '{"code":"10000"}{"code":"10000"}'],
    ['a body that says two things', '{"code":"10000","code":"40002"}'],
    ['the documentation’s own invalid JSON', '{ "code": "10000", "data"."bank_id": "1" }'],
    ['a comment', '{"code":"10000"} // ok'],
  ])('%s', (_, text) => expect(read(text).is).toBe('unreadable'));

  test('bytes that are not UTF-8', () => {
    expect(read(Buffer.from('{"code":"10000","city":"São Paulo"}', 'latin1')).is).toBe('unreadable');
    expect(read(Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00])).is).toBe('unreadable');
  });

  test('the success of another operation without a code', () => {
    expect(readJson({ used: 2000, unused: 1000 }).is).toBe('unreadable');
    expect(readJson({ web_url: 'https://pay.example' }, OWN['/trade/query']).is).toBe('unreadable');
  });

  test('a code on the prototype only', () => {
    expect(read('{"__proto__":{"code":"10000"}}').is).toBe('unreadable');
  });

  test('says why, without quoting the body', () => {
    const reading = read('{"error":"Mariana Souza Lima"}');
    expect(reading).toEqual({ is: 'unreadable', why: 'the response has neither code nor trade_no or trade_status' });
  });
});

describe('a field', () => {
  test.each([
    ['text', 'text'],
    ['', undefined],
    [0, '0'],
    [12.5, '12.5'],
    [null, undefined],
    [true, undefined],
    [{}, undefined],
    [[], undefined],
  ])('%j is %j', (value, text) => expect(textField({ value }, 'value')).toBe(text));

  test('that does not exist is absent', () => expect(textField({}, 'value')).toBeUndefined());
});

test('withoutEnvelope removes code, msg and images only', () => {
  const answer = {
    code: '10000',
    msg: 'Success',
    trade_no: 't-1',
    qr_code: '000201…',
    qr_code_url: 'https://pay.example/qr',
    qr_code_img: 'data:image/png;base64,iVBORw0KGgo',
    unheard_of: { nested: [1] },
  };
  const { code: _code, msg: _msg, qr_code_img: _image, ...kept } = answer;
  expect(withoutEnvelope(answer)).toEqual(kept);
});
