/** The least workflow that makes the same calls of the gateway: one update, one signal, no polls, no deadline, nothing to find it by. */
const { condition, defineSignal, defineUpdate, proxyActivities, setHandler } = require('@temporalio/workflow');

const { create, query } = proxyActivities({ startToCloseTimeout: '1 minute' });

exports.pay = async (order) => {
  let data;
  let isNotified = false;
  setHandler(defineUpdate('created'), async () => {
    await condition(() => data !== undefined);
    return data;
  });
  setHandler(defineSignal('notification'), () => {
    isNotified = true;
  });
  data = await create(order);
  await condition(() => isNotified);
  return query(order.out_trade_no);
};
