/** How a query is reconciled with the notifications that it contradicts. */
import type { QueriedTrade } from '../../../src/contract/gateway';
import { lookOnce } from '../../../src/workflows/shared/look';
import { RecheckRequests } from '../../../src/workflows/shared/recheck-requests';
import { isBehind, queryUntilConsistent } from '../../../src/workflows/shared/stale-read';

jest.mock('../../../src/workflows/shared/look', () => ({ lookOnce: jest.fn() }));

const looks = jest.mocked(lookOnce);

const trade = (trade_status: string): QueriedTrade => ({
  ...{ trade_no: 'T1', out_trade_no: 'order-1', trade_status, asked_at: 0 },
});
const claimsOf = (statuses: (string | undefined)[]) => statuses.map((trade_status) => ({ trade_status }));
const TRADE = { app_id: 'app', id: { trade_no: 'T1' }, settling_ms: 30_000, patience_ms: 600_000, read_by: 'r' };

beforeEach(() => looks.mockReset());

test.each<[queried: string, notified: (string | undefined)[], behind: boolean]>([
  ['PROCESSING', ['SUCCESS'], true],
  ['EXPIRED', ['SUCCESS'], true],
  ['SUCCESS', ['CHARGEBACK'], true],
  ['CHARGEBACK', ['SUCCESS'], true],
  ['PROCESSING', ['REFUSED', 'SUCCESS'], true],
  ['SUCCESS', ['SUCCESS'], false],
  ['REFUNDED', ['SUCCESS'], false],
  ['PROCESSING', ['REFUSED'], false],
  ['PROCESSING', ['SOMETHING_NEW'], false],
  ['PROCESSING', [undefined], false],
  ['PROCESSING', [], false],
])('a trade queried as %s and notified as %j is behind: %j', (queried, notified, behind) => {
  expect(isBehind(queried, claimsOf(notified))).toBe(behind);
});

/** The first query's answer, the notification, what each further query answers, and the result. */
const READS: [name: string, queried: string, notified: string, further: string[], result: string, no: boolean][] = [
  ['an answer that agrees is not queried again', 'SUCCESS', 'SUCCESS', [], 'SUCCESS', false],
  ['an answer that agrees later is taken', 'EXPIRED', 'SUCCESS', ['SUCCESS'], 'SUCCESS', false],
  ['an answer that stays the same is a contradiction', 'EXPIRED', 'SUCCESS', ['EXPIRED'], 'EXPIRED', true],
  ['an answer that changes has to settle anew', 'PROCESSING', 'SUCCESS', ['EXPIRED', 'EXPIRED'], 'EXPIRED', true],
  [
    'an answer that changes and then agrees is taken',
    'PROCESSING',
    'SUCCESS',
    ['EXPIRED', 'SUCCESS'],
    'SUCCESS',
    false,
  ],
];

test.each(READS)('%s', async (_name, queried, notified, further, trade_status, contradicted) => {
  for (const status of further) looks.mockResolvedValueOnce({ is: 'found', trade: trade(status) });
  const read = await queryUntilConsistent(trade(queried), claimsOf([notified]), {
    ...TRADE,
    requests: new RecheckRequests(),
    onUnanswered: () => undefined,
  });
  expect(read).toEqual({ trade: trade(trade_status), contradicted });
  const seen = [queried, ...further].slice(0, further.length);
  const { app_id, id, ...times } = TRADE;
  expect(looks.mock.calls).toEqual(seen.map((status) => [app_id, id, times, status]));
});
