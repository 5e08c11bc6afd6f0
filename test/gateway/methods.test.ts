/** What the client asks of each payment method beyond the interface's table (test/contract/interface/rows/). */
import { parseDirectPayment } from '../../src/gateway';
import { METHODS, orderIn } from '../contract/interface/rows';
import { edited, faults, type Json, published } from './support';

const reading = (order: Json, changes: Json = {}) => faults(() => parseDirectPayment(edited(order, changes)));
const complete = (method: string, currency = 'MXN') => orderIn(method, currency, { out_trade_no: 'order-1' });

test('an unknown method requires every field of the buyer, and is told itself where one is missing', () => {
  const buyer = ['name', 'email', 'phone', 'identify.number', 'identify.type'].map((field) => `customer.${field}`);
  expect(reading(complete('NewMethod'))).toEqual({});
  for (const field of buyer) {
    expect(Object.keys(reading(complete('NewMethod'), { [field]: undefined }))).toEqual(['method', field]);
  }
});

test.each<[field: string, value: string, methods: string[]]>([
  ['channel', 'QR', ['Wallet']],
  ['issuer', 'visa', ['CreditCard']],
  ['token', 'tok_4f1c2a9be77d', ['CreditCard', 'Wallet']],
])('%s is refused with every method but its own', (field, value, methods) => {
  for (const { method, currency } of [...METHODS, { method: 'NewMethod', currency: 'MXN' }]) {
    const found = reading(edited(complete(method, currency), { channel: undefined, [field]: value }));
    expect({ method, found }).toEqual({
      method,
      found: methods.includes(method) ? {} : { [field]: `only with ${methods.join(' or ')}` },
    });
  }
});

test('the name of a method is read in any case', () => {
  const cash = edited(published('cash'), { method: 'CASH' });
  expect(parseDirectPayment(cash)).toEqual(cash);
});

test('a dollar transfer is from Ecuador by its region, or without one by the identity type', () => {
  const order = published('bank-transfer-ecuador');
  const oneOf = 'one of bpacifico, internacional, pichincha';
  expect(reading(order, { bank: undefined })).toEqual({ bank: `required: ${oneOf}` });
  expect(reading(order, { 'customer.identify.type': 'ci', bank: '1805' })).toEqual({ bank: oneOf });
  expect(reading(order, { region: 'ec', 'customer.identify.type': 'RUC', bank: '1805' })).toEqual({ bank: oneOf });
  expect(reading(order, { region: 'PAN', bank: '1805' })).toEqual({});
});
