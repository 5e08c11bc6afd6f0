/** What a merchant's bundle registers: a Worker takes every function that the bundle exports for a workflow. */
import * as merchants from '../../examples/typescript/workflows';
import * as calls from '../../src/calls';
import { WORKFLOW } from '../../src/contract';
import * as workflows from '../../src/workflows';

/** The tables of names that the room passes on are objects. */
const functionsOf = (exported: object) =>
  Object.entries(exported).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []));

test('every function of /workflows is a workflow of the contract, so that nothing else can be started by its name', () => {
  expect(functionsOf(workflows).sort()).toEqual(Object.values(WORKFLOW).sort());
});

test('the workflows of the README add their own one, and the calls that refuse to be started by their names', () => {
  const added = ['sellTickets', 'startPayment', 'refundPayment'];
  expect(functionsOf(merchants).sort()).toEqual([...Object.values(WORKFLOW), ...added].sort());
  expect(functionsOf(calls)).toEqual(expect.arrayContaining(['startPayment', 'refundPayment', 'nexusPayments']));
});
