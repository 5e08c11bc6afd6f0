/** What an after-sale's facts say, in words, and what is concluded from each. Pure. */
import {
  type Conclusion,
  FAILURE,
  type FactsOfRun,
  isSilence,
  type KnownOrder,
  type LedgerRefund,
  PATIENCE,
  type PaymentPolicy,
  REFUND_PHASES,
  refundableIn,
  refundMeaningOf,
  type SaidFact,
  type WorldEvent,
} from '../../contract';
import {
  attentionChanged,
  changed,
  claimWords,
  type Explainer,
  explained,
  GATEWAY,
  type LearnedFacts,
  shownWords,
  tradeWords,
  words,
} from '../shared/why';
import { attentionOf } from './attention';
import type { AfterSaleFact } from './facts';
import { type FoldSettings, fold } from './fold';
import { findRefund, isComplete, refundsOf } from './ledger';
import { type Step, stepRule } from './next-step';
import { outcomeNow } from './payment-end';
import { readingOf } from './refund-end';
import { VERDICTS } from './refund-table';
import { standingDecision } from './resolve';

/** A run's facts, its settings, and until when the settings ask for a watch. */
interface ToldAfterSale {
  readonly policy: PaymentPolicy | undefined;
  readonly watch_until: number;
  readonly learned: Pick<LearnedFacts<KnownOrder, AfterSaleFact, FoldSettings>, 'begin' | 'latest' | 'left_out'>;
}

export function explainedAfterSale({ policy, watch_until, learned }: ToldAfterSale): FactsOfRun {
  const next: AfterSaleExplainer['next'] = (order, at) => {
    if (policy === undefined) return undefined;
    const { step, because } = stepRule(order, at, { isAsked: false, watch_until }, policy);
    return { step: stepWords(step), because };
  };
  return explained(learned, policy, { fold, said: saidOf, world: worldOf, concluded, next });
}

type AfterSaleExplainer = Explainer<KnownOrder, AfterSaleFact, FoldSettings>;

function stepWords(step: Step): string {
  switch (step.take) {
    case 'ask':
      return `ask for trade ${step.other}`;
    case 'send':
    case 'decline':
    case 'pass':
      return `${step.take} refund ${step.number}`;
    case 'watch':
      return step.until === null ? 'watch' : `watch until ${new Date(step.until).toISOString()}`;
    default:
      return step.take;
  }
}

function concluded(before: KnownOrder, after: KnownOrder): Conclusion[] {
  const status = after.seen?.status ?? null;
  const known = (order: KnownOrder) => ({ shown: attentionOf(order), reasons: order.reasons });
  const paid = (order: KnownOrder) => order.paid && words(order.paid.amount, order.paid.currency);
  const ledger = (order: KnownOrder) => (isComplete(order) ? 'complete' : 'not complete');
  const numbers = [...new Set([...refundsOf(before), ...refundsOf(after)].map(({ number }) => number))];
  return [
    ...changed(
      'trade',
      before.trade_no,
      after.trade_no,
      'the payment, or what was paid, says which trade is the order’s',
    ),
    ...changed(
      'status',
      before.seen?.status ?? null,
      status,
      `the table of statuses: of refunds it says “${refundMeaningOf(status)}”; refundable: ${refundableIn(status)}`,
    ),
    ...changed(
      'outcome',
      outcomeNow(before),
      outcomeNow(after),
      'what was told of the order, and what the gateway has shown of its money since',
    ),
    ...changed('paid', paid(before), paid(after), 'the gateway shows the trade as sold'),
    ...numbers.flatMap((number) => refundConcluded(number, before, after)),
    ...changed(
      'ledger',
      ledger(before),
      ledger(after),
      'each refund that the trade shows is in the list, or named by a person',
    ),
    ...attentionChanged(known(before), known(after)),
  ];
}

function refundConcluded(number: string, before: KnownOrder, after: KnownOrder): Conclusion[] {
  const [was, is] = [findRefund(before, number), findRefund(after, number)];
  return changed(
    `refund ${number}`,
    standing(was),
    standing(is),
    is === undefined ? 'forgotten' : refundRule(is, { was, before, after }),
  );
}

/** The table's rule if the trade was read for this refund, else what was said of the refund itself. */
function refundRule(
  is: LedgerRefund,
  { was, before, after }: { was: LedgerRefund | undefined; before: KnownOrder; after: KnownOrder },
): string {
  const reading = before.seen === after.seen && was?.isOverdue === is.isOverdue ? undefined : readingOf(after, is);
  if (reading === undefined) return words(REFUND_PHASES[is.phase], is.confirmed_by && `(by ${is.confirmed_by})`);
  const { row, column, verdict } = reading;
  const asked = verdict.is === 'ask' && `, who is asked ${PATIENCE[verdict.after]}`;
  return `the table of refunds: the trade shows “${row}”, the refund is “${column}”: ${VERDICTS[verdict.is]}${asked || ''}`;
}

const standing = (refund: LedgerRefund | undefined): string | null =>
  refund === undefined
    ? null
    : words(refund.outcome ?? refund.phase, refund.asked && `asked ${refund.asked}`, refund.isOverdue && 'for a day');

function saidOf(fact: AfterSaleFact): SaidFact {
  switch (fact.is) {
    case 'introduced':
      return { by: 'who knows the order', said: words(fact.method, tradeWords(fact.trade_no)) || 'nothing more' };
    case 'following':
      return { by: 'the payment', said: fact.isRunning ? 'runs, and is to tell its end' : 'runs no more' };
    case 'ended': {
      const { outcome, trade_status, order_amount, order_currency } = fact.payment.state;
      return {
        by: 'the payment',
        said: words(
          ...['ended', outcome ?? 'without an order', trade_status !== outcome && trade_status],
          ...[order_amount, order_currency],
        ),
      };
    }
    case 'asked':
      return { by: GATEWAY, said: fact.trade ? shownWords(fact.trade) : words(fact.answer, tradeWords(fact.other)) };
    case 'queried':
      return { by: GATEWAY, said: shownWords(fact.trade) };
    case 'unanswered':
      return { by: GATEWAY, said: fact.why };
    case 'notified':
      return { by: 'a notification', said: claimWords(fact.claim) };
    case 'requested':
      return { by: 'the merchant', said: `refund ${fact.number}: ${fact.amount} ${fact.currency}` };
    case 'begun':
      return { by: 'we', said: `from here on refund ${fact.number} may leave us` };
    case 'answered': {
      const { answered, number } = fact;
      const why = 'failure' in answered ? `(${answered.failure.message})` : '';
      // The gateway has not seen a refund that we refuse to send.
      const isUnsent = 'failure' in answered && answered.failure.type === FAILURE.invalidRequest;
      const isOurs = answered.said === 'not-sent' || answered.said === 'unknown' || isUnsent;
      return { by: isOurs ? 'we' : GATEWAY, said: words(`refund ${number}: ${answered.said}`, why) };
    }
    case 'decided': {
      const { by, reason, order, refund, elsewhere, seen } = fact;
      const what = words(
        order,
        refund && `refund ${refund.number} ${refund.outcome}`,
        elsewhere && `${elsewhere} went back elsewhere`,
        seen && `seen: ${seen}`,
      );
      return { by: `a person, ${by}`, said: `${what}: ${reason}` };
    }
    case 'taken':
      return { by: `a person, ${fact.by}`, said: words('takes it on', fact.note && `(${fact.note})`) };
    case 'passed':
      return { by: 'time', said: `refund ${fact.number} has waited for ${fact.deadline}` };
    case 'noticed':
      return { by: 'we', said: fact.what };
  }
}

/** What others did; null if the fact is our own conclusion. */
function worldOf(fact: AfterSaleFact, before: KnownOrder): WorldEvent | null {
  switch (fact.is) {
    case 'asked': {
      const of = fact.other;
      if (fact.answer === 'unanswered') return { is: 'silent', why: 'no-answer', of };
      return fact.trade ? { is: 'shown', trade: fact.trade, of } : { is: 'missing', of };
    }
    case 'queried':
      return { is: 'shown', trade: fact.trade };
    case 'unanswered':
      return isSilence(fact.why) ? { is: 'silent', why: fact.why } : { is: 'missing' };
    case 'notified':
      return { is: 'notified', claim: fact.claim };
    case 'requested': {
      const { number: out_request_no, amount, currency, isAll } = fact;
      return { is: 'refund', out_request_no, currency, ...(isAll ? {} : { amount }) };
    }
    case 'answered': {
      // A refund that was declined was never sent.
      const isSent = findRefund(before, fact.number)?.phase === 'sending';
      return isSent ? { is: 'refunded', answered: fact.answered } : null;
    }
    case 'decided': {
      const { by, reason, order, refund, elsewhere } = fact;
      const outcome = order ?? refund?.outcome;
      const of = refund && order === undefined ? { out_request_no: refund.number } : {};
      const named = elsewhere === undefined ? {} : { refunded_elsewhere: elsewhere };
      // The decision was accepted, so the person has seen what was shown, and what was decided before.
      const shown = refund || elsewhere !== undefined ? before.seen?.status : undefined;
      const known = [shown, standingDecision(before, { outcome, ...of })?.outcome].filter((word) => word !== undefined);
      const although = known.length > 0 ? known.join(',') : undefined;
      return { is: 'resolved', resolution: { by, reason, outcome, ...of, ...named, although } };
    }
    case 'taken':
      return { is: 'taken', by: fact.by, note: fact.note };
    case 'noticed':
      return fact.what === 'unexpected-signal' ? { is: 'signaled' } : null;
    default:
      return null;
  }
}
