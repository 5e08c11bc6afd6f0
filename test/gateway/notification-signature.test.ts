/** The signature of a notification (section 6.4) in both schemes. */
import * as fc from 'fast-check';
import { isSignedBy, type SignatureScheme, signatureHeader } from '../../src/gateway';

/** RFC 4231, test case 2. */
const vector = {
  key: 'Jefe',
  body: Buffer.from('what do ya want for nothing?'),
  digest: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
};

const at = 1645516741_000;
const holds = (
  header: string | undefined,
  scheme: SignatureScheme = 'hex',
  keys: string[] = [vector.key],
  body = vector.body,
) => isSignedBy(body, header, keys, scheme);

describe('the header', () => {
  test('is the lowercase hexadecimal HMAC-SHA256 of the body', () => {
    expect(signatureHeader(vector.body, vector.key, 'hex', at)).toBe(vector.digest);
  });

  test('in the scheme t-v2 has the time in seconds, which is not signed', () => {
    expect(signatureHeader(vector.body, vector.key, 't-v2', at)).toBe(`t=1645516741,v2=${vector.digest}`);
    expect(signatureHeader(vector.body, vector.key, 't-v2', at + 999)).toBe(`t=1645516741,v2=${vector.digest}`);
  });

  test('is computed from key and body as UTF-8', () => {
    // Computed by openssl dgst -sha256 -hmac 'chave-ção'.
    expect(signatureHeader(Buffer.from('{"name":"São Paulo 😀"}'), 'chave-ção', 'hex', 0)).toBe(
      '6e671706cfadac3926e3aa05bc474e1889963dfd56c8db35c62055b046012b1c',
    );
  });
});

describe('a signature is valid', () => {
  test.each<[SignatureScheme, string]>([
    ['hex', vector.digest],
    ['t-v2', `t=1645516741,v2=${vector.digest}`],
    ['t-v2', `t=1645516741, v2=${vector.digest}`],
    // The time is not signed, so any will do.
    ['t-v2', `t=0,v2=${vector.digest}`],
  ])('in the scheme %s: %s', (scheme, header) => expect(holds(header, scheme)).toBe(true));

  test('for any body in both schemes, and for no other body or key', () => {
    const scheme = fc.constantFrom<SignatureScheme>('hex', 't-v2');
    fc.assert(
      fc.property(
        fc.uint8Array(),
        fc.string(),
        fc.uint8Array(),
        fc.string(),
        scheme,
        (body, key, otherBody, otherKey, s) => {
          const header = signatureHeader(body, key, s, at);
          expect(isSignedBy(body, header, [key], s)).toBe(true);
          if (Buffer.compare(body, otherBody) !== 0) expect(isSignedBy(otherBody, header, [key], s)).toBe(false);
          // HMAC pads keys with zero bytes, so those that differ only in them are the same key.
          if (key.replace(/\0+$/, '') !== otherKey.replace(/\0+$/, ''))
            expect(isSignedBy(body, header, [otherKey], s)).toBe(false);
        },
      ),
    );
  });

  test('only for the exact bytes: other white space is another body', () => {
    const header = signatureHeader(Buffer.from('{"a":1}'), 'k', 'hex', at);
    expect(isSignedBy(Buffer.from('{"a": 1}'), header, ['k'], 'hex')).toBe(false);
  });
});

describe('a header is refused', () => {
  const { digest } = vector;
  const wrong = digest.replace(/^5/, '6');

  test.each<[string, string | undefined]>([
    ['that is missing', undefined],
    ['that is empty', ''],
    ['of another digest', wrong],
    ['whose last character is another', digest.replace(/3$/, '4')],
    ['in capitals', digest.toUpperCase()],
    ['with one capital', digest.replace('b', 'B')],
    ['that is too short', digest.slice(0, -1)],
    ['that is half', digest.slice(0, 32)],
    ['that is too long', `${digest}0`],
    ['that comes twice, as Node joins headers', `${digest}, ${digest}`],
    ['that comes twice, the wrong one first', `${wrong}, ${digest}`],
    ['that comes twice without a break', digest + digest],
    ['with a character that is no hex digit', digest.replace(/3$/, 'g')],
    ['whose digits are followed by others', `${digest}zz`],
    ['with white space around', ` ${digest} `],
    ['with a line break at its end', `${digest}\n`],
    ['with a prefix', `sha256=${digest}`],
    ['in base64', Buffer.from(digest, 'hex').toString('base64')],
    ['of the other scheme', `t=1645516741,v2=${digest}`],
  ])('%s', (_, header) => expect(holds(header)).toBe(false));

  test.each<[string, string]>([
    ['of the other scheme', digest],
    ['of another digest', `t=1645516741,v2=${wrong}`],
    ['in capitals', `t=1645516741,v2=${digest.toUpperCase()}`],
    ['that is too short', `t=1645516741,v2=${digest.slice(0, -1)}`],
    ['without a time', `v2=${digest}`],
    ['with an empty time', `t=,v2=${digest}`],
    ['with a time that is no number', `t=now,v2=${digest}`],
    ['of an older version', `t=1645516741,v1=${digest}`],
    ['in another order', `v2=${digest},t=1645516741`],
    ['that comes twice', `t=1645516741,v2=${digest}, t=1645516741,v2=${digest}`],
    ['with two digests, the right one last', `t=1645516741,v2=${wrong},v2=${digest}`],
    ['with more white space', `t=1645516741,  v2=${digest}`],
  ])('in the scheme t-v2 %s', (_, header) => expect(holds(header, 't-v2')).toBe(false));

  test('if there are no keys', () => expect(holds(digest, 'hex', [])).toBe(false));

  test('of all zeros, the stand-in for an unreadable one', () => {
    expect(holds('0'.repeat(64))).toBe(false);
  });
});

describe('while keys are rotated', () => {
  const header = (key: string) => signatureHeader(vector.body, key, 'hex', at);

  test.each(['new', 'old', 'older'])('the key %s is accepted at any position', (key) => {
    expect(holds(header(key), 'hex', ['new', 'old', 'older'])).toBe(true);
    expect(holds(header(key), 'hex', ['older', 'old', 'new'])).toBe(true);
  });

  test('another key is refused', () => expect(holds(header('oldest'), 'hex', ['new', 'old'])).toBe(false));

  test('a removed key is refused', () => expect(holds(header('old'), 'hex', ['new'])).toBe(false));
});
