/** What operators see of a virtual account, its creation, and the number of accounts left. No personal data. */
import {
  nameDigests,
  SEARCH_ATTRIBUTE,
  type SpeiAccountCreation,
  type SpeiAccountQuantityState,
  type SpeiAccountState,
  timeText,
} from '../../contract';
import { Visibility } from '../shared/visibility';

/** What the details show of an account. */
type ShownAccount = Pick<SpeiAccountState, 'account' | 'status' | 'attention'> & {
  deposits: Pick<SpeiAccountState['deposits'], 'count' | 'total' | 'pending'>;
};

type Creation = Pick<SpeiAccountCreation, 'account' | 'attention' | 'unknown_tries'>;
type Quantity = Pick<SpeiAccountQuantityState, 'available_quantity' | 'checked_at' | 'attention'>;

/** `names`: digests of what else it is found by. */
interface Shown {
  readonly status: string | null;
  readonly attention: string | null;
  readonly names?: readonly string[];
}

/** The search attributes of a virtual account's workflow, and its details in Temporal UI. */
export class AccountVisibility {
  private readonly visibility = new Visibility();

  showAccount({ account, status, attention, deposits }: ShownAccount): void {
    const sums = Object.entries(deposits.total).map(([currency, total]) => `${total} ${currency}`);
    const names = nameDigests([
      ['account', account.account_number],
      ['buyer', account.buyer_id],
    ]);
    this.show({ status, attention, names }, [
      `**${status ?? 'not known yet'}** · account ${account.account_id}`,
      `${deposits.count} deposits, ${sums.join(' and ') || 'nothing yet'}; ${deposits.pending} being confirmed`,
    ]);
  }

  showCreation({ account, attention, unknown_tries }: Creation): void {
    const tries = unknown_tries.map(
      ({ time, message, quantity_before, quantity_after }) =>
        `${timeText(time)}: ${message} Accounts left: ${quantity_before ?? '?'} before, ${quantity_after ?? '?'} after.`,
    );
    this.show({ status: account?.status ?? 'CREATING', attention }, [
      account ? `Account ${account.account_id}` : 'Creating',
      ...tries,
    ]);
  }

  showQuantity({ available_quantity, checked_at, attention }: Quantity): void {
    const left = `**${available_quantity ?? '?'}** virtual accounts left, as of ${checked_at === null ? 'never' : timeText(checked_at)}`;
    this.show({ status: null, attention }, [left]);
  }

  private show({ status, attention, names = [] }: Shown, lines: readonly string[]): void {
    const attributes = [
      { key: SEARCH_ATTRIBUTE.status, value: status },
      { key: SEARCH_ATTRIBUTE.attention, value: attention },
      { key: SEARCH_ATTRIBUTE.names, value: names.length > 0 ? [...names] : null },
    ];
    this.visibility.show(attributes, lines);
  }
}
