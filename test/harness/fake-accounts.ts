/** Virtual accounts at the gateway, for tests whose time is skipped, and the activities of a worker that has them. */
import { type AccountGateway, accountActivities, accountPolicyActivity } from '../../src/activities';
import { loadConfig } from '../../src/config';
import { GatewayError } from '../../src/gateway';
import type { FakeGateway } from './fake-gateway';
import { APP, paymentActivities } from './lives';

export const CLABE = '646180157000000004';

const refusal = (sub_code: string, outcome: 'unknown' | 'not-created' = 'unknown') =>
  new GatewayError(sub_code, { outcome, retryable: false, operation: 'accounts', code: '40002', sub_code });
const silence = (outcome: 'unknown' | 'not-sent') =>
  new GatewayError('no answer', { outcome, retryable: true, operation: 'accounts' });

/** A gateway with a few accounts, which loses answers as it is told. It stands in for the activities' client. */
export class FakeAccounts implements AccountGateway {
  readonly statuses = new Map<string, string>();
  available = 50;
  created = 0;
  queries = 0;
  mishaps: ('lost before' | 'lost after' | 'unreachable' | 'none left')[] = [];

  async createSpeiAccount() {
    const mishap = this.mishaps.shift();
    if (mishap === 'none left') throw refusal('account-pool-run-out', 'not-created');
    if (mishap === 'unreachable') throw silence('not-sent');
    if (mishap === 'lost before') throw silence('unknown');
    this.created += 1;
    this.available -= 1;
    const account_id = `A${this.created}`;
    this.statuses.set(account_id, 'ACTIVE');
    if (mishap === 'lost after') throw silence('unknown');
    return this.account(account_id);
  }
  async cancelSpeiAccount(account_id: string) {
    this.statuses.set(account_id, 'CANCELED');
    return this.account(account_id);
  }
  async querySpeiAccount(account_id: string) {
    this.queries += 1;
    return this.account(account_id);
  }
  async speiAccountQuantity() {
    return { available_quantity: this.available };
  }
  private account(account_id: string) {
    const status = this.statuses.get(account_id);
    if (status === undefined) throw refusal('account-not-exist');
    return {
      account_id,
      account_number: CLABE,
      provider: 'STP',
      status,
      notify_url: undefined,
      beneficiary_name: undefined,
    };
  }
}

/** The activities of a worker that has these accounts, and their deposits in `trades`. */
export function accountWorkerActivities(
  accounts: FakeAccounts,
  trades: FakeGateway,
  settings: Record<string, string> = {},
) {
  const notifyUrl = () => 'https://shop.example/ipn';
  return {
    ...paymentActivities(trades, settings),
    ...accountActivities({ gateways: new Map([[APP, accounts]]), notifyUrl }),
    // These servers have no visibility.
    'payments.account-of-creation': async () => null,
    ...accountPolicyActivity(loadConfig(settings), false),
  };
}
