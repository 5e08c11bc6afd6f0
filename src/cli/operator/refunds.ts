/** `payment-gateway refunds ORDER`: the after-sale's refunds and their sums. */
import { PaymentNotFoundError } from '../../client';
import { afterSaleWorkflowId } from '../../contract';
import { UserError } from '../../process/user-error';
import { EXIT } from '../exit-codes';
import { printable, say } from '../print';
import { readCase } from './case';
import { asOperator, targetOf } from './connection';
import { elsewhereLine } from './elsewhere';
import { table } from './table';
import { utc } from './times';

/** Ends the process: 0 for an order that has an after-sale, 1 for another. */
export function refunds(order: string, options: { app?: string; json?: boolean }): Promise<never> {
  return asOperator(async (operator) => {
    const target = targetOf(order, options, operator);
    const { after_sale: state, unanswered } = await readCase(operator.client, target);
    if (unanswered.includes(afterSaleWorkflowId(target.app_id, target.out_trade_no ?? ''))) {
      throw new UserError(`No worker has answered for the after-sale of ${printable(order)}. Is one running?`);
    }
    if (!state)
      throw new PaymentNotFoundError(`Order ${printable(order)} has no refunds: no after-sale was started.`, order);
    if (options.json) say(JSON.stringify({ after_sale: state }));
    else {
      const rows = state.refunds.map((one) => [
        one.out_request_no,
        `${one.refund_amount} ${one.refund_currency}`,
        one.outcome ?? one.refund_status ?? (one.started_at ? 'being sent' : 'waits for its turn'),
        one.attention ?? '',
        utc(one.requested_at),
        one.resolved ? `${one.resolved.by}: ${one.resolved.reason}` : '',
      ]);
      if (rows.length > 0) say(table(['NUMBER', 'AMOUNT', 'STATUS', 'ATTENTION', 'ASKED (UTC)', 'DECIDED'], rows));
      say(
        `${state.refunded_amount} refunded, ${state.refunding_amount} being refunded, of ${state.order_amount ?? '?'} ${state.order_currency ?? ''}.`,
      );
      const elsewhere = elsewhereLine(state);
      if (elsewhere !== undefined) say(printable(elsewhere));
      if (!state.ledger_complete)
        say('There are refunds that are not in the list, and nobody has said how much they are.');
    }
    return EXIT.ok;
  });
}
