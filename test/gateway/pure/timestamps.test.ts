/** Times on the wire. The vectors of `timestamp` in time zones are in test/contract/interface/time.test.ts. */
import * as fc from 'fast-check';
import { readInstant, wireTimestamp } from '../../../src/gateway/pure/timestamps';

const moment = fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2100, 0, 1) });

/** A second way to compute it: the instant shifted by the offset, read as UTC. */
const shifted = (at: number, offset_ms: number) =>
  new Date(at + offset_ms).toISOString().slice(0, 19).replace('T', ' ');

describe('wireTimestamp', () => {
  test('in UTC is the ISO instant', () => {
    fc.assert(fc.property(moment, (at) => expect(wireTimestamp(at, 'UTC')).toBe(shifted(at, 0))));
  });

  test('in a zone of a fixed offset is the shifted instant', () => {
    fc.assert(
      fc.property(moment, fc.integer({ min: -12, max: 14 }), (at, hours) => {
        // Etc/GMT+3 is three hours behind.
        const zone = `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
        expect(wireTimestamp(at, zone)).toBe(shifted(at, hours * 3_600_000));
      }),
    );
  });

  test('in a zone that does not exist throws a RangeError', () => {
    expect(() => wireTimestamp(0, 'America/Springfield')).toThrow(RangeError);
  });
});

describe('readInstant', () => {
  test.each([
    ['1645516741', '2022-02-22T07:59:01.000Z'],
    [' 1645516741123 ', '2022-02-22T07:59:01.123Z'],
    ['2022-02-22 07:59:01', '2022-02-22T07:59:01.000Z'],
    ['2022-02-22T07:59:01.5Z', '2022-02-22T07:59:01.500Z'],
    ['2022-02-22T07:59:01-03:00', '2022-02-22T10:59:01.000Z'],
  ])('%j is %s', (text, instant) => expect(readInstant(text)).toBe(Date.parse(instant)));

  test.each([undefined, '', '7', 'yesterday', '2022-02-22', '2022-13-22 07:59:01'])('%j is no instant', (text) => {
    expect(readInstant(text)).toBeUndefined();
  });
});
