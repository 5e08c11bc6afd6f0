/** The order of keys through a rotation: the first is in use, a staged one is last, and none is lost. */
import fc from 'fast-check';
import { madeAt, makeKeys } from '../../src/cli/keys';
import { rotated } from '../../src/cli/rotate-keys';

test('a staged and then promoted key is in use, before those that were', () => {
  const staged = rotated(['b', 'a'], 'c', 'stage');
  expect(staged).toEqual(['b', 'a', 'c']);
  expect(rotated(staged, 'unused', 'promote')).toEqual(['c', 'b', 'a']);
});

test('at once comes to the same', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.string(), (keys, fresh) => {
      expect(rotated(rotated(keys, fresh, 'stage'), 'unused', 'promote')).toEqual(rotated(keys, fresh, 'at once'));
    }),
  );
});

test('a key’s id tells when it was made, to the second', async () => {
  const now = new Date('2026-11-21T09:44:31.500Z');
  const { encryption_key, sealing_private_jwks } = await makeKeys(now);
  const [id = ''] = encryption_key.split(':');
  expect(id).toMatch(/^20261121T094431Z-[0-9a-f]{6}$/);
  expect(sealing_private_jwks.keys).toEqual([expect.objectContaining({ kid: id })]);
  expect(madeAt(id)).toBe(Date.parse('2026-11-21T09:44:31Z'));
  for (const other of ['', 'key-1', '2026-11-21-abcdef']) expect(madeAt(other)).toBeUndefined();
});
