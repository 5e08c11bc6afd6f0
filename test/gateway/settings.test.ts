/** Rules that settings decide: the masked methods, channels that require HTTPS, and how strict formats are. */

import { parseCheckout, parseDirectPayment } from '../../src/gateway';
import { loadConfig, ruleSettings } from '../../src/process/settings';
import { edited, faults, type Json, published } from './support';

const settings = (env: Record<string, string>) => ruleSettings(loadConfig(env));
const order = edited(published('boleto'), { order_currency: 'CLP', bank: undefined });
const direct = (changes: Json, env: Record<string, string> = {}) =>
  faults(() => parseDirectPayment(edited(order, changes), settings(env)));

describe('the bank-list-driven method', () => {
  const bare = { 'customer.phone': undefined, 'customer.identify': undefined };

  test('has exactly the names in GATEWAY_BANK_LIST_METHODS', () => {
    const env = { GATEWAY_BANK_LIST_METHODS: 'BankButton, WebPay' };
    for (const method of ['BankButton', 'WebPay']) {
      expect(direct({ ...bare, method }, env)).toEqual({ bank: `required for ${method}` });
      expect(direct({ ...bare, method, bank: '001' }, env)).toEqual({});
    }
    expect(Object.keys(direct({ ...bare, method: 'Khipu' }, env)).sort()).toEqual([
      'customer.identify.number',
      'customer.identify.type',
      'customer.phone',
      'method',
    ]);
  });
});

describe('the voucher-style method', () => {
  const bare = { 'customer.name': undefined, 'customer.phone': undefined, 'customer.identify': undefined };

  test('is Pago46 by default, or has the names in GATEWAY_VOUCHER_METHODS', () => {
    expect(direct({ ...bare, method: 'Pago46' })).toEqual({});
    expect(direct({ ...bare, method: 'Voucher' }, { GATEWAY_VOUCHER_METHODS: 'Voucher' })).toEqual({});
    expect(Object.keys(direct({ ...bare, method: 'Pago46' }, { GATEWAY_VOUCHER_METHODS: 'Voucher' }))).toHaveLength(5);
  });
});

describe('return_url', () => {
  const rule = { return_url: 'must be an https address for this channel' };
  const plain = 'http://shop.example.com/back';
  const wallet = edited(published('wallet-qr'), { return_url: plain });
  const reading = (changes: Json, env: Record<string, string>) =>
    faults(() => parseDirectPayment(edited(wallet, changes), settings(env)));

  test('may be HTTP if the settings do not name the channel', () => {
    expect(reading({}, {})).toEqual({});
    expect(reading({}, { GATEWAY_HTTPS_CHANNELS: 'URL' })).toEqual({});
  });

  test('must be HTTPS for the channels and methods in GATEWAY_HTTPS_CHANNELS', () => {
    expect(reading({}, { GATEWAY_HTTPS_CHANNELS: 'URL, qr' })).toEqual(rule);
    expect(reading({}, { GATEWAY_HTTPS_CHANNELS: 'Wallet' })).toEqual(rule);
    expect(reading({ return_url: 'myshop://back' }, { GATEWAY_HTTPS_CHANNELS: 'QR' })).toEqual(rule);
    expect(reading({ return_url: 'HTTPS://shop.example.com' }, { GATEWAY_HTTPS_CHANNELS: 'QR' })).toEqual({});
    expect(reading({ return_url: undefined }, { GATEWAY_HTTPS_CHANNELS: 'QR' })).toEqual({});
  });

  test('of a checkout follows the same setting', () => {
    const checkout = edited(published('checkout'), { method: 'Wallet', channel: 'QR', return_url: plain });
    expect(faults(() => parseCheckout(checkout, settings({ GATEWAY_HTTPS_CHANNELS: 'QR' })))).toEqual(rule);
    expect(faults(() => parseCheckout(checkout))).toEqual({});
  });
});

describe('the settings', () => {
  test('for formats are warn or refuse', () => {
    expect(settings({ GATEWAY_STRICT_FORMATS: 'refuse' }).formats).toBe('refuse');
    expect(() => loadConfig({ GATEWAY_STRICT_FORMATS: 'yes' })).toThrow(/GATEWAY_STRICT_FORMATS/);
  });

  test('for the path of the wallet token must be a path', () => {
    expect(loadConfig({}).GATEWAY_WALLET_TOKEN_PATH).toBe('/trade/get-wallet-client-token');
    expect(loadConfig({ GATEWAY_WALLET_TOKEN_PATH: '/trade/x' }).GATEWAY_WALLET_TOKEN_PATH).toBe('/trade/x');
    for (const path of ['trade/x', 'https://elsewhere.example/x', '/a b', '/a?b=c', '/']) {
      expect(() => loadConfig({ GATEWAY_WALLET_TOKEN_PATH: path })).toThrow(/GATEWAY_WALLET_TOKEN_PATH/);
    }
  });
});
