import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultPlaces, notificationFaults, requestFaults } from '../../src/simulator/faults/faults';
import { defaultSettings } from '../../src/simulator/settings';
import { refundActionNames, tradeActionNames } from '../../src/simulator/trades/steps';

const readme = readFileSync(join(__dirname, '../../docs/simulator.md'), 'utf8');

describe('the README of the simulator names', () => {
  test.each(Object.entries(defaultSettings))('the setting %s and its default, %j', (name, value) => {
    const row = readme.split('\n').find((line) => line.startsWith('|') && line.split('|')[1]?.includes(`\`${name}\``));
    expect(row).toBeDefined();
    if (!Array.isArray(value)) expect(row).toContain(`\`${value}\``);
  });

  test.each([...Object.keys(requestFaults), ...Object.keys(notificationFaults)])('the fault %s', (name) => {
    expect(readme).toContain(`\`${name}\``);
  });

  test.each(faultPlaces)('the place %s', (name) => {
    expect(readme).toContain(`\`${name}\``);
  });

  test.each([...tradeActionNames, ...refundActionNames])('the action %s', (name) => {
    expect(readme).toMatch(new RegExp(`/${name}\``));
  });
});
