import type { TradeState } from '../../src/simulator';
import { tradeStates } from '../../src/simulator/records';
import { duration } from '../../src/simulator/time';
import { stepsBetween, tradeActionNames, tradeActions, tradeSteps } from '../../src/simulator/trades/steps';
import { created, simulator } from './running';
import { noon } from './support';

const status = (no: string) => simulator.trade(no).trade_status;

describe('the table of transitions', () => {
  // The gateway in the field, state by state.
  const table: Partial<Record<TradeState, TradeState[]>> = {
    INITIAL: ['EXPIRED', 'PROCESSING', 'RISK_CONTROLLING', 'REFUSED'],
    PROCESSING: ['SUCCESS', 'REFUSED', 'CANCEL'],
    RISK_CONTROLLING: ['SUCCESS', 'REFUSED'],
    SUCCESS: ['REFUND_VERIFYING', 'DISPUTE', 'CHARGEBACK', 'REFUNDED'],
    REFUND_VERIFYING: ['REFUND_PROCESSING', 'REFUND_REVOKE'],
    REFUND_PROCESSING: ['REFUNDED', 'REFUND_REVOKE', 'REFUND_REFUSED', 'PARTIAL_REFUND'],
    REFUND_REVOKE: ['SUCCESS'],
    // The interface's own state, and the second refund of a trade: the field's table has neither.
    PARTIAL_REFUND: ['REFUND_VERIFYING', 'DISPUTE', 'CHARGEBACK', 'REFUNDED'],
    REFUNDED: ['REFUND_VERIFYING'],
    REFUND_REFUSED: ['REFUND_VERIFYING'],
    DISPUTE: ['CHARGEBACK'],
    CHARGEBACK: ['CHARGEBACK_REVERSED'],
    CHARGEBACK_REVERSED: ['SUCCESS'],
  };

  test.each(tradeStates)('%s has the steps of the table', (from) => {
    const to = tradeSteps.filter((step) => step.from === from).map((step) => step.to);
    expect(to.sort()).toEqual([...(table[from] ?? [])].sort());
  });

  test('two steps back to SUCCESS are never notified', () => {
    expect(tradeSteps.filter(({ silent }) => silent).map(({ from, to }) => `${from} ${to}`)).toEqual([
      'REFUND_REVOKE SUCCESS',
      'CHARGEBACK_REVERSED SUCCESS',
    ]);
  });
});

describe('a buyer acts', () => {
  test.each([
    ['submit', 'PROCESSING', ['PROCESSING']],
    ['pay', 'SUCCESS', ['PROCESSING', 'SUCCESS']],
    ['refuse', 'REFUSED', ['REFUSED']],
    ['cancel', 'CANCEL', ['PROCESSING', 'CANCEL']],
    ['risk', 'RISK_CONTROLLING', ['RISK_CONTROLLING']],
  ] as const)('on an INITIAL card: %s', async (action, end, steps) => {
    const no = await created('credit-card');
    expect(await simulator.act(no, action)).toMatchObject({ trade_status: end });
    expect(simulator.trade(no).history.map(({ to }) => to)).toEqual(steps);
  });

  test.each([
    ['PROCESSING', 'pay', 'SUCCESS'],
    ['PROCESSING', 'refuse', 'REFUSED'],
    ['PROCESSING', 'cancel', 'CANCEL'],
    ['RISK_CONTROLLING', 'pay', 'SUCCESS'],
    ['RISK_CONTROLLING', 'refuse', 'REFUSED'],
  ] as const)('on a %s card: %s', async (before, action, end) => {
    const no = await created('credit-card');
    await simulator.act(no, before === 'PROCESSING' ? 'submit' : 'risk');
    await simulator.act(no, action);
    expect(status(no)).toBe(end);
  });

  test('every other action is refused and changes nothing', async () => {
    const ends = ['pay', 'refuse', 'cancel'] as const;
    for (const end of ends) {
      const no = await created('credit-card', { out_trade_no: `ended by ${end}` });
      await simulator.act(no, end);
      const before = simulator.trade(no);
      for (const action of tradeActionNames.filter((name) => tradeActions[name].by === 'buyer')) {
        await expect(simulator.act(no, action)).rejects.toThrow(
          `A trade that is ${before.trade_status} can not become ${tradeActions[action].to}.`,
        );
      }
      expect(simulator.trade(no)).toEqual(before);
    }
    const risky = await created('credit-card', { out_trade_no: 'risky' });
    await simulator.act(risky, 'risk');
    for (const action of ['submit', 'cancel', 'risk'] as const)
      await expect(simulator.act(risky, action)).rejects.toThrow('can not become');
  });

  test('risk control looks at cards only', async () => {
    const no = await created('wallet-qr');
    await expect(simulator.act(no, 'risk')).rejects.toThrow('cards only');
    expect(status(no)).toBe('INITIAL');
  });

  test('on a checkout that left the method open, in the method chosen or a usual one', async () => {
    const no = await created('checkout', { out_trade_no: 'one' });
    expect(await simulator.act(no, 'submit', { method: 'Boleto' })).toMatchObject({
      method: 'Boleto',
      payment_data: { barcode: expect.stringMatching(/^\d{44}$/) },
    });
    await created('checkout', { out_trade_no: 'two' });
    expect(await simulator.pay('two')).toMatchObject({ method: 'PIX', trade_status: 'SUCCESS' });
  });

  test('on a checkout of one method, in no other', async () => {
    const no = await created('checkout-one-method');
    await expect(simulator.pay(no, { method: 'OXXO' })).rejects.toThrow('The shop ordered this payment in SPEI.');
    await expect(simulator.pay(no, { method: 'Gold' })).rejects.toThrow('There is no method Gold.');
  });

  test('no steps lead back to an earlier state', () => {
    for (const from of ['SUCCESS', 'CANCEL', 'EXPIRED', 'REFUSED'] as const) {
      for (const to of ['INITIAL', 'PROCESSING', 'SUCCESS'] as const) expect(stepsBetween(from, to)).toBeUndefined();
    }
  });
});

describe('a trade ends by itself', () => {
  // From Monday noon. What it is a second before, and at that second.
  test.each([
    ['checkout', { timeout_express: '2h' }, 'INITIAL', '2h', 'EXPIRED'],
    ['checkout', { timeout_express: '1d' }, 'INITIAL', '1d', 'EXPIRED'],
    ['checkout', { timeout_express: '1c' }, 'INITIAL', '43199s', 'EXPIRED'],
    ['checkout', { timeout_express: 'c' }, 'INITIAL', '43199s', 'EXPIRED'],
    ['checkout', { timeout_express: undefined }, 'INITIAL', '1d', 'EXPIRED'],
    ['checkout', { timeout_express: undefined, cancellation_express: '5h' }, 'INITIAL', '5h', 'EXPIRED'],
    ['credit-card', { timeout_express: '90m' }, 'INITIAL', '90m', 'EXPIRED'],
    ['spei', { timeout_express: '2d', cancellation_express: '3d' }, 'PROCESSING', '3d', 'CANCEL'],
    ['spei', { timeout_express: '2d', cancellation_express: undefined }, 'PROCESSING', '2d', 'CANCEL'],
    ['spei', { timeout_express: undefined, cancellation_express: '5h' }, 'PROCESSING', '5h', 'CANCEL'],
    ['cash', { timeout_express: '1c' }, 'PROCESSING', '43199s', 'CANCEL'],
    // Without a time of its own: what is usual for the method.
    ['pix', { timeout_express: undefined }, 'PROCESSING', '2h', 'CANCEL'],
    ['boleto', { timeout_express: undefined }, 'PROCESSING', '30d', 'CANCEL'],
    ['lottery', { timeout_express: undefined }, 'PROCESSING', '10d', 'CANCEL'],
    ['deposit-express', { timeout_express: undefined }, 'PROCESSING', '7d', 'CANCEL'],
    ['spei', { timeout_express: undefined, cancellation_express: undefined }, 'PROCESSING', '3d', 'CANCEL'],
    ['codi', { timeout_express: undefined }, 'PROCESSING', '2h', 'CANCEL'],
    ['oxxo', { timeout_express: undefined }, 'PROCESSING', '5d', 'CANCEL'],
    ['cash', { timeout_express: undefined }, 'PROCESSING', '1d', 'CANCEL'],
    ['pse', { timeout_express: undefined }, 'PROCESSING', '1d', 'CANCEL'],
    ['bncr', { timeout_express: undefined }, 'PROCESSING', '7d', 'CANCEL'],
    ['open-finance', { timeout_express: undefined }, 'INITIAL', '60m', 'EXPIRED'],
    ['wallet-qr', { timeout_express: undefined, channel: 'PicPay' }, 'INITIAL', '3m', 'EXPIRED'],
  ])('%s %j: %s for %s, then %s', async (file, changes, before, after, end) => {
    const no = await created(file, changes);
    await simulator.advance(duration(after) - 1000);
    expect(status(no)).toBe(before);
    await simulator.advance(1000);
    expect(status(no)).toBe(end);
    expect(Date.parse(simulator.trade(no).updated_at ?? '') - noon).toBe(duration(after));
  });

  test('a submitted trade ends at the cancellation, not at the timeout', async () => {
    const no = await created('checkout-one-method', { timeout_express: '1d', cancellation_express: '2d' });
    await simulator.advance('23h');
    await simulator.act(no, 'submit');
    await simulator.advance('24h');
    expect(status(no)).toBe('PROCESSING');
    await simulator.advance('1h');
    expect(simulator.trade(no).history.map(({ to, at }) => [to, at])).toEqual([
      ['PROCESSING', '2026-03-03T11:00:00.000Z'],
      ['CANCEL', '2026-03-04T12:00:00.000Z'],
    ]);
  });

  test.each(['pay', 'refuse', 'cancel'] as const)('not once its buyer did: %s', async (action) => {
    const no = await created('pix');
    await simulator.act(no, action);
    const before = simulator.trade(no);
    await simulator.advance('60d');
    expect(simulator.trade(no)).toEqual(before);
  });

  test('not while risk control looks at it, for days', async () => {
    const no = await created('credit-card');
    await simulator.act(no, 'risk');
    await simulator.advance('4d');
    expect(status(no)).toBe('RISK_CONTROLLING');
  });

  test('each at its own time, in one move of the clock', async () => {
    for (const [index, minutes] of [30, 10, 20].entries())
      await created('pix', { out_trade_no: `p${index}`, timeout_express: `${minutes}m` });
    await simulator.advance('1h');
    expect(simulator.trades().map(({ updated_at }) => updated_at)).toEqual([
      '2026-03-02T12:30:00.000Z',
      '2026-03-02T12:10:00.000Z',
      '2026-03-02T12:20:00.000Z',
    ]);
  });
});
