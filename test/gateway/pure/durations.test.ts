/** timeout_express and cancellation_express: an integer and m, h or d, or c for the end of the current UTC day. More: test/contract/interface/{time.test,rows/orders}.ts. */
import * as fc from 'fast-check';
import { deadline } from '../../../src/gateway/pure/durations';

describe('deadline', () => {
  test('agrees with the calendar of Date', () => {
    const moment = fc.date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
    const count = fc.integer({ min: 1, max: 5000 });
    fc.assert(
      fc.property(moment, count, (from, n) => {
        const add = (change: (date: Date) => void) => {
          const date = new Date(from);
          change(date);
          return date.getTime();
        };
        expect(deadline(`${n}m`, from.getTime())).toBe(add((d) => d.setUTCMinutes(d.getUTCMinutes() + n)));
        expect(deadline(`${n}h`, from.getTime())).toBe(add((d) => d.setUTCHours(d.getUTCHours() + n)));
        expect(deadline(`${n}d`, from.getTime())).toBe(add((d) => d.setUTCDate(d.getUTCDate() + n)));
        expect(deadline('1c', from.getTime())).toBe(add((d) => d.setUTCHours(23, 59, 59, 999)));
      }),
    );
  });

  test.each([
    '',
    '90',
    'm',
    '0m',
    '00m',
    '05m',
    '-5m',
    '+5m',
    '1.5h',
    '1e2m',
    '5 m',
    '5M',
    '5s',
    '2c',
    '0c',
    '1cc',
    ' 1c',
    '1c\n',
    '1m\n',
    '9999999m',
  ])('%j is not in the interface’s form', (express) => expect(deadline(express, 0)).toBeUndefined());
});
