/**
 * Breaks the workflows at named places, one at a time in a copy of the project, and runs the model tests on it: each must
 * fail. A place that stays green is a promise that no test watches. `npm run model:mutations
 * [payments|refunds|accounts|security|name …]`
 *
 * Of payments the random stories are played first, to see whether the world finds the place by itself (MODEL_RUNS stories at
 * most), and then the schedules that have a name. A number is that of the finding of the first audit that the place mends.
 * `--check` only says whether each place is still in the code; `--findings` plays those of a finding alone.
 */
const { spawn } = require('node:child_process');
const { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } = require('node:fs');
const { availableParallelism, tmpdir } = require('node:os');
const { join, resolve } = require('node:path');

const OF_SECURITY = require('./mutations-of-security.cjs');

const RUNS = process.env.MODEL_RUNS ?? '400';

const STEPS = 'src/workflows/payment/creation-steps.ts';
const WAIT = 'src/workflows/payment/await-outcome.ts';
const RECORD = 'src/workflows/payment/record.ts';

/**
 * Name, file, what stands there, what stands there instead, the finding that this takes back, and more places that are broken
 * with it: some promises have a second guard.
 */
const MUTATIONS = [
  [
    'a trade that was taken for ours by its name alone is looked at by nobody',
    'src/workflows/payment/after-end.ts',
    'const others = [...new Set([...otherTrades, ...unseen])];',
    'const others = otherTrades;',
  ],
  [
    'what a person called sold counts as shown by the gateway',
    RECORD,
    'sold.trade_status ?? null',
    "sold.trade_status ?? 'SUCCESS'",
  ],
  [
    'a recheck of a run that gives way is answered without a look',
    'src/workflows/payment/workflow.ts',
    'if (this.isJoining && this.failure !== undefined) throw failureAnew(this.failure);',
    '',
  ],
  [
    'an unknown creation counts as none',
    'src/workflows/payment/creation.ts',
    "this.hasSent ||= tried.is === 'unknown';",
    '',
  ],
  [
    'an order that may exist is sent again on an old look',
    'src/workflows/payment/creation.ts',
    '(this.mayExist ? FRESH_LOOK_MS : patience_ms)',
    'patience_ms',
  ],
  [
    'a second reason for a person is lost with the first',
    'src/workflows/shared/reasons.ts',
    'if (!this.has(reason)) this.reasons = ',
    'if (this.reasons.length === 0) this.reasons = ',
  ],
  ['an order that may exist is sent again without a look', STEPS, "  [{ looked: 'not-yet' }, 'look'],\n", ''],
  ['a look without an answer counts as no order', STEPS, "  [{ looked: 'no-answer' }, 'look-on'],\n", ''],
  [
    'an order is sent although a notification named a trade',
    'src/workflows/payment/creation.ts',
    'return this.pending.all.length > 0;',
    'return false;',
    2,
  ],
  [
    'an order that may exist is given up when its time is over',
    STEPS,
    "  [{ isInTime: false }, 'look-on'],\n",
    "  [{ isInTime: false }, 'end-not-sent'],\n",
  ],
  ['a withdrawn order is sent', STEPS, "  [{ mayExist: false, isWithdrawn: true }, 'end-not-sent'],\n", ''],
  [
    'an order is sent after its time',
    'src/activities/create-order.ts',
    'if (now() >= send_before)',
    'if (Number.isNaN(send_before))',
    10,
  ],
  [
    'a reset run sends as if it were the first',
    'src/activities/create-order.ts',
    'if (wasResetSince(original_run_id)) return',
    "if (wasResetSince(original_run_id) && original_run_id === '') return",
  ],
  [
    'a duplicate after a try that reached the gateway counts as made elsewhere',
    'src/workflows/payment/creation.ts',
    "(tried.is === 'duplicate' && this.attempts.hasReached)",
    'false',
  ],
  [
    'an order that is notified after a try that reached the gateway counts as made elsewhere',
    'src/workflows/payment/creation.ts',
    'if (!earlier?.is_same_order && !this.attempts.hasReached) throw',
    'if (!earlier?.is_same_order) throw',
  ],
  ['notifications are believed', WAIT, 'if (!policy.confirm_by_query && ', 'if (policy.confirm_by_query && '],
  ['a wrong amount is not noticed', RECORD, "    this.raise('amount-mismatch');\n", ''],
  [
    'another amount ends in SUCCESS',
    RECORD,
    "if (!mismatch || outcomeOf(trade.trade_status) !== 'SUCCESS') this",
    'this',
  ],
  [
    'another request is answered',
    'src/workflows/payment/same-request.ts',
    '  if (fields.length > 0) throw differentOrder(first, fields);',
    '  if (fields.length > 99) throw differentOrder(first, fields);',
  ],
  [
    'the payment gives up at its own deadline',
    WAIT,
    'for (const stage of stages) await',
    'for (const stage of stages.slice(0, 1)) await',
  ],
  [
    'polls stop',
    WAIT,
    'return await this.watch.next(watch,',
    'return await this.watch.next({ ...watch, schedule: { poll_schedule_ms: [1e9], poll_every_ms: 1e9 } },',
  ],
  ['a person’s decision is ignored', RECORD, 'this.state.outcome = resolution.outcome;', ''],
  [
    'money that is notified at the end is left behind',
    'src/workflows/payment/ending.ts',
    'reopenFor: last && { trade_no: last.trade_no ?? trade_no },',
    'reopenFor: undefined,',
  ],
  [
    'another trade that is told of at the end is dropped',
    'src/workflows/payment/ending.ts',
    'otherTrades: last === undefined ? named.filter((one) => one !== trade_no) : [],',
    'otherTrades: [],',
  ],
  [
    'an order of another system that a notification named is taken for ours',
    'src/workflows/payment/creation.ts',
    'if (!earlier?.is_same_order && !this.attempts.hasReached) throw duplicateOrderFailure(this.order, trade);',
    '',
  ],
  [
    'a reset run that is withdrawn says that nothing was sent',
    'src/workflows/payment/creation.ts',
    'this.mayExist = (await this.earlier.latest())?.is_same_order === true;',
    '',
  ],
  ['a payment expires although the gateway gives no answer', WAIT, '!record.isOver && !this.wasAnswered;', 'false;'],
  [
    'a follow-up keeps the money that it finds to itself',
    'src/workflows/payment/follow-up.ts',
    "if (outcome === 'SUCCESS') while (!(await this.tryToHandOn(trade)));",
    '',
  ],
  [
    'what the gateway denied before it caught up is forgotten',
    'src/workflows/payment/trade-looks.ts',
    'if (isDenied) pending.deny(notifications);',
    'if (isDenied) pending.settle(notifications);',
  ],
  ['a second trade is not told', 'src/workflows/payment/other-trades.ts', "  context.raise('second-trade');\n", '', 3],
  [
    'a notification is settled before it was looked into',
    'src/workflows/shared/pending-notifications.ts',
    'this.entries = this.entries.filter(({ notification }) => !notifications.includes(notification));',
    'this.entries = notifications.length > 0 ? [] : this.entries;',
    1,
  ],
  [
    'a payment that may still be paid is not watched on',
    'src/workflows/payment/ending.ts',
    'mayStillBePaid: sentAgain || (!isSold && (mayHaveSent || isOpenAtTheGateway(state))),',
    'mayStillBePaid: false,',
  ],
  [
    'a late payment needs no person',
    RECORD,
    "if (isPersons || (this.latePaymentPolicy === 'refund' && before === null)) this.raise('late-payment');",
    "if (isPersons || (this.latePaymentPolicy === 'refund' && before === null)) return;",
  ],
  [
    'an event gets one try and no more',
    'src/workflows/shared/outbox/delivery.ts',
    "return this.state === 'delivering' && this.retry(event);",
    'return true;',
  ],
  [
    'a creation is repeated after its worker died',
    'src/workflows/shared/activity-options.ts',
    "nonRetryableErrorTypes: ['TemporalTimeout:StartToClose', 'TemporalTimeout:Heartbeat']",
    'nonRetryableErrorTypes: []',
  ],
  [
    'a refusal is believed while an earlier try may have made the order',
    STEPS,
    "[{ mayExist: false, said: 'created-refused' }, 'end-refused']",
    "[{ said: 'created-refused' }, 'end-refused']",
    4,
  ],
  [
    'a cancellation ends a payment wherever it is',
    'src/workflows/payment/workflow.ts',
    'return uncancelled(async () => {\n    const issues = issuesOf(input);',
    'return CancellationScope.cancellable(async () => {\n    const issues = issuesOf(input);',
    5,
  ],
  [
    'money after a run that failed or was cancelled is an ordinary sale',
    RECORD,
    'const before = previous ? previous.outcome :',
    'const before = previous?.outcome ? previous.outcome :',
    6,
  ],
  [
    'an attempt that was held back counts as one that reached the gateway',
    'src/activities/create-order.ts',
    '      return sending.madeNothing(error);\n  }',
    "      return { is: 'busy', error: fields, message };\n  }",
    7,
  ],
  [
    'another order is answered with an adopted trade that has ended',
    'src/contract/same-order.ts',
    'return trade ? fieldsUnlikeTrade(trade, request) : [];',
    'return [];',
    8,
  ],
  [
    'earlier runs are not looked for',
    'src/workflows/payment/earlier-runs.ts',
    'this.known = await untilRead(read, this.heir);',
    'await untilRead(read, this.heir);',
    9,
  ],
  [
    'a look has no end',
    'src/workflows/shared/look.ts',
    'const input = { app_id, id, settling_ms, patience_ms, ',
    'const input = { app_id, id, settling_ms, patience_ms: (patience_ms = 1e12), ',
    12,
  ],
  [
    'an order that no query finds is looked for in silence',
    'src/workflows/payment/creation.ts',
    "if (after === 'no-such-order') this.context.raise(this.isNotified ? 'unknown-trade' : 'unknown-outcome');",
    '',
    13,
  ],
  [
    'each call for an order adds to its history',
    'src/client/payment-starter.ts',
    'updateId: updateIdOf(payment) }',
    'updateId: globalThis.crypto.randomUUID() }',
    14,
  ],
  [
    'a signal without its argument is taken for a notification',
    'src/workflows/payment/workflow.ts',
    'if (signal?.trade_no || signal?.trade_status) this.pending.add(signal);\n    else this.pending.request();',
    'this.pending.add(signal as NotificationSignal);',
    16,
  ],
  [
    'an overloaded gateway says that there is no order',
    'src/activities/failures.ts',
    "  return http_status !== 429 && http_status < 500 && (words.has(sub_code) || (sub_code === '' && words.has(code)));",
    "  return words.has(sub_code) || code !== '' || http_status > 0;",
    17,
  ],
  [
    'a number whose creation certainly failed is burned',
    'src/contract/failures.ts',
    'return isRefusal && detailsOf(failure)?.may_exist !== true;',
    'return isRefusal && detailsOf(failure) === undefined;',
    18,
  ],
  [
    'an answer does not settle the credentials that were refused',
    'src/contract/attention.ts',
    "'credentials',\n  'settings',",
    "'settings',",
    19,
  ],
  [
    'a denial after an outage decides nothing',
    'src/workflows/shared/look.ts',
    "after === 'no-answer' ? { ...search, settling_ms } : search",
    'search',
  ],
  [
    'a trade that no answer named is sold as ours without a word',
    'src/workflows/payment/creation.ts',
    "if (!this.hasSent && !this.earlier.isProven(trade_no)) this.context.raise('unproven-trade');",
    '',
  ],
  [
    'a late payment of any trade is refunded or accepted without a person',
    RECORD,
    'return !isOfAnother(this.input) && isNamedByItsCreation(this.before ?? {}, this.state.trade_no);',
    'return true;',
  ],
  [
    'an answer about another trade counts',
    'src/gateway/echo.ts',
    'return !(SAME[name]?.(ours, theirs) ?? ours === theirs);',
    'return ours === name;',
  ],
  [
    'a trade is asked for by the order’s number although its own is known',
    'src/activities/trade-queries.ts',
    'return trade_no === undefined ? { out_trade_no } : { trade_no };',
    'return out_trade_no === undefined ? { trade_no } : { out_trade_no };',
  ],
  [
    'a follow-up stops at the first trade that has ended',
    'src/workflows/payment/follow-up.ts',
    'this.state.watching = this.candidates.length > 0;',
    'this.state.watching = false;',
  ],
  [
    'what was sold is sold no more when a later run starts',
    'src/workflows/payment/adoption.ts',
    "  if (previous?.outcome === 'SUCCESS') return adoptSale({ ...input, previous }, context, pending);\n",
    '',
  ],
  [
    'a run that made no order stands before the one that did',
    'src/workflows/payment/workflow.ts',
    '    await this.goOnWithRunBefore({ isOfOrder: true });\n',
    '',
  ],
  [
    'a number that was sold is adopted as if nothing had been before',
    'src/workflows/payment/workflow.ts',
    '    if (!first.isProven && !input.previous?.outcome) await this.goOnWithRunBefore();\n',
    '',
  ],
  [
    'a run that was terminated while it took on a sale hides the sale',
    'src/workflows/payment/earlier-runs.ts',
    "if (!previous || previous.outcome === 'SUCCESS') return previous;",
    "if (!previous?.order || previous.outcome === 'SUCCESS' || previous.payment_data) return previous;",
  ],
  [
    'a late sale that is reset is read in no run before',
    'src/workflows/payment/earlier-runs.ts',
    "if (!previous || previous.outcome === 'SUCCESS') return previous;",
    'if (!previous || previous.outcome !== null) return previous;',
  ],
  [
    'what came to a terminated run is not read after a sale',
    'src/workflows/payment/earlier-runs.ts',
    '  takeLeft(earlier, heir);\n  if (!previous',
    "  if (previous?.outcome !== 'SUCCESS') takeLeft(earlier, heir);\n  if (!previous",
  ],
  [
    'what a run was started with is forgotten where it was terminated before its first task',
    'src/activities/earlier-payments.ts',
    'carried?.claims ?? given',
    'carried?.claims ?? []',
  ],
  [
    'a run that watched a trade of others is no earlier run',
    'src/activities/earlier-payments.ts',
    "if (run.input.kind === 'adopt' && isNews)",
    "if (run.input.kind !== 'adopt' && isNews)",
  ],
  [
    'the trade that a terminated run watched is forgotten',
    'src/workflows/payment/earlier-runs.ts',
    'return watched ? { ...watched, ...knownOf(previous) } : previous;',
    'return previous;',
  ],
  [
    'earlier runs that the list does not show are none',
    'src/workflows/payment/earlier-runs.ts',
    'return untilRead(loadRunBefore, heir);',
    "const before = await loadRunBefore();\n  return before === 'unread' || !heir ? null : before;",
  ],
  [
    'another amount that a person calls a sale is told twice',
    'src/workflows/shared/outbox/payment-events.ts',
    '      .filter((one, index, all) => !isRepeatedByAPerson(one, all.slice(0, index)))\n',
    '',
  ],
  [
    'a follow-up never asks a gateway that was silent when the payment ended',
    'src/workflows/payment/follow-up.ts',
    '    if (this.state.watching && !this.mayBePaid) await this.awaitAnswer();\n',
    '    if (!this.mayBePaid) this.state.watching = false;\n',
  ],
  [
    'a sale that the gateway revokes after its silence is before nobody',
    'src/workflows/payment/sale.ts',
    "return outcome === 'SUCCESS' && isOurs",
    "return outcome !== 'SUCCESS' && isOurs",
  ],
  [
    'a terminated run that left nothing is taken for an order of others',
    'src/activities/earlier-payments.ts',
    'latest ?? (isDuplicate || hasLeft ? other : null)',
    'latest ?? other',
  ],
  [
    'what a run could not read is forgotten at its end',
    'src/workflows/payment/after-end.ts',
    '    if (context.record.isUnread) await followUps.startReading();\n',
    '',
  ],
  [
    'a start that no worker took may have sent the order',
    'src/activities/earlier-payments.ts',
    'isAsked ?? (await wasTaken(client, run))',
    'isAsked ?? true',
  ],
  [
    'a second trade that a person has settled is raised again by a run that was given it',
    'src/activities/earlier-payments.ts',
    'filter((other) => !wasGiven(run.input, other))',
    'filter((other) => other.trade_no || !wasGiven(run.input, other))',
  ],
  [
    'two trades that the gateway does not answer for are before nobody',
    'src/workflows/payment/trade-looks.ts',
    "    if (named.length > 1) context.raise('second-trade');\n",
    '',
  ],
  [
    'a denial for two minutes settles money that was acknowledged',
    'src/workflows/payment/await-outcome.ts',
    'this.onContradicted(seen.filter(({ trade_no }) => !trade_no || ours !== undefined));',
    'this.pending.settle(seen.filter(({ trade_no }) => !trade_no || ours !== undefined));',
  ],
  [
    'a person’s word drops what was acknowledged and not shown yet',
    'src/workflows/payment/after-end.ts',
    'if (isEndedByTheGateway(this.state) || !isAsked) pending.restoreContradicted();',
    'if (isEndedByTheGateway(this.state)) pending.restoreContradicted();',
  ],
  [
    'a CANCEL after what a person called sold is before nobody',
    'src/workflows/payment/ending.ts',
    'isNamed ? saleStatus(state) : state.trade_status;',
    'state.trade_status;',
  ],
  [
    'what the gateway called sold, and nobody believed, counts as known money',
    'src/contract/transitions.ts',
    'return saysSold && outcome !== null ? null : trade_status;',
    'return trade_status;',
  ],
  [
    'a busy gateway is believed where no later try is a duplicate',
    'src/workflows/payment/creation-steps.ts',
    "[{ mayExist: false, wasBusy: true, said: 'not-created', looked: 'not-yet' }, 'look'],",
    '',
  ],
  [
    'another trade that is notified takes the place of ours after a termination',
    RECORD,
    'else if (before?.outcome === null && before.order) this.state.trade_no = before.trade_no ?? this.state.trade_no;',
    '',
  ],
  [
    'what a terminated payment had not read is lost',
    'src/workflows/payment/earlier-runs.ts',
    '  for (const notification of untaken) pending.add(notification);\n',
    '',
  ],
  [
    'other trades of a terminated payment are before nobody',
    'src/workflows/payment/earlier-runs.ts',
    "  if (other_trades.length > 0) record.raise('second-trade');\n",
    '',
  ],
  [
    'a sale of a trade that others made is forgotten',
    'src/activities/earlier-payments.ts',
    "if (state?.outcome === 'SUCCESS') return 'order';",
    "if (order && state?.outcome === 'SUCCESS') return 'order';",
  ],
  [
    'what comes after a person’s SUCCESS is looked at by nobody',
    'src/workflows/payment/workflow.ts',
    'const isResolved = () => this.isResolved;',
    "const isResolved = () => this.state.confirmed_by === 'operator';",
  ],
  ['a sale is created again after a reset', STEPS, "  [{ isSold: true }, 'end-sold'],\n", ''],
  [
    'a trade that is named after a refusal without a number is taken for the refused one',
    'src/webhook/deliver.ts',
    '  if (trade_no !== ours)\n',
    '  if (ours && trade_no !== ours)\n',
  ],
  [
    'an answer that named no trade is forgotten at a reset',
    'src/workflows/payment/earlier-runs.ts',
    'return !payment_data?.trade_no || payment_data.trade_no === trade_no ? payment_data : null;',
    'return payment_data?.trade_no === trade_no ? payment_data : null;',
  ],
  [
    'an after-sale takes whichever trade the order’s number shows',
    'src/workflows/after-sale/record.ts',
    '    this.state.trade_no = trade_no ?? this.state.trade_no;\n',
    '',
  ],
  [
    'the last look of a follow-up takes a trade that is shown for another one',
    'src/workflows/payment/follow-up.ts',
    'id.trade_no !== undefined || found.length === 0',
    'found.length === 0',
  ],
  [
    'the end of one trade settles what concerns another one',
    'src/workflows/payment/follow-up.ts',
    'if (this.candidates.every((one) => one.trade_no === undefined)) ',
    '',
  ],
];

/** The same for refunds, whose stories are others. The last number is that of the finding in the after-sale's schedules. */
const AFTER = 'src/workflows/after-sale';
const SENDING = `${AFTER}/refund/sending.ts`;
const INTERPRET = `${AFTER}/refund/interpret.ts`;
const OF_REFUNDS = [
  [
    'a refund that paid nothing explains money that others gave back',
    INTERPRET,
    "outcome !== 'NOT_CREATED' && !hasGivenBack(status)",
    "outcome !== 'NOT_CREATED' && status !== ''",
  ],
  [
    'a refund that waits for its turn explains REFUNDED',
    `${AFTER}/refund-ledger.ts`,
    'const gone = this.entries.filter(mayHaveLeft)',
    'const gone = this.entries.filter((one) => mayHaveLeft(one) || one.outcome === null)',
  ],
  [
    'a word about what went back elsewhere settles whatever is shown',
    `${AFTER}/record.ts`,
    'else if (to === undefined) this.reasons.settle(shown);',
    'if (to === undefined) this.reasons.settle(shown);',
  ],
  [
    'a dispute answers the chargeback that was notified after it',
    `${AFTER}/reasons.ts`,
    'this.contradicted.filter((one) => isUnanswered(status, [one]));',
    'this.contradicted.filter((one) => isUnanswered(status, [one]) && status === "");',
  ],
  [
    'what is refunding counts as nothing',
    `${AFTER}/refund-entry.ts`,
    "'under way': 'refunding'",
    "'under way': 'nothing'",
  ],
  [
    'a refund is sent without a look right before it',
    'src/activities/make-refund.ts',
    'if (trade_status !== refund.seen) return',
    'if (refund.seen === null) return',
    2,
  ],
  [
    'a refund with a lost answer is sent again after an earlier part',
    SENDING,
    'return showsNone ? this.waitBeforeNext()',
    'return !this.evidence.isKnownToExist ? this.waitBeforeNext()',
  ],
  [
    'a refund is sent although a notification says that the bank takes the money back',
    SENDING,
    'if (this.evidence.isHeldBack) return this.standBack();',
    '',
    undefined,
    [[SENDING, 'isInterrupted: () => evidence.isHeldBack,', 'isInterrupted: () => false,']],
  ],
  [
    'a person’s decision is about whichever refund runs',
    `${AFTER}/requests.ts`,
    'const entry = record.ledger.find(out_request_no);\n  if (entry?.attention) return entry;',
    'const entry = record.ledger.next ?? record.ledger.find(out_request_no);\n  if (entry) return entry;',
    3,
  ],
  [
    'news of an earlier try is that of the later one',
    `${AFTER}/refund-ledger.ts`,
    ' || entry.attempt !== change.attempt) return false;',
    ') return false;',
    4,
  ],
  [
    'a chargeback that a query does not show is dropped',
    `${AFTER}/claims.ts`,
    'return words.some((claim) => reached < stepOf(claim) && !isOver(claim)) || isBehind(status, others);',
    'return isBehind(status, claims);',
    5,
  ],
  [
    'refunds from elsewhere do not limit what is granted',
    `${AFTER}/refund-ledger.ts`,
    "    if (!this.isComplete) return { is: 'incomplete' };\n",
    '',
    6,
    [[`${AFTER}/requests.ts`, '  if (!ledger.sums.ledger_complete) return NOT_KNOWN_WHAT_IS_LEFT;\n', '']],
  ],
  [
    'a notification that names a refund from elsewhere says nothing',
    `${AFTER}/news.ts`,
    'if (!entry) this.record.addUnknownRefund();',
    'if (!entry) return;',
    6,
  ],
  [
    'a refund begins whatever has brought the trade where it is',
    INTERPRET,
    "return wordOf(status) === 'revoked' || explained.includes(status) ? 'now' : 'elsewhere';",
    "return explained === 'never' ? 'elsewhere' : 'now';",
    6,
  ],
  [
    'an answer about another trade or amount is ours',
    'src/gateway/echo.ts',
    "  'refund_currency',\n  'refund_amount',\n] as const;",
    '] as const;',
    7,
  ],
  [
    'a refund that was refused is answered as if it were made',
    `${AFTER}/refund-ledger.ts`,
    "      if (isSpent(earlier)) return { is: 'spent', refund: earlier };\n",
    "      if (isSpent(earlier) && earlier.attempt > 9) return { is: 'spent', refund: earlier };\n",
    8,
  ],
  [
    'whatever the trade moves to is the refund',
    'src/workflows/after-sale/refund/evidence.ts',
    'if (status === this.baseline || !isRefundStatus(status)) return;',
    'this.isAttributed = true;',
    9,
  ],
  [
    'a notification that calls a second part revoked is ignored',
    `${AFTER}/refund/evidence.ts`,
    '    this.notified = latestWord(this.notified, trade_status);\n',
    '',
    10,
    [[`${AFTER}/news.ts`, '    else if (contradicts(trade_status, entry.outcome)) ledger.doubt(entry);\n', '']],
  ],
  [
    'a refund that was reset is sent again',
    'src/activities/make-refund.ts',
    "if (wasResetSince(refund.original_run_id)) return { is: 'reset' };",
    "if (wasResetSince(refund.original_run_id) && refund.original_run_id === '') return { is: 'reset' };",
  ],
  [
    'a decision is taken before it is known what was before',
    `${AFTER}/workflow.ts`,
    "    await condition(() => this.phase !== 'restoring');\n",
    '',
    12,
  ],
  [
    'a list is asked for by words that its language does not have',
    'src/temporal/list-query.ts',
    'return odd < 0 ?',
    'return odd < 1e9 ?',
    13,
  ],
  [
    'two refunds have one workflow id',
    'src/contract/ids.ts',
    'part.replace(/[%:]/g, encodeURIComponent)',
    'part',
    14,
    [[`${AFTER}/refund-runs.ts`, 'if (refund?.out_request_no !== entry.out_request_no) {', 'if (refund === null) {']],
  ],
  [
    'a decision that no refund was made counts although it was sent meanwhile',
    `${AFTER}/refund/record.ts`,
    'return makesFree(outcome) && (maySend',
    'return outcome === undefined && (maySend',
  ],
  [
    'a decision that no refund was made counts while the run before a reset may send it',
    `${AFTER}/refund/record.ts`,
    'this.isAsking || now < this.onItsWayUntil',
    'this.isAsking',
  ],
  [
    'a reset of a refund that cannot look at the trade is taken for a run that has sent nothing',
    `${AFTER}/refund/workflow.ts`,
    'if (record.refund.sent_at === null) await this.sending?.wasReset();',
    '',
  ],
  [
    'a refund that a reset has brought back is followed by nobody',
    `${AFTER}/refund-runs.ts`,
    'if (this.gone.delete(nameOf(reported))) this.followAgain(reported);',
    'this.gone.delete(nameOf(reported));',
  ],
  [
    'an end that earlier refunds may have brought is that of ours',
    INTERPRET,
    'earlier.length === 0 && !disturbed;',
    '!disturbed;',
  ],
  [
    'a refusal in unknown words is believed while a copy of the gateway may be behind',
    `${AFTER}/refund/sending.ts`,
    'return this.believe(notRefunded({ error, message }));',
    'return this.refuse(notRefunded({ error, message }));',
  ],
  [
    'what the trade shows is explained although a person says that ours was not made',
    `${AFTER}/record.ts`,
    '// Where ours was not made, what the trade shows is from elsewhere.\n    this.explain();',
    '',
  ],
  [
    'a refund is requested again after its worker died',
    'src/workflows/shared/activity-options.ts',
    "nonRetryableErrorTypes: ['TemporalTimeout:StartToClose', 'TemporalTimeout:Heartbeat']",
    'nonRetryableErrorTypes: []',
  ],
  [
    'the amount of a refund is freed by a status that does not last',
    `${AFTER}/refund/workflow.ts`,
    "if (reading.is !== 'pending' && reading.settlings > 0 && !(await this.lasts(reading.settlings))) return;",
    '',
  ],
  [
    'a new run of the after-sale forgets the earlier one',
    `${AFTER}/workflow.ts`,
    'previous: this.state, ',
    '',
    undefined,
    [[`${AFTER}/record.ts`, '    if (previous) this.restore(previous, carried);\n', '']],
  ],
  [
    'a refund that nobody has is said to go on by itself',
    `${AFTER}/requests.ts`,
    'return typedFailure(FAILURE.notAnswered, message);',
    "return pending('the gateway has not said yet what was paid');",
  ],
  [
    'a refund that was revoked between two looks stays counted',
    `${AFTER}/news.ts`,
    'if (record.mayBeRevoked) record.doubtRefunds();',
    '',
  ],
  [
    'a dispute after a chargeback that a person has decided on is nobody’s, where the bank takes the money again at once',
    `${AFTER}/news.ts`,
    '    if (!isOlder) record.noteWords(ofTrade, from);\n',
    '',
  ],
  [
    'a trade that stands again after the bank took part says that our refund was revoked',
    INTERPRET,
    'earlier.length === 0 && !disturbed;',
    'earlier.length === 0;',
  ],
  [
    'a revoke that is shown while another refund is under way is nobody’s',
    `${AFTER}/news.ts`,
    '    if (!isUnderWay && wasSentAt !== null) record.compareEnds(refund, wasSentAt);\n',
    '',
  ],
  [
    'a refund that waits for its turn is sent although one from elsewhere has become known',
    `${AFTER}/refund/workflow.ts`,
    '      if (obstacle) return this.refuse(sending, obstacle);\n',
    '',
  ],
  [
    'a refund is sent although a person has named meanwhile that too little is left',
    `${AFTER}/requests.ts`,
    '  if (paid && isMore(entry.refund_amount, ledger.leftFor(entry, paid))) return NOT_LEFT;\n',
    '',
  ],
  [
    'the end of an earlier refund proves a later one',
    `${AFTER}/refund/evidence.ts`,
    'return !this.earlier.includes(status) && (',
    'return (',
    undefined,
    [[INTERPRET, 'if (!isBack && !earlier.includes(now)) {', 'if (!isBack) {']],
  ],
  [
    'a refund is sent on the word of a copy that does not show the chargeback yet',
    `${AFTER}/bank-word.ts`,
    'now - Date.parse(this.said.time) < BEHIND_MS',
    'now < 0',
  ],
  [
    'a part that the gateway took is before a person while it is under way',
    INTERPRET,
    "return isTaken ? 'under way' : 'nothing';",
    "return attributed ? 'under way' : 'nothing';",
  ],
  [
    'what the refunds of a terminated after-sale explained is guessed from the trade',
    `${AFTER}/record.ts`,
    'this.explained = new ExplainedStatuses(carried.explained);',
    'this.explained = trade_status;',
  ],
  [
    'what was notified to a terminated after-sale before it took it is lost',
    'src/activities/previous-run.ts',
    'const untaken = isEnded ? [] : await untakenNotifications(client, run, carried?.taken ?? 0);',
    'const untaken = isEnded ? [] : [];',
  ],
  [
    'a late word of a refund’s end unsays that it came back',
    INTERPRET,
    'return isUnderWay(word) || (isInVain(before) && hasGivenBack(word)) ? before : word;',
    'return isUnderWay(word) || (isInVain(before) && word === before) ? before : word;',
  ],
  [
    'a server’s error with a code counts as a refusal of the refund',
    SENDING,
    'const isWord = error.code !== undefined && (error.http_status ?? 0) < 500;',
    'const isWord = error.code !== undefined;',
  ],
  [
    'an earlier after-sale that answers no query is waited for without an end',
    'src/activities/previous-run.ts',
    'await readWithin(PATIENCE_MS, () => knowledgeOf(client, run), null);',
    'await knowledgeOf(client, run);',
  ],
  [
    'the search for a trade that a person has called none goes on',
    'src/workflows/shared/await-trade.ts',
    "looked.is === 'no-such-order' && !record.reasons.has('unknown-trade');",
    'false;',
  ],
  [
    'a merchant who asks on and on leaves a person no room',
    `${AFTER}/workflow.ts`,
    'if (this.news.pending.isFull) throw askedTooOften();',
    '',
  ],
  [
    'nobody hears of a refund that something forbids at its turn',
    `${AFTER}/refund-runs.ts`,
    "this.listener.onEnd({ ...entry, outcome: 'NOT_CREATED', failure: obstacle });",
    "ledger.update({ ...entry, outcome: 'NOT_CREATED', failure: obstacle });",
  ],
  ['a cancellation ends an after-sale', `${AFTER}/workflow.ts`, 'uncancelled(() => run.execute());', 'run.execute();'],
  [
    'what a terminated after-sale had only heard is forgotten',
    'src/activities/previous-run.ts',
    'const claims = [...(state?.claims ?? []), ...untaken, ...left.claims];',
    'const claims = state && hasRead(state) ? state.claims : [];',
  ],
  ['what was ordered counts as paid', `${AFTER}/record.ts`, "if (outcomeOf(trade_status) !== 'SUCCESS') return;", ''],
  [
    'a refund from elsewhere that is under way explains where it brings the trade',
    `${AFTER}/refund/evidence.ts`,
    '    this.explained = [];\n    this.hasSeenOthers = true;\n',
    '',
  ],
  [
    'more may have gone back than was paid',
    `${AFTER}/refund-ledger.ts`,
    "if (!trade || !isMore(sumOf([elsewhere, this.sum('refunded')]), trade.order_amount)) return;",
    'return;',
  ],
  [
    'of two answers about a trade, that which came last counts',
    `${AFTER}/record.ts`,
    'return asked_at < this.askedAt && trade_status !== this.state.trade_status;',
    'return false;',
  ],
  [
    'a refund whose workflow has ended is started again',
    `${AFTER}/refund-runs.ts`,
    "let reuse: Reuse = 'REJECT_DUPLICATE';",
    "let reuse: Reuse = 'ALLOW_DUPLICATE';",
  ],
  [
    'a refund that is found again is counted beside what a person named',
    `${AFTER}/refund-ledger.ts`,
    "if (!isMoney || !isMore(this.elsewhere, '0')) return 'known';",
    "if (isMoney || !isMoney) return 'known';",
  ],
];

OF_REFUNDS.push(
  [
    'the return of an earlier refund is taken for that of ours',
    'src/workflows/after-sale/refund/interpret.ts',
    'if (!isTaken || (endedInVain && isUnsaid))',
    'if (!isTaken || (endedInVain && isUnsaid && !isTaken))',
  ],
  [
    'a copy that is behind says that a refund was revoked',
    INTERPRET,
    "const REVOKED_IF_NO_COPY: Reading = { is: 'ended', outcome: 'REFUND_REVOKE', settlings: SETTLINGS_OF_A_COPY };",
    "const REVOKED_IF_NO_COPY: Reading = { is: 'ended', outcome: 'REFUND_REVOKE', settlings: 1 };",
  ],
  [
    'a refund that a notification has called under way counts as named by its end',
    `${AFTER}/refund/record.ts`,
    'outcomeNamedBy(named) === outcome',
    'named !== null',
  ],
  [
    'a terminated after-sale forgets which refunds were under way beside others',
    `${AFTER}/refund-ledger.ts`,
    "else if (isMore(refunded_elsewhere, '0')) this.noteBesideOthers();",
    '',
  ],
  [
    'a refund whose tries do not reach the gateway hears of nothing that is in its way',
    `${AFTER}/refund-runs.ts`,
    'if (!this.isFollowed(entry) || entry.answer !== null ||',
    'if (!this.isFollowed(entry) || entry.sent_at !== null ||',
  ],
  [
    'a refund is sent again although another one may have brought the trade back to SUCCESS',
    SENDING,
    'return isKnownToExist || isHeldBack || !isAlone;',
    'return isKnownToExist || isHeldBack || (!isAlone && isKnownToExist);',
  ],
  [
    'what was notified before a new after-sale follows the refund is not told to it',
    `${AFTER}/news.ts`,
    'isOfEarlierRun ? this.unread : this.pending.all;',
    'isOfEarlierRun ? this.pending.all : this.pending.all;',
  ],
  [
    'what was notified of an earlier try under a number counts for the next one',
    `${AFTER}/refund/evidence.ts`,
    'if (!this.isFirstRequest && isInVain(trade_status)) {',
    'if (!this.isFirstRequest && trade_status === null) {',
  ],
  [
    'a person is asked again of what others a person has decided before',
    `${AFTER}/record.ts`,
    'if (wasOpen && entry.sent_at !== null)',
    'if (entry.sent_at !== null)',
  ],
  [
    'a revoke that is notified without a number is only unconfirmed',
    `${AFTER}/news.ts`,
    "if (record.tradeStatus !== 'REFUND_REVOKE' && ofTrade.some(isUnnamedRevoke))",
    'if (trade.trade_status === null)',
  ],
  [
    'a revoke that an older answer shows is taken for recorded',
    `${AFTER}/news.ts`,
    "if (record.tradeStatus !== 'REFUND_REVOKE' && ofTrade.some(isUnnamedRevoke))",
    "if (trade.trade_status !== 'REFUND_REVOKE' && ofTrade.some(isUnnamedRevoke))",
    undefined,
    // A refund that runs hears it, too.
    [[`${AFTER}/refund/evidence.ts`, 'else if (isInVain(trade_status)) this.endsInVain.add(trade_status);', '']],
  ],
  [
    'what was called given back by its number has not come back since',
    `${AFTER}/refund-ledger.ts`,
    'const isCertain = isDecided ||',
    "const isCertain = isDecided || confirmed_by === 'notification' ||",
  ],
  [
    'an end that is notified without a number, and that no query shows, is nobody’s',
    `${AFTER}/refund/evidence.ts`,
    'else if (isInVain(trade_status)) this.endsInVain.add(trade_status);',
    '',
  ],
  [
    'after a refund that paid nothing, the part from before it is not explained',
    `${AFTER}/explained.ts`,
    "outcome === 'REFUNDED' ? [] :",
    'outcome !== null ? [] :',
  ],
  [
    'an after-sale ends, and with it the bank’s word that a copy does not show',
    `${AFTER}/record.ts`,
    'this.bank = new BankWord(previous.bank_said);',
    'this.bank = new BankWord(carried ? previous.bank_said : null);',
  ],
  [
    'an end that nobody has named is forgotten once the refund has ended',
    `${AFTER}/record.ts`,
    'if (refund.unnamed_end_seen || was',
    'if (was',
  ],
  [
    'a refund begins without a look whether an earlier one came back',
    `${AFTER}/news.ts`,
    'if (!record.ledger.hasRefunded) return;',
    'if (record) return;',
  ],
  [
    'a notification of another trade ends our refund under its number',
    `${AFTER}/news.ts`,
    'if (isOfTrade(notification, this.record.id.trade_no)) this.refunds.tell(',
    'if (notification) this.refunds.tell(',
  ],
  [
    'a refund whose request may be on its way is called not made',
    'src/workflows/after-sale/refund-runs.ts',
    'if (isGone && makesFree(outcome) && this.isOnItsWay(entry)) throw onItsWay();',
    '',
  ],
  [
    'only NOT_CREATED of a refund that was sent meanwhile is outdated',
    'src/workflows/after-sale/refund/record.ts',
    "outcome !== undefined && outcome !== 'REFUNDED';",
    "outcome === 'NOT_CREATED';",
  ],
);

const ACCOUNT = 'src/workflows/account';
/** The same of virtual accounts. */
const OF_ACCOUNTS = [
  [
    'a reset of an account hands on its older ledger',
    `${ACCOUNT}/workflow.ts`,
    'this.early === null && this.readBy === workflowInfo().runId;',
    'this.early === null;',
  ],
  [
    'a cancel that comes to a reset of an account is forgotten with it',
    'src/activities/account-before.ts',
    'handover?.cancel_wanted ??',
    'handover?.carried?.cancel_wanted ??',
  ],
  [
    'a cancel that came to a run which cannot be queried is forgotten',
    'src/activities/account-before.ts',
    ' || updates.some(isOpenCancel)',
    '',
  ],
  [
    'a deposit that comes long after an account began to read is told to nobody',
    `${ACCOUNT}/workflow.ts`,
    'if (!isRead) await condition(() => this.early?.length !== 0);',
    'if (isRead) return;',
  ],
  [
    'a deposit is counted by two accounts where the list does not know the end of a payment',
    'src/activities/account-workflows.ts',
    'resultOf(await asItIs(run))',
    'resultOf(run)',
  ],
  [
    'what a person decided of a payment is forgotten where the deposit was notified again before',
    `${ACCOUNT}/deposit-payment.ts`,
    'return decided ? Date.parse(decided.time) >= notified_at : false;',
    'return decided ? false : false;',
  ],
  [
    'a cancel that comes while an account reads what it knew is forgotten',
    `${ACCOUNT}/workflow.ts`,
    '    this.cancelWanted = true;\n',
    '',
  ],
  [
    'an account that could not read what it knew says for ever that a deposit is overdue',
    `${ACCOUNT}/workflow.ts`,
    '    this.counting.settleOverdue();\n',
    '',
  ],
  [
    'a deposit whose payment something else has adopted is counted by two accounts',
    `${ACCOUNT}/deposit-payment.ts`,
    "if (owner !== null && owner !== account) return 'counted';",
    '',
  ],
  [
    'a payment that no account has started answers for a deposit',
    `${ACCOUNT}/deposit-payment.ts`,
    'parent === account && (isAnswer || isMoneyOfMerchant(state))',
    'isAnswer || isMoneyOfMerchant(state)',
  ],
  [
    'what a payment said before a notification is the answer to it',
    `${ACCOUNT}/deposit-payment.ts`,
    '(isAnswer || isMoneyOfMerchant(state))',
    "(isAnswer || state?.outcome !== 'EXPIRED')",
  ],
  [
    'a run that looked before a deposit was notified as paid answers for it',
    `${ACCOUNT}/deposit-ledger.ts`,
    'const payment_run = isPaid && run ? { ...run, notified_at: now } : run;',
    'const payment_run = isPaid ? run : run;',
  ],
  [
    'a returned deposit that is notified again needs a person again',
    `${ACCOUNT}/counting.ts`,
    "because !== 'unconfirmed-deposit' && before?.because === because &&",
    "because === 'second-deposit' && before?.because === because &&",
  ],
  [
    'a cancellation that was sent before is called refused',
    'src/activities/account.ts',
    'if (refusal && !mayBeCanceled)',
    'if (refusal)',
  ],
  [
    'a mistyped account is the account of the key',
    `${ACCOUNT}/create.ts`,
    'this.isUndecided = account_id !== undefined && found === null;\n    return found ?? undefined;',
    'this.isUndecided = false;\n    return found ?? (account_id === undefined ? undefined : accountData({ account_id }));',
  ],
  [
    'a deposit that the gateway does not confirm keeps its place',
    `${ACCOUNT}/confirmations.ts`,
    'of === queue && ms < queue.held_ms',
    'of === queue',
    11,
  ],
  ['money that went back is counted', `${ACCOUNT}/counting.ts`, '!WITH_MONEY.includes(trade_status)', 'false', 15],
  [
    'an account forgets its deposits when it is terminated',
    `${ACCOUNT}/workflow.ts`,
    'if (this.early) await this.takeOver();',
    'this.early = null;',
  ],
  [
    'deposits that come while an account reads what it knew are dropped',
    `${ACCOUNT}/workflow.ts`,
    'if (this.early) this.early.push(signal);\n      else this.onDeposit(signal);',
    'if (!this.early) this.onDeposit(signal);',
  ],
  [
    'a deposit is counted without the gateway',
    `${ACCOUNT}/counting.ts`,
    "payment?.outcome !== 'SUCCESS' || !amount",
    '!amount',
  ],
  [
    'what is counted is not remembered',
    `${ACCOUNT}/deposit-ledger.ts`,
    'if (this.counted.has(out_trade_no) || this.pendingDeposits.has(out_trade_no))',
    'if (this.pendingDeposits.has(out_trade_no))',
  ],
  [
    'pending deposits are not handed on',
    `${ACCOUNT}/deposit-ledger.ts`,
    '      pending: this.pending,\n',
    '      pending: [],\n',
  ],
  [
    'an account whose creation was lost is made again',
    `${ACCOUNT}/create.ts`,
    'return mayTryAgain && hasNotFallen ? this.try(false) : undefined;',
    'return hasNotFallen ? this.try(false) : undefined;',
  ],
  [
    'an account whose earlier creation was terminated is made again',
    'src/activities/account-creations.ts',
    "return isNotCreatedFailure(failure) ? 'certainly-none' : 'unknown';",
    "return isNotCreatedFailure(failure) ? 'certainly-none' : 'certainly-none';",
  ],
  ['a key is forgotten with the run that knew it', `${ACCOUNT}/workflow.ts`, '    this.keys.add(keys);\n', ''],
  [
    'an account that a deposit has started is not told its key',
    `${ACCOUNT}/create.ts`,
    'if (await signalIfRunning(workflowId, SIGNAL.keyed, { key } satisfies KeyedSignal)) return;',
    'if (pause_ms > 0) return;',
  ],
  ['a set-aside deposit is shown to nobody', `${ACCOUNT}/counting.ts`, '    this.record.raise(because);\n', ''],
  [
    'a reason for a person that comes second is lost',
    `${ACCOUNT}/record.ts`,
    'this.reasons.raise(attention);',
    'if (this.attention === null) this.reasons.raise(attention);',
  ],
  [
    'one transfer that is notified under two numbers is counted twice',
    `${ACCOUNT}/deposit-ledger.ts`,
    'return known !== undefined && known !== out_trade_no;',
    'return known !== undefined && known === null;',
  ],
  [
    'a deposit is counted with the money of another one',
    `${ACCOUNT}/counting.ts`,
    'if (isOfAnother(payment, deposit)) {',
    'if (isOfAnother(payment, deposit) && !payment) {',
  ],
  [
    'a second deposit under a known number is dropped',
    `${ACCOUNT}/deposit-ledger.ts`,
    "return this.isSecond(deposit) ? 'second' : 'repeat';",
    "return 'repeat';",
  ],
  [
    'sums are rounded',
    `${ACCOUNT}/deposit-ledger.ts`,
    "sumOf([this.total.get(paid.currency) ?? '0', paid.amount])",
    "Number(sumOf([this.total.get(paid.currency) ?? '0', paid.amount])).toFixed(2)",
  ],
];

const root = resolve(__dirname, '..');
const flags = ['--check', '--findings'];
const wanted = process.argv.slice(2).filter((word) => !flags.includes(word));
const isOfFinding = ([, , , , finding]) => finding !== undefined || !process.argv.includes('--findings');
/** What is broken, and the stories and named tests that have to notice. */
const KINDS_OF_PLACES = [
  { about: 'payments', of: MUTATIONS, folder: 'payment', named: ['outages', 'hostile/(schedules|attacks[a-z-]*)'] },
  {
    about: 'refunds',
    of: OF_REFUNDS,
    folder: 'after-sale',
    named: ['refund-ledger', 'hostile/(schedules|numbers|attacks[a-z-]*)'],
  },
  {
    about: 'accounts',
    of: OF_ACCOUNTS,
    folder: 'account',
    named: ['findings', 'deposit-ledger', 'hostile/attacks[a-z-]*'],
  },
];
const ofWorkflows = KINDS_OF_PLACES.flatMap(({ about, of, folder, named }) =>
  of.map((place) => ({
    ...{ place, about, random: [`test/workflows/${folder}/hostile/hostile.test.ts`, '-t', 'random stories'] },
    named: named.map((file) => `test/workflows/${folder}/${file}.test.ts`),
  })),
);
/** No stories are played of these: each has the test that SECURITY.md names. */
const ofSecurity = OF_SECURITY.map(([name, file, from, to, test, also]) => ({
  ...{ place: [name, file, from, to, undefined, also], about: 'security', named: [`${test}.test.ts`] },
}));
const places = [...ofWorkflows, ...ofSecurity].filter(
  ({ place, about }) =>
    isOfFinding(place) && (wanted.length === 0 || wanted.some((word) => word === about || place[0].includes(word))),
);

/** The places that a mutation breaks: file, what stands there, and what stands there instead. */
const editsOf = ([, file, from, to, , also = []]) => [[file, from, to], ...also];

/** Throws Error if a place is not in the code any more. */
function assertIsThere([name, ...place]) {
  for (const [file, from] of editsOf([name, ...place])) {
    const text = readFileSync(join(root, file), 'utf8');
    if (text.split(from).length !== 2) throw new Error(`${name}: ${file} does not hold "${from}" exactly once`);
  }
}

/** A copy of the project that a mutation has broken. */
function brokenCopy(place) {
  const copy = mkdtempSync(join(tmpdir(), 'model-mutation-'));
  for (const part of [
    'src',
    'test',
    'examples',
    'vectors',
    'schemas',
    'package.json',
    'tsconfig.json',
    'jest.config.js',
  ])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const [file, from, to] of editsOf(place)) {
    const path = join(copy, file);
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(from, () => to),
    );
  }
  return copy;
}

/** Runs Jest in a copy: its exit code, null where it was ended after a quarter of an hour, and what it said. */
function jest(suite, copy) {
  // A story that fails is not shrunk: that it fails is all that counts here.
  const env = { HOSTILE_SEED: '20261121', ...process.env, HOSTILE_RUNS: RUNS, HOSTILE_SHRINK: 'no' };
  const child = spawn('npx', ['jest', '-i', ...suite], { cwd: copy, detached: true, env });
  // With its children: a test of broken code may wait for ever.
  const late = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), 900_000);
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (out += text));
  const ended = new Promise((done) => child.on('close', (code) => done({ code, out })));
  return ended.finally(() => clearTimeout(late));
}

/** How a suite fails on a copy; undefined if it passes. */
async function failureOf(suite, copy) {
  const { code, out } = await jest(suite, copy);
  if (code === 0) return undefined;
  if (code === null) return 'it hangs';
  // A copy that does not even run says nothing of the stories.
  if (!/Tests: +\d+ failed/.test(out)) throw new Error(out.slice(-2000));
  const after = /Property failed after (\d+) tests/.exec(out)?.[1];
  if (after) return `after ${after} stories`;
  return `by ${/● (.*)/.exec(out)?.[1] ?? 'a test'}`;
}

const lost = places.flatMap(({ place }) => {
  try {
    assertIsThere(place);
    return [];
  } catch ({ message }) {
    return message;
  }
});
if (lost.length > 0) throw new Error(lost.join('\n'));
if (process.argv.includes('--check')) process.exit();

/** The findings of the first audit that random stories have found by themselves, by what they are about. */
const found = new Map(KINDS_OF_PLACES.map(({ about }) => [about, new Set()]));
let red = 0;

async function play({ place, about, random, named }) {
  const [name, , , , finding] = place;
  const copy = brokenCopy(place);
  try {
    const byRandom = random && (await failureOf(random, copy));
    if (byRandom && finding) found.get(about).add(finding);
    const how = byRandom ?? (await failureOf(named, copy));
    if (how) red += 1;
    console.log(`${how ? 'red  ' : 'GREEN'}  ${finding ? `finding ${finding}: ` : ''}${name}${how ? ` (${how})` : ''}`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function playOn(left) {
  for (let next = left.shift(); next; next = left.shift()) await play(next);
}

const left = [...places];
Promise.all(Array.from({ length: availableParallelism() }, () => playOn(left))).then(() => {
  console.log(`${red} of ${places.length} places fail when they are broken, in at most ${RUNS} stories each`);
  for (const [about, findings] of found) {
    const numbers = [...findings].sort((one, other) => one - other).join(', ');
    console.log(`random stories of ${about} find ${findings.size} of the findings by themselves: ${numbers}`);
  }
  process.exitCode = red === places.length ? 0 : 1;
});
