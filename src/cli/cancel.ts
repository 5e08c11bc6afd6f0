/** `payment-gateway cancel OUT_TRADE_NO`: withdraws an order that was not sent yet. */

import { type AppOptions, appSettings } from './command-settings';
import { EXIT } from './exit-codes';
import { say } from './print';
import { withPayments } from './with-payments';

/**
 * Ends the process: 0 if nothing was or will be sent, 1 if the gateway has the order or may have it, 3 if that is not known
 * yet.
 */
export async function cancelOrder(out_trade_no: string, options: AppOptions): Promise<void> {
  const settings = await appSettings(options, out_trade_no);
  await withPayments(settings, async (payments) => {
    const state = await payments.cancel(out_trade_no);
    say(
      options.json
        ? JSON.stringify({ state })
        : `Order ${out_trade_no} (app ${settings.app_id}) is withdrawn. Nothing was charged.`,
    );
    return EXIT.ok;
  });
}
