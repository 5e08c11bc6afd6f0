/** The shop's own tests: hours of a payment in a moment, on a simulated Temporal and a gateway that says what you want. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { EventError, EventReader, type MerchantEvent } from 'temporal-payment-gateway/client';
import { simulate } from 'temporal-payment-gateway/testing';
import { openShop } from './shop';

const HOUR = 3_600_000;
const bank_info = { bank_name: 'Banco do Brasil', agency: '1234', type: 'CHECKING', number: '56789-0' };
const events = new EventReader(`whsec_${randomBytes(32).toString('base64')}`);

test('an order that is paid is delivered once, and a part goes back', async () => {
  const heard: MerchantEvent[] = [];
  const { payments, gateway, sleep, close } = await simulate({ onEvent: (event) => void heard.push(event) });
  try {
    const shop = openShop(payments, events);
    gateway.statusAt = (elapsed) => (elapsed < HOUR ? 'PROCESSING' : 'SUCCESS');
    const { qr_code } = await shop.sell({ number: 'order-1' });
    assert.match(qr_code ?? '', /^0002/);
    assert.deepEqual(shop.orders(), { 'order-1': { status: 'open', refunded: '0.00' } });

    await payments.outcome('order-1');
    await shop.giveBack({ number: 'order-1', amount: '30.00', out_request_no: 'r-1', bank_info });
    await sleep('1 day');
    for (const event of [...heard, ...heard]) shop.take(event);
    assert.deepEqual(shop.orders(), { 'order-1': { status: 'deliver', refunded: '30.00' } });
  } finally {
    await close();
  }
});

test('an order that nobody pays is not delivered', async () => {
  const heard: MerchantEvent[] = [];
  const { payments, close } = await simulate({ onEvent: (event) => void heard.push(event) });
  try {
    const shop = openShop(payments, events);
    await shop.sell({ number: 'order-2' });
    await payments.outcome('order-2');
    for (const event of heard) shop.take(event);
    assert.equal(shop.orders()['order-2']?.status, 'do not deliver');
    assert.throws(() => shop.hear(Buffer.from(JSON.stringify(heard[0])), {}), EventError);
  } finally {
    await close();
  }
});
