/** What operators see of a virtual account, its creation, and the number of accounts left. No personal data. */
import {
  nameDigests,
  SEARCH_ATTRIBUTE,
  type ShownWait,
  type SpeiAccountCreation,
  type SpeiAccountQuantityState,
  type SpeiAccountState,
  shownOf,
  timeText,
  type UnseenEntry,
  unseenLine,
} from '../../contract';
import { Visibility, waitAttributes } from '../shared/visibility';
import { takenLines } from '../shared/wait';

type Waiting = ShownWait & { readonly attention: string | null };

type ShownAccount = Pick<SpeiAccountState, 'account' | 'status'> &
  Waiting & {
    deposits: Pick<SpeiAccountState['deposits'], 'count' | 'total' | 'pending'>;
    decided_by: string | undefined;
    unseen: readonly UnseenEntry[];
  };

/** How many entries the page lists: `payment-gateway show` and the state have all. */
const MOST_UNSEEN_LINES = 20;

/** `names`: digests of other names to find it by. */
interface Shown extends Waiting {
  readonly status: string | null;
  readonly names?: readonly string[];
  readonly decided_by?: string | undefined;
  /** What a person is shown, as a resolution names it. */
  readonly shown?: string | undefined;
}

/** The search attributes of a virtual account's workflow, and its details in Temporal UI. */
export class AccountVisibility {
  private readonly visibility = new Visibility();

  showAccount({ account, status, deposits, decided_by, unseen, ...waiting }: ShownAccount): void {
    const sums = Object.entries(deposits.total).map(([currency, total]) => `${total} ${currency}`);
    const names = nameDigests([
      ['account', account.account_number],
      ['buyer', account.buyer_id],
    ]);
    const more = unseen.length - MOST_UNSEEN_LINES;
    this.show({ ...waiting, status, names, decided_by, shown: shownOf(unseen) }, [
      `**${status ?? 'not known yet'}** · account ${account.account_id}`,
      `${deposits.count} deposits, ${sums.join(' and ') || 'nothing yet'}; ${deposits.pending} being confirmed`,
      ...unseen.slice(0, MOST_UNSEEN_LINES).map((one) => `Nobody has seen ${unseenLine(one)}`),
      ...(more > 0 ? [`And ${more} more that nobody has seen`] : []),
    ]);
  }

  showCreation({ account, buyer_id, unknown_tries, resolved, ...waiting }: SpeiAccountCreation): void {
    const tries = unknown_tries.map(
      ({ time, message, quantity_before, quantity_after }) =>
        `${timeText(time)}: ${message} Accounts left: ${quantity_before ?? '?'} before, ${quantity_after ?? '?'} after.`,
    );
    const decided_by = resolved.at(-1)?.by;
    // Once the account is known, its own workflow is found by the buyer.
    const names = waiting.attention === 'unknown-outcome' ? nameDigests([['buyer', buyer_id]]) : [];
    this.show({ ...waiting, status: account?.status ?? 'CREATING', names, decided_by }, [
      account ? `Account ${account.account_id}` : 'Creating',
      ...tries,
    ]);
  }

  showQuantity({ available_quantity, checked_at, ...waiting }: SpeiAccountQuantityState): void {
    const left = `**${available_quantity ?? '?'}** virtual accounts left, as of ${checked_at === null ? 'never' : timeText(checked_at)}`;
    this.show({ ...waiting, status: null }, [left]);
  }

  private show({ status, names = [], decided_by, shown, ...waiting }: Shown, lines: readonly string[]): void {
    const attributes = [
      { key: SEARCH_ATTRIBUTE.status, value: status },
      ...waitAttributes(waiting, decided_by),
      { key: SEARCH_ATTRIBUTE.names, value: names.length > 0 ? [...names] : null },
    ];
    this.visibility.show(attributes, [...lines, ...takenLines(waiting.taken)], 'now', { shown });
  }
}
