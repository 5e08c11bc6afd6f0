/**
 * What a good engineer writes in a day: payment data by an update that gives up after 30 s, search attributes, a query, polls by a
 * timer and an activity each, and the query that confirms a notification. It repeats a creation whose answer was lost, and forgets much
 * else that can happen.
 */
const {
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  proxyActivities,
  setHandler,
  upsertSearchAttributes,
} = require('@temporalio/workflow');

const { create, query } = proxyActivities({ startToCloseTimeout: '1 minute' });

const MINUTE = 60_000;
const PAUSES = [15_000, 15_000, MINUTE / 2, MINUTE, 3 * MINUTE, 5 * MINUTE, 20 * MINUTE];
const HOURLY = 60 * MINUTE;
const LAST_POLL = 24;
const FINAL = ['SUCCESS', 'REFUSED', 'CANCEL', 'EXPIRED'];

exports.pay = async (order) => {
  const state = { trade_status: 'CREATING', data: undefined };
  let isNotified = false;
  const show = (more) => upsertSearchAttributes({ PaymentStatus: [state.trade_status], ...more });
  setHandler(defineQuery('state'), () => state);
  setHandler(defineUpdate('created'), async () => {
    if (await condition(() => state.data !== undefined, '30 seconds')) return state.data;
    throw new Error('The gateway has not answered yet');
  });
  setHandler(defineSignal('notification'), () => {
    isNotified = true;
  });
  const { method, order_currency, order_amount } = order;
  show({
    PaymentMethod: [method],
    PaymentMoney: [`${order_currency} ${order_amount}`],
    PaymentAmount: [Number(order_amount)],
  });
  state.data = await create(order);
  state.trade_status = state.data.trade_status;
  show({ PaymentTradeNo: [state.data.trade_no] });
  for (let poll = 0; poll < PAUSES.length + LAST_POLL; poll += 1) {
    await condition(() => isNotified, PAUSES[poll] ?? HOURLY);
    isNotified = false;
    ({ trade_status: state.trade_status } = await query(order.out_trade_no));
    if (FINAL.includes(state.trade_status)) break;
  }
  show({});
  return state;
};
