/** The virtual accounts of the fake gateway. */
import type { AccountGateway } from '../../activities';
import type { BeforeSending } from '../../gateway';
import { fail, type Mishap, refused, SUB_CODE, silence } from './mishaps';

const OPERATION = 'accounts';
const FIRST_AVAILABLE = 50;

/** Creates, cancels and shows accounts. Stands in for a GatewayClient. */
export class FakeAccounts implements AccountGateway {
  /** The CLABE of every account. */
  readonly account_number = '646180157000000004';
  /** Status by account_id; a test may set any. */
  readonly statuses = new Map<string, string>();
  /** Accounts that can still be created. */
  available = FIRST_AVAILABLE;
  /** Creations that made an account. */
  created = 0;
  queries = 0;
  /** What happens to the next creations. */
  mishaps: Mishap[] = [];

  async createSpeiAccount(_account?: unknown, beforeSending?: BeforeSending) {
    await beforeSending?.();
    const mishap = this.mishaps.shift();
    fail(mishap, OPERATION, 'account');
    this.created += 1;
    this.available -= 1;
    const account_id = `A${this.created}`;
    this.statuses.set(account_id, 'ACTIVE');
    if (mishap === 'lost after') throw silence('unknown', OPERATION);
    return this.account(account_id);
  }

  async cancelSpeiAccount(account_id: string, beforeSending?: BeforeSending) {
    await beforeSending?.();
    this.account(account_id);
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
    if (status === undefined) throw refused({ code: '40002', sub_code: SUB_CODE.unknownAccount }, OPERATION, 'account');
    const { account_number } = this;
    return { account_id, account_number, provider: 'STP', status, notify_url: undefined, beneficiary_name: undefined };
  }
}
