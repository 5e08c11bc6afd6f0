/** Why a refund is not sent, as the failure of the update `refund` tells it. In each case nothing was sent. Pure. */
import { FAILURE, outcomeOf, type ShownFailure } from '../../contract';

const notRefunded = (message: string, details: ShownFailure['details'] = {}): ShownFailure => ({
  type: FAILURE.notRefunded,
  message: `${message} Nothing was sent.`,
  details,
});

/** The trade's status is why. */
const because = (message: string, trade_status: string | null): ShownFailure => notRefunded(message, { trade_status });

export const notNow = (status: string): ShownFailure => {
  const isOpen = outcomeOf(status) === null;
  return because(
    `A trade that is ${status} cannot be refunded.${isOpen ? ' Once it is paid, ask again.' : ''}`,
    status,
  );
};

export const elsewhereUnknown = (trade_status: string | null): ShownFailure =>
  notRefunded(
    'There are refunds of this trade that we do not know, so nobody knows what is left. Look in the gateway’s dashboard what went back by them, and send `resolve` with `refunded_elsewhere`.',
    { trade_status, ledger_complete: false },
  );

/** The gateway said so a short time ago: a stale replica may not show it yet. */
export const takenByTheBank = (trade_status: string): ShownFailure =>
  because(
    `The gateway has said that the trade is ${trade_status}: the bank may take the money back, and the buyer would have it twice. Refund only once the bank has decided for you, or has given it back.`,
    trade_status,
  );

/** The bank may still have taken the money back: replicas of a gateway can be stale for long. */
export const unconfirmed = (trade_status: string | null): ShownFailure =>
  because(
    'A notification of this trade says what the gateway does not confirm, and nobody has looked yet. Look at the trade in the gateway’s dashboard, send `resolve`, and ask again.',
    trade_status,
  );

/** Gateways forget trades that have ended. */
export const noSuchTrade = (): ShownFailure =>
  notRefunded(
    'The gateway has no such trade any more, and a person has seen that, so it cannot refund it. Give the money back in another way; or send `recheck` where the gateway has the trade again, and ask again.',
  );

/** For a refund that the settings had asked for, because money came late. */
export const notWanted = (): ShownFailure =>
  notRefunded('A person has decided on the order’s late money, so this refund does not send it back.');

export const notLeft = (): ShownFailure =>
  notRefunded(
    'Since this refund was asked for, so much has gone back by others that it is more than what is left. Read the state, and ask for what is left.',
  );

/** A later payment of the order has named another trade as its own, `now`. */
export const ofOtherTrade = (now: string | null): ShownFailure =>
  notRefunded(
    `The order’s trade is another one now, ${now ?? 'which is not known'}, and this refund was asked for of the one before. Read the state, and ask again for what is to go back.`,
  );
