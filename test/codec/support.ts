/** Keys and payloads for the codec's tests. */
import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { EncryptionKey } from '../../src/codec';

export const key = (id: string): EncryptionKey => ({ id, key: randomBytes(32) });

/** The value of PAYMENTS_ENCRYPTION_KEYS for these keys. */
export const setting = (...keys: EncryptionKey[]) =>
  keys.map(({ id, key: bytes }) => `${id}:${Buffer.from(bytes).toString('base64')}`).join(',');

export const payload = (value: unknown): Payload => defaultPayloadConverter.toPayload(value) ?? {};
export const decoded = (encoded: Payload): unknown => defaultPayloadConverter.fromPayload(encoded);

export const metadata = ({ metadata: fields }: Payload): Record<string, string> =>
  Object.fromEntries(Object.entries(fields ?? {}).map(([name, bytes]) => [name, Buffer.from(bytes).toString()]));
