/** The types of settings. Each takes text, and its error says what the text should have been. */
import { createHash } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { z } from 'zod';
import { DAY, HOUR, MINUTE } from '../../gateway/pure/durations';
import { networks } from '../addresses';

export const nonEmpty = z.string().min(1);

/** The name of a header, a token of RFC 9110: no request could carry another one. */
export const headerName = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]+$/, 'must be the name of an HTTP header, such as Service-Signature');

const UNITS: Record<string, number> = { ms: 1, s: 1000, m: MINUTE, h: HOUR, d: DAY };

/** `90s`, `15m`, `1h` as milliseconds. */
export const durationText = z.string().transform((given, ctx) => {
  const [, count, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(given.trim()) ?? [];
  if (count && unit) return Number(count) * (UNITS[unit] ?? 0);
  ctx.addIssue({ code: 'custom', message: 'must be a duration such as 500ms, 30s, 15m, 1h or 3d' });
  return z.NEVER;
});

/** A duration above zero, for a call that needs a bound or a pause that must not be none. */
export const pause = durationText.refine((ms) => ms > 0, 'must be longer than nothing');

/** Times since a beginning, which grow, separated by commas. */
export const schedule = z
  .string()
  .transform((given) => given.split(','))
  .pipe(z.array(durationText).min(1))
  .refine(
    (times) => times.every((at, i) => at > (times[i - 1] ?? 0)),
    'must grow: each time counts from the beginning, and not from the time before it',
  );

export const port = z.coerce.number().int().min(0).max(65_535);

/** An address of this machine with a port. */
export const listenAddress = z.string().refine((given) => {
  const [, six, four = '', at] = /^(?:\[([\da-f:.]+)\]|([\d.]+)):(\d{1,5})$/i.exec(given) ?? [];
  return (six ? isIPv6(six) : isIPv4(four)) && Number(at) > 0 && Number(at) <= 65_535;
}, 'must be an IP address with a port, such as 127.0.0.1:9464 or [::1]:9464');

export const flag = z.enum(['true', 'false']).transform((given) => given === 'true');

/** Names separated by commas; none if the text is empty. */
export const names = z.string().transform((given) =>
  given
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean),
);

export const networkList = names.refine(
  (list) => succeeds(() => networks(list)),
  'must be networks such as 203.0.113.0/24,2001:db8::/32, separated by commas',
);

/** A limit on how many may come, or be there, at a time. */
export const limit = z.coerce.number().int().positive();

/** An address of a server. A name and a password in it would be dropped silently by some programs, and logged by others. */
const withoutCredentials = z
  .url({
    protocol: /^https?$/,
    error: 'must be a whole address that begins with https://, such as https://pay.example.com',
  })
  .refine((given) => {
    const { username, password } = URL.canParse(given) ? new URL(given) : { username: '', password: '' };
    return username === '' && password === '';
  }, 'must not hold a name or a password');

/** An address without a slash at its end. */
export const httpAddress = withoutCredentials.transform((given) => given.replace(/\/$/, ''));

export const timeZone = z
  .string()
  .refine((zone) => succeeds(() => new Intl.DateTimeFormat('en', { timeZone: zone })), 'must be an IANA time zone');

interface JsonRules {
  /** The message for text that is not JSON. */
  unlikeJson?: string;
  /** What is wrong with the value, before the schema reads it. */
  issueOf?: (value: unknown) => string | undefined;
}

/** JSON text that holds a value of this schema. */
export const jsonText = <T extends z.ZodType>(
  schema: T,
  { unlikeJson = 'must be JSON', issueOf = () => undefined }: JsonRules = {},
) =>
  z
    .string()
    .transform((given, ctx): unknown => {
      const read = jsonOf(given);
      const message = read ? issueOf(read.value) : unlikeJson;
      if (message === undefined) return read?.value;
      ctx.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .pipe(schema);

function jsonOf(given: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(given) };
  } catch {
    return undefined;
  }
}

/** A key that signs. The gateway makes it; a shorter key, or one character repeated, is a mistake or a guess. */
export const secretKey = z
  .string()
  .refine(
    (key) => key.length >= 6 && new Set(key).size > 1,
    'is too weak: it needs six or more characters, and not the same one again and again',
  );

/** `id:base64` of 32 bytes, separated by commas or line breaks; the first one encrypts. */
export const encryptionKeys = z.string().transform((given, ctx) => {
  const keys = given
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(encryptionKey);
  const [first, ...others] = keys.filter((key) => key !== undefined);
  const ids = new Set(keys.map((key) => key?.id));
  if (first && others.length + 1 === keys.length && ids.size === keys.length) return [first, ...others] as const;
  const message =
    'must be id:base64 of 32 random bytes, several separated by commas, each id once (payment-gateway keys new makes one)';
  ctx.addIssue({ code: 'custom', message });
  return z.NEVER;
});

function encryptionKey(given: string): { id: string; key: Uint8Array } | undefined {
  const [, id, base64] = /^([\w.-]{1,64}):([A-Za-z0-9+/]{43}=)$/.exec(given) ?? [];
  const key = Buffer.from(base64 ?? '', 'base64');
  // A key of zeros is a placeholder that nobody has replaced.
  return id && key.some((byte) => byte !== 0) ? { id, key } : undefined;
}

/** Origins of web pages, as browsers send them. */
export const origins = names.pipe(
  z.array(
    z.string().refine((given) => URL.canParse(given) && new URL(given).origin === given, {
      message: 'must be origins such as https://temporal.example.com, without a path',
    }),
  ),
);

const hasNoSpace = (given: string) => !/\s/.test(given);

/** Addresses separated by commas. A slash at an end is kept: it may matter to the receiver. */
export const eventUrls = names.pipe(
  z.array(withoutCredentials.refine(hasNoSpace, 'has a space: separate addresses by commas')).min(1),
);

/** The hosts of such addresses, each once: the rest of an address may hold a secret. */
export const hostsOf = (urls: readonly string[]): string[] => [...new Set(urls.map((url) => new URL(url).host))];

/** A digest that names such an address without showing it. */
export const endpointOf = (url: string) => createHash('sha256').update(url).digest('hex').slice(0, 12);

/** Secrets of Standard Webhooks, of 24 to 64 bytes. */
export const eventSecrets = names.pipe(
  z.array(z.string().regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, 'must be whsec_ and base64 of 24 to 64 bytes')).min(1),
);

/** A token that nobody can guess. */
export const bearerToken = z.string().regex(/^[\w\-.~+/]{32,}=*$/, 'must be 32 or more letters and digits');

function succeeds(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}
