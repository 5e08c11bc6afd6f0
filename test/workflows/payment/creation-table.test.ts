/** Promises 1 and 2 as a table: what may be done next to create an order, by everything that can be known. */
import { type CreationFacts, nextCreationStep } from '../../../src/workflows/payment/creation-table';

const VALUES: { readonly [Name in keyof CreationFacts]: readonly CreationFacts[Name][] } = {
  hasEnded: [false],
  mayExist: [false, true],
  mayBeReached: [false, true],
  said: ['nothing', 'not-created', 'created-refused', 'duplicate'],
  looked: ['not-yet', 'no-such-order', 'no-answer'],
  isNotified: [false, true],
  isWithdrawn: [false, true],
  isInTime: [false, true],
  isRested: [false, true],
};

const NOTHING: CreationFacts = {
  ...{ hasEnded: false, mayExist: false, mayBeReached: false, said: 'nothing', looked: 'not-yet' },
  ...{ isNotified: false, isWithdrawn: false, isInTime: true, isRested: true },
};

/** Every combination of facts, where nothing was sold. */
const ALL = Object.entries(VALUES).reduce<CreationFacts[]>(
  (sofar, [name, values]) => sofar.flatMap((facts) => values.map((value) => ({ ...facts, [name]: value }))),
  [NOTHING],
);
const stepsWhere = (fits: (facts: CreationFacts) => boolean) =>
  [...new Set(ALL.filter(fits).map(nextCreationStep))].sort();

test('every combination of facts is in the table: 768', () => {
  expect(ALL).toHaveLength(768);
});

test('what was sold is not created again, whatever else is known', () => {
  expect([...new Set(ALL.map((facts) => nextCreationStep({ ...facts, hasEnded: true })))]).toEqual(['end-as-before']);
});

test('a notification ends the right to create: the trade is looked for, unless the gateway has refused our order', () => {
  const isRefused = ({ mayExist, said }: CreationFacts) => !mayExist && said === 'created-refused';
  expect(stepsWhere((facts) => facts.isNotified && !isRefused(facts))).toEqual(['compare', 'look', 'look-on']);
  expect(stepsWhere((facts) => facts.isNotified && isRefused(facts))).toEqual(['ask', 'end-refused']);
  expect(stepsWhere(({ isNotified, mayExist }) => isNotified && mayExist)).toEqual(['look', 'look-on']);
});

test('no refusal of an order that was made counts before the order was asked for', () => {
  expect(stepsWhere(({ said, looked }) => said === 'created-refused' && looked === 'not-yet')).toEqual(['ask', 'look']);
});

test('while an order of ours may exist, nothing is sent and nothing ends without a look that lasted', () => {
  expect(stepsWhere(({ mayExist, looked }) => mayExist && looked !== 'no-such-order')).toEqual(['look', 'look-on']);
});

test('a duplicate, a withdrawal or a lapse of time turns nothing unknown into failed', () => {
  const steps = stepsWhere(
    ({ mayExist, said, isWithdrawn, isInTime }) =>
      mayExist && (said === 'nothing' || said === 'duplicate') && (said === 'duplicate' || isWithdrawn || !isInTime),
  );
  expect(steps).toEqual(['look', 'look-on']);
});

test('an order is sent only before its time, if nobody withdrew it', () => {
  const sent = ALL.filter((facts) => nextCreationStep(facts) === 'send');
  expect(sent.length).toBeGreaterThan(0);
  expect(sent.filter(({ isInTime, isWithdrawn, isNotified }) => !isInTime || isWithdrawn || isNotified)).toEqual([]);
});

test.each([
  [{}, 'send'],
  [{ isWithdrawn: true }, 'end-not-sent'],
  [{ isInTime: false }, 'end-not-sent'],
  [{ said: 'not-created' }, 'end-not-created'],
  [{ said: 'created-refused' }, 'ask'],
  [{ said: 'created-refused', looked: 'no-such-order' }, 'end-refused'],
  [{ said: 'created-refused', looked: 'no-answer' }, 'end-refused'],
  [{ said: 'duplicate' }, 'compare'],
  [{ mayExist: true }, 'look'],
  [{ mayExist: true, looked: 'no-answer' }, 'look-on'],
  [{ mayExist: true, looked: 'no-such-order' }, 'send'],
  [{ mayExist: true, looked: 'no-such-order', isRested: false }, 'rest'],
  [{ mayExist: true, looked: 'no-such-order', isWithdrawn: true }, 'look-on'],
  [{ mayExist: true, looked: 'no-such-order', said: 'created-refused' }, 'end-refused'],
  [{ mayExist: true, looked: 'no-such-order', said: 'not-created' }, 'end-not-created'],
  [{ mayExist: true, looked: 'no-such-order', said: 'duplicate' }, 'look-on'],
] satisfies [Partial<CreationFacts>, string][])('%j: %s', (known, step) => {
  expect(nextCreationStep({ ...NOTHING, ...known })).toBe(step);
});
