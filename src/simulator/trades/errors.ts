/** An action that the trade's state does not allow; its message is a sentence for whoever tried. */
export class IllegalAction extends Error {
  override name = 'IllegalAction';
}

/** A trade that does not exist was named, or one that is not the only one of that name. */
export class UnknownTrade extends Error {
  override name = 'UnknownTrade';
}

/** A refund that does not exist was named, or one that is not the only one of that name. */
export class UnknownRefund extends Error {
  override name = 'UnknownRefund';
}

/** A virtual account that does not exist was named. */
export class UnknownAccount extends Error {
  override name = 'UnknownAccount';
}
