/** The states of a trade: the interface's twelve and four more that gateways send. */
import { TRADE_STATUSES } from '../../../src/gateway';
import { isKnownStatus } from '../../../src/gateway/pure/names';

const INTERFACE =
  'INITIAL PROCESSING SUCCESS CANCEL RISK_CONTROLLING DISPUTE REFUSED REFUND_VERIFYING REFUND_PROCESSING REFUNDED PARTIAL_REFUND CHARGEBACK';
const FIELD = 'EXPIRED REFUND_REVOKE REFUND_REFUSED CHARGEBACK_REVERSED';

test('are those of section 3.1 and of the field', () => {
  expect([...TRADE_STATUSES].sort()).toEqual(`${INTERFACE} ${FIELD}`.split(' ').sort());
});

test('are known by exactly their names', () => {
  for (const status of TRADE_STATUSES) expect(isKnownStatus(status)).toBe(true);
  for (const status of ['', 'success', 'SUCCESS ', 'PAID', 'constructor']) expect(isKnownStatus(status)).toBe(false);
});
