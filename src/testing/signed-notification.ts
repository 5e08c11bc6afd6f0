import { signatureHeader } from '../gateway';
import type { SignatureSettings, WebhookApp } from '../webhook';

/** Fields of section 6.5; missing ones get the values of a paid order. */
export interface TestNotificationFields {
  out_trade_no: string;
  trade_no?: string;
  method?: string;
  trade_status?: string;
  currency?: string;
  /** Decimal string in currency units. */
  amount?: string;
  [field: string]: unknown;
}

export interface TestNotification {
  /** The exact bytes that are signed: send them unchanged. */
  body: string;
  headers: Record<string, string>;
}

/**
 * A notification as the gateway would sign and send it, for tests of your own:
 * `fetch(`${url}/ipn/${app_id}`, { method: 'POST', ...signTestNotification(app, { out_trade_no }) })`.
 */
export function signTestNotification(
  app: WebhookApp,
  fields: TestNotificationFields,
  { header, scheme }: SignatureSettings = { header: 'Service-Signature', scheme: 'hex' },
): TestNotification {
  const body = JSON.stringify({
    app_id: app.app_id,
    trade_no: `test-${fields.out_trade_no}`,
    method: 'PIX',
    trade_status: 'SUCCESS',
    currency: 'BRL',
    amount: '150.00',
    ...fields,
  });
  const signature = signatureHeader(Buffer.from(body), app.secret_key, scheme, Date.now());
  return { body, headers: { 'content-type': 'application/json', [header]: signature } };
}
