/** What operators see of a workflow: search attributes to find it by, and the details in Temporal UI. */
import type { SearchAttributeUpdatePair } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { SEARCH_ATTRIBUTE } from '../../contract';

interface ShownTrade {
  readonly method: string | null;
  readonly order_currency: string | null;
  readonly attention: string | null;
  readonly trade_no: string | null;
  readonly order_amount: string | null;
}

/** The search attributes of whatever concerns a trade. */
export function tradeAttributes(trade: ShownTrade, status: string): SearchAttributeUpdatePair[] {
  return [
    { key: SEARCH_ATTRIBUTE.status, value: status },
    { key: SEARCH_ATTRIBUTE.method, value: trade.method },
    { key: SEARCH_ATTRIBUTE.currency, value: trade.order_currency },
    { key: SEARCH_ATTRIBUTE.attention, value: trade.attention },
    { key: SEARCH_ATTRIBUTE.tradeNo, value: trade.trade_no },
    amountAttribute(trade.order_amount),
  ];
}

/** Temporal has no decimals: the double is there to find workflows by, and never to count with. */
export function amountAttribute(amount: string | null): SearchAttributeUpdatePair {
  return { key: SEARCH_ATTRIBUTE.amount, value: amount === null ? null : Number(amount) };
}

/** Sends search attributes that changed since the last call, in at most one upsert. */
export class ShownAttributes {
  private readonly shown = new Map<string, string | null>();

  update(pairs: SearchAttributeUpdatePair[]): void {
    const changed = pairs.filter(({ key: { name }, value: given }) => {
      const value = given === null ? null : String(given);
      const isChanged = (this.shown.get(name) ?? null) !== value;
      this.shown.set(name, value);
      return isChanged;
    });
    if (changed.length > 0) upsertSearchAttributes(changed);
  }
}

export class Visibility {
  private readonly attributes = new ShownAttributes();

  /** Shows search attributes, and details in Markdown. Neither may hold personal data. */
  show(attributes: SearchAttributeUpdatePair[], details: string): void {
    this.attributes.update(attributes);
    setCurrentDetails(details);
  }

  /** Clears the attention before a continue-as-new: the next run inherits search attributes. */
  withdraw(): void {
    this.attributes.update([{ key: SEARCH_ATTRIBUTE.attention, value: null }]);
  }
}
