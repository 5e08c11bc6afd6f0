/** The verification of notifications, as a pure function: no server, no clock, no network. */
import crypto from 'node:crypto';
import * as fc from 'fast-check';
import type { SignatureScheme } from '../../src/gateway';
import { verifyNotification, type WebhookApp } from '../../src/webhook';
import { app, ipn, otherApp, sign } from './support';

const APPS: WebhookApp[] = [app, otherApp];

interface Given {
  to?: string;
  body?: Uint8Array;
  signatures?: string[];
  apps?: WebhookApp[];
  scheme?: SignatureScheme;
}

/** The decision on a good notification with these changes. */
function decide({ to = app.app_id, body = ipn(), scheme = 'hex', apps = APPS, ...given }: Given) {
  const signatures = given.signatures ?? [sign(body, app, scheme)];
  return verifyNotification({ app_id: to, signatures, body }, apps, scheme);
}

const signature = sign(ipn());

describe('a notification with a good signature is accepted', () => {
  test('and its buyer’s personal data is left out', () => {
    expect(decide({})).toEqual({
      is: 'notification',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      notification: {
        app_id: app.app_id,
        trade_no: '2022022201111100011',
        out_trade_no: 'order-1',
        method: 'PIX',
        trade_status: 'SUCCESS',
        currency: 'BRL',
        amount: '150.00',
      },
    });
  });

  test('from each app with its own key', () => {
    const body = ipn({ app_id: otherApp.app_id });
    const given = { to: otherApp.app_id, body, signatures: [sign(body, otherApp)] };
    expect(decide(given)).toMatchObject({ is: 'notification', notification: { app_id: otherApp.app_id } });
  });

  test('with a previous secret key, until that key is removed', () => {
    const apps = [{ ...app, secret_key: 'the new key', previous_secret_keys: ['an older key', app.secret_key] }];
    expect(decide({ apps }).is).toBe('notification');
    expect(decide({ apps: [{ ...app, secret_key: 'the new key' }] })).toEqual({ is: 'refused', why: 'bad signature' });
  });
});

describe('a notification is refused', () => {
  // How a header is written at all: test/gateway/signing.test.ts.
  test.each<[string, string[]]>([
    ['without a signature', []],
    ['with an empty signature', ['']],
    ['with the signature of another app', [sign(ipn(), otherApp)]],
    ['with the signature of another body', [sign(ipn({ amount: '150.01' }))]],
    ['with two signatures, both right', [signature, signature]],
    ['with two signatures, the first right', [signature, sign(ipn(), otherApp)]],
    ['with two signatures, the last right', [sign(ipn(), otherApp), signature]],
    ['with a signature in uppercase', [signature.toUpperCase()]],
    ['with 63 digits', [signature.slice(0, -1)]],
  ])('%s', (_, signatures) => {
    expect(decide({ signatures })).toEqual({ is: 'refused', why: 'bad signature' });
  });

  test.each([
    ['an unknown app', 'nobody'],
    ['no app', ''],
    ['an app’s name in another case', 'SHOP-1'],
  ])('for %s, whichever key signs it', (_, to) => {
    for (const key of [app.secret_key, '', 'no such app']) {
      const given = { to, signatures: [sign(ipn({ app_id: to }), { app_id: to, secret_key: key })] };
      expect(decide({ ...given, body: ipn({ app_id: to }) })).toEqual({ is: 'refused', why: 'unknown app' });
    }
  });

  test('if no app is configured', () => expect(decide({ apps: [] })).toEqual({ is: 'refused', why: 'unknown app' }));

  test('if its body names another app than its path, even with a good signature', () => {
    const body = ipn({ app_id: otherApp.app_id });
    expect(decide({ body, signatures: [sign(body)] })).toEqual({ is: 'refused', why: 'other app' });
  });

  test('before it is parsed: an unreadable body with a bad signature is a bad signature', () => {
    expect(decide({ body: Buffer.from('{'), signatures: [signature] })).toEqual({
      is: 'refused',
      why: 'bad signature',
    });
  });
});

describe('the time of a refusal', () => {
  test('shows nothing: as many HMACs are computed for an app with old keys, an app without, and an unknown app', () => {
    const computed = jest.spyOn(crypto, 'createHmac');
    const apps = [{ ...app, previous_secret_keys: ['an old key', 'an older one'] }, otherApp];
    const asked: Given[] = [
      { to: app.app_id },
      { to: otherApp.app_id },
      { to: 'nobody' },
      { to: app.app_id, signatures: [] },
      { to: app.app_id, signatures: ['zz'] },
      { to: app.app_id, signatures: [signature, signature] },
    ];
    const counts = asked.map((given) => {
      const body = ipn({ amount: '1.00' });
      computed.mockClear();
      const { is } = decide({ body, signatures: [signature], ...given, apps });
      return [is, computed.mock.calls.length];
    });
    computed.mockRestore();
    expect(counts).toEqual(asked.map(() => ['refused', 3]));
  });
});

describe('a change of a single bit is refused', () => {
  const flipped = (bytes: Uint8Array, bit: number) => {
    const copy = Uint8Array.from(bytes);
    copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return copy;
  };

  test('in every bit of a signature, in both schemes', () => {
    const bytes = Buffer.from(signature, 'latin1');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(flipped(bytes, bit)).toString('latin1');
      expect(decide({ signatures: [changed] }).is).toBe('refused');
      expect(decide({ scheme: 't-v2', signatures: [`t=1645516741,v2=${changed}`] }).is).toBe('refused');
    }
  });
});

describe('a body with a good signature is unreadable, and not refused, if it is', () => {
  test.each<[string, Uint8Array]>([
    ['not JSON', Buffer.from('success')],
    ['empty', Buffer.alloc(0)],
    ['not UTF-8', Buffer.from([0xff, 0xfe, 0x7b])],
    ['without a trade_no', ipn({ trade_no: undefined })],
    ['without a trade_status', ipn({ trade_status: '' })],
    ['without an app_id', ipn({ app_id: undefined })],
  ])('%s', (_, body) => {
    expect(decide({ body })).toEqual({ is: 'unreadable', digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  test('no bytes make the verification throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((text) => Buffer.from(text)),
        ),
        (body) => {
          expect(['unreadable', 'notification', 'refused']).toContain(decide({ body }).is);
        },
      ),
    );
  });
});

describe('the digest, which identifies repetitions', () => {
  const digest = (given: Given) => {
    const decision = decide(given);
    return decision.is === 'refused' ? decision : decision.digest;
  };

  test('is the same for the same bytes, even with signatures of different keys', () => {
    const rotated = [{ ...app, previous_secret_keys: ['the old key'] }];
    const byOldKey = [sign(ipn(), { app_id: app.app_id, secret_key: 'the old key' })];
    expect(digest({})).toBe(digest({}));
    expect(digest({ apps: rotated, signatures: byOldKey })).toBe(digest({}));
  });

  test('differs for different bytes, even if their JSON means the same', () => {
    const spaced = Buffer.from(ipn().toString().replace(':', ': '));
    expect(digest({ body: spaced })).not.toBe(digest({}));
  });

  test('differs for the same bytes of another app', () => {
    const body = Buffer.from('{}');
    const other = digest({ to: otherApp.app_id, body, signatures: [sign(body, otherApp)] });
    expect(digest({ body })).not.toBe(other);
  });
});
