/** What a person has to do for each reason why a workflow needs one. Temporal UI shows it. */
import type { Attention } from '../../contract';

const INSTRUCTIONS: Record<Attention, string> = {
  'amount-mismatch':
    'The gateway names another amount or currency than was ordered. Compare the trade with the order, then send the update `resolve`.',
  'unlisted-transition':
    'The gateway reported a status that cannot follow the one before, so it was ignored. Look at the trade in the gateway’s dashboard, then send `recheck` or `resolve`.',
  'unknown-status':
    'The gateway reported a status that we do not know. Look at the trade in its dashboard, then send `resolve`.',
  'unknown-outcome':
    'The creation’s outcome is still unknown: the gateway neither knows the order nor takes it. We go on asking. Look for the order in its dashboard.',
  'no-answer':
    'The gateway has not answered for ten minutes or more. We go on asking. See the pending activity for its last words, and whether the gateway and our settings work.',
  'second-trade':
    'There is another trade under this order’s number (`other_trades` in the state): the buyer may have paid twice. Compare both in the gateway’s dashboard, send back what is too much, then `resolve`.',
  'unproven-trade':
    'An earlier run of this payment was ended before the gateway’s answer to its creation, and the gateway has a trade under the number. We go on with it as ours, and it may be another system’s: compare it in the gateway’s dashboard, then send `resolve`.',
  credentials:
    'The gateway does not accept our credentials or account, so every order will fail. No order was created. Correct the worker’s settings.',
  'never-ended':
    'The gateway never ended this trade. Nothing was paid as far as we know. Look at it in the gateway’s dashboard.',
  'unconfirmed-notification':
    'A genuine notification says that this was paid, but the gateway’s query does not. We keep asking. Look at the trade in the gateway’s dashboard, then send `resolve` if needed.',
  'late-payment':
    'This payment was paid after it had ended without money (see `previous` in its state). Deliver, or refund the money.',
  'unknown-trade':
    'A trade was notified that the gateway says it does not know. We keep asking. Look for it in the gateway’s dashboard, then send `resolve`.',
  dispute:
    'The buyer disputes this payment. Answer the dispute in the gateway’s dashboard. We make no refund meanwhile.',
  chargeback:
    'The bank has taken the money back. Do not deliver, and do not refund: the buyer has the money. Send `resolve` once you have dealt with it.',
  'chargeback-reversed':
    'A chargeback was reversed: the money is yours again. Send `resolve` once you have dealt with it.',
  'refund-elsewhere':
    'The gateway shows a refund that we do not know: made elsewhere, by a bank, or so long ago that Temporal has forgotten it. Our refunded amount is too small. Compare it with the gateway’s dashboard.',
  'unknown-refund':
    'We cannot find out whether the gateway made this refund. We do not request it again, and the next refund waits. Look for it in the gateway’s dashboard, then send the after-sale the update `resolve` with its outcome.',
  'bare-secret':
    'A card token or PIN was not sealed, or a card number stood in place of a token. The order was refused and nothing was sent. This history holds the secret: make the sender seal it, delete this workflow, and treat the secret as exposed.',
  'unexpected-signal': 'A signal arrived that this workflow does not know. See the history.',
  'unreadable-notification': 'A notification was genuinely signed but could not be read.',
};

/** One line of Markdown: the reason, and what to do. */
export const attentionLine = (attention: Attention) => `⚠️ **${attention}**: ${INSTRUCTIONS[attention]}`;
