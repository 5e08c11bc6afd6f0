/**
 * docs/contract.md, and the examples of docs/events.md and docs/nexus.md, against the contract in code. Each example bears the name of its type, and TypeScript holds one
 * against the other; each list of values has to name all values of its type and no other.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAILURE, type MerchantEvent, SEARCH_ATTRIBUTE, WORKFLOW } from '../../src/contract';
import { parseCheckout, parseDirectPayment, parseNewSpeiAccount } from '../../src/gateway';
import { ROOT } from '../harness/terminal';
import { read } from './markdown';

const PAGE = read('docs/contract.md');
const EVENTS = read('docs/events.md');
const NEXUS = read('docs/nexus.md');

const examples = [...`${PAGE}\n${EVENTS}\n${NEXUS}`.matchAll(/<!-- (\w+) -->\n\n```json\n(.*?)```/gs)].map(
  ([, type = '', json = '']) => ({
    type,
    json,
  }),
);
/** The names in backticks at the beginning of each item, up to the colon. */
const lists = [...PAGE.matchAll(/<!-- list: ([^\n]+?) -->\n\n(.*?)\n(?:\n|$)/gs)].map(([, type = '', items = '']) => ({
  type,
  values: [...items.matchAll(/^- ([^:\n]*)/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([\w-]+)`/g)].map(([, value = '']) => value),
  ),
}));

test('every example is JSON and bears the name of its type', () => {
  expect(examples.length).toBeGreaterThan(20);
  expect(examples).toHaveLength(`${PAGE}${EVENTS}${NEXUS}`.split('```json').length - 1);
  for (const { json } of examples) expect(() => JSON.parse(json)).not.toThrow();
});

/** Where the types live that contract/ does not have. */
const ELSEWHERE: Record<string, string> = {
  CallOutcome: `import('${ROOT}/src/gateway/errors').CallOutcome`,
  GatewayErrorFields: `import('${ROOT}/src/gateway/errors').GatewayErrorFields`,
  TradeStatus: `import('${ROOT}/src/gateway/pure/names').TradeStatus`,
  Sealed: `import('${ROOT}/src/gateway/sealing').Sealed`,
  FailureType: '(typeof contract.FAILURE)[keyof typeof contract.FAILURE]',
};
const typed = (type: string) => ELSEWHERE[type] ?? `contract.${type}`;

/** A program that compiles only where the page is right. */
const program = () =>
  [
    `import type * as contract from '${ROOT}/src/contract';`,
    ...examples.map(({ type, json }) => `(${json.trim()}) satisfies ${typed(type)};`),
    ...lists.map(({ type, values }) => {
      const record = Object.fromEntries(values.map((value) => [value, true]));
      return `(${JSON.stringify(record)}) satisfies Record<${typed(type)}, true>;`;
    }),
  ].join('\n');

test('every example has the shape of its type, and every list has all values of its type', () => {
  const folder = mkdtempSync(join(tmpdir(), 'contract-page-'));
  try {
    writeFileSync(join(folder, 'page.ts'), program());
    const compilerOptions = { rootDir: '/', typeRoots: [join(ROOT, 'node_modules/@types')] };
    const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['page.ts'], exclude: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const { stdout } = spawnSync('npx', ['tsc', '--noEmit', '--singleThreaded', '-p', folder], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('every request in the examples follows the gateway’s rules', () => {
  const rules: Record<string, (request: unknown) => unknown> = {
    direct: parseDirectPayment,
    checkout: parseCheckout,
    NexusOrder: parseDirectPayment,
    CreateSpeiAccountInput: parseNewSpeiAccount,
  };
  const requests = examples
    .filter(({ type }) => ['NewPayment', 'NexusOrder', 'CreateSpeiAccountInput'].includes(type))
    .map(({ type, json }) => ({ type, ...JSON.parse(json) }));
  expect(requests).toHaveLength(4);
  for (const { kind, type, request } of requests) expect(() => rules[kind ?? type]?.(request)).not.toThrow();
});

test('each workflow that others use has a section', () => {
  const sections = [...PAGE.matchAll(/^## (\w+)$/gm)].map(([, title = '']) => title);
  expect(sections).toEqual(expect.arrayContaining(Object.values(WORKFLOW)));
});

test('each failure that a section names is in the list of failures', () => {
  const types: string[] = Object.values(FAILURE);
  const named = [...PAGE.matchAll(/fails? with (.*?)\./gs)].flatMap(([, list = '']) => [
    ...list.matchAll(/`([A-Z]\w+)`/g),
  ]);
  expect(named.length).toBeGreaterThan(10);
  for (const [, type = ''] of named) expect(types).toContain(type);
});

test('each search attribute has its type', () => {
  const section = PAGE.slice(PAGE.indexOf('### Search attributes'));
  const named = [...section.matchAll(/`(Payment\w+)` \((\w+)\)/g)].map(([, name = '', type = '']) => [
    name,
    type.toUpperCase(),
  ]);
  const known = Object.values(SEARCH_ATTRIBUTE).map(({ name, type }) => [name, type]);
  expect(named.sort()).toEqual(known.sort());
});

test('the catalogue of events has a section for each type, and for no other', () => {
  const [, catalogue = ''] = EVENTS.split('\n## Catalogue\n');
  const told = [...catalogue.matchAll(/^### (.+)$/gm)].map(([, type = '']) => type);
  const types: Record<MerchantEvent['type'], true> = {
    ...{ transition: true, attention: true, deposit: true, 'deposit-set-aside': true, 'account-status': true },
    ...{ 'account-attention': true, 'account-attention.overdue': true, 'account-attention.cleared': true },
    ...{ 'attention.overdue': true, 'attention.cleared': true, sold: true, refund: true, failed: true },
    'stuck-payments': true,
  };
  expect(told.sort()).toEqual(Object.keys(types).sort());
  for (const { type, json } of examples.filter(({ type: one }) => one.endsWith('Event')))
    expect([type, told]).toEqual([type, expect.arrayContaining([JSON.parse(json).type])]);
});
