/** Warns when no notification arrives: polls still end payments, only later, so nobody would notice. */

/** This many in a row are no accident: the gateway notifies at the moment of a payment, and polls are rare. */
const IN_A_ROW = 5;

export class Unnotified {
  private readonly found = new Map<string, number>();

  constructor(private readonly warn: (message: string, of: { app_id: string }) => void) {}

  /** A poll has found this status, with no notification before it. */
  byPoll(app_id: string, trade_status: string | undefined): void {
    if (trade_status !== 'SUCCESS') return;
    const count = (this.found.get(app_id) ?? 0) + 1;
    this.found.set(app_id, count);
    if (count === IN_A_ROW) this.warn(`${IN_A_ROW} payments in a row were found paid by a poll. ${ADVICE}`, { app_id });
  }

  /** A look has found the status, as after a notification. */
  byLook(app_id: string, trade_status: string | undefined): void {
    if (trade_status === 'SUCCESS') this.found.delete(app_id);
  }
}

const ADVICE =
  'No notification of them has come: see that the gateway reaches WEBHOOK_PUBLIC_URL, and that the webhook runs. Until then buyers wait for the next poll.';
