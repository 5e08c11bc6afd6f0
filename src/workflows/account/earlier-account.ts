/** Reads, page after page, what earlier runs of an account knew and did not hand on. */
import type { EarlierAccount } from '../../contract';
import { earlierWorkflows } from './activities';

export async function loadEarlierAccount(): Promise<Omit<EarlierAccount, 'has_more'>> {
  const { has_more, ...earlier } = await earlierWorkflows.accountBefore({ page: 0 });
  for (let page = 1, hasMore = has_more; hasMore; page += 1) {
    const next = await earlierWorkflows.accountBefore({ page });
    earlier.undelivered.push(...next.undelivered);
    earlier.deposits.push(...next.deposits);
    hasMore = next.has_more;
  }
  return earlier;
}
