/**
 * Breaks the workflows at named places, one at a time in a copy of the project, and runs the model tests on it: each must
 * fail. A place that stays green is a promise that no test watches. `npm run model:mutations
 * [payments|the end|after-sale|refunds|accounts|security|name …]`
 *
 * Of payments the random stories are played first, to see whether the world finds the place by itself (MODEL_RUNS stories at
 * most), and then the schedules that have a name. A number is that of the finding of the first audit that the place mends.
 * `--check` only says whether each place is still in the code; `--findings` plays those of a finding alone.
 */
const { spawn } = require('node:child_process');
const { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } = require('node:fs');
const { availableParallelism, tmpdir } = require('node:os');
const { join, resolve } = require('node:path');

const OF_AFTER_SALE = require('./mutations-of-after-sale.cjs');
const OF_ONE_PAYMENT = require('./mutations-of-payment.cjs');
const OF_SECURITY = require('./mutations-of-security.cjs');
const OF_THE_END = require('./mutations-of-the-end.cjs');

const RUNS = process.env.MODEL_RUNS ?? '400';

const STEPS = 'src/workflows/payment/creation-table.ts';
const WAIT = 'src/workflows/payment/await-outcome.ts';
const CREATION = 'src/workflows/payment/creation.ts';
const FOLD = 'src/workflows/payment/fold.ts';
const NEXT = 'src/workflows/payment/next-step.ts';
const KNOWN = 'src/workflows/payment/known-payment.ts';
const LOOKED = 'src/workflows/payment/look-results.ts';

/**
 * Name, file, what stands there, what stands there instead, the finding that this takes back, and more places that are broken
 * with it: some promises have a second guard.
 */
const MUTATIONS = [
  [
    'what a person called sold counts as shown by the gateway',
    FOLD,
    'trade_status: end.trade_status,',
    "trade_status: end.trade_status ?? 'SUCCESS',",
  ],
  ['an unknown creation counts as none', FOLD, "  if (is === 'unknown') return furtherOf(known, 'sent');\n", ''],
  [
    'an order that may exist is sent again on an old look',
    CREATION,
    '(isAgain ? FRESH_LOOK_MS : patience_ms)',
    'patience_ms',
  ],
  [
    'a second reason for a person is lost with the first',
    'src/workflows/shared/attention-reasons.ts',
    '  return [...others, reason];',
    '  return others.length > 0 ? others : [reason];',
  ],
  ['an order that may exist is sent again without a look', STEPS, "  [{ looked: 'not-yet' }, 'look'],\n", ''],
  ['a look without an answer counts as no order', STEPS, "  [{ looked: 'no-answer' }, 'look-on'],\n", ''],
  [
    'an order is sent although a notification named a trade',
    KNOWN,
    'isNotified: known.claims.length > 0,',
    'isNotified: false,',
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
    'src/activities/own-run.ts',
    'if (read_by === ownRunId()) return act(input);',
    "if (read_by !== '') return act(input);",
  ],
  [
    'a duplicate after a try that reached the gateway counts as made elsewhere',
    FOLD,
    "is === 'duplicate' && known.creation.reach === 'busy' ? 'perhaps' : known",
    'known',
  ],
  [
    'an order that is notified after a try that reached the gateway counts as made elsewhere',
    KNOWN,
    "wasMadeBefore(known) || known.creation.reach !== 'none';",
    'wasMadeBefore(known);',
  ],
  ['notifications are believed', NEXT, '= settings.confirm_by_query || known', '= !settings.confirm_by_query || known'],
  [
    'a wrong amount is not noticed',
    FOLD,
    "return raised(withShown(known, { mismatch }), 'amount-mismatch');",
    'return withShown(known, { mismatch });',
  ],
  [
    'another amount ends in SUCCESS',
    FOLD,
    "return isMismatch && outcomeOf(trade_status) === 'SUCCESS' ?",
    "return isMismatch && outcomeOf(trade_status) === 'CANCEL' ?",
  ],
  [
    'another request is answered',
    'src/workflows/payment/answers.ts',
    '  if (fields.length > 0) throw differentOrder(first, fields);',
    '  if (fields.length > 99) throw differentOrder(first, fields);',
  ],
  [
    'the payment gives up at its own deadline',
    'src/workflows/payment/deadlines.ts',
    'return [...own, ...later',
    'return [...own.slice(0, 1), ...later',
  ],
  [
    'polls stop',
    WAIT,
    'return await this.watch.next(watch,',
    'return await this.watch.next({ ...watch, schedule: { poll_schedule_ms: [1e9], poll_every_ms: 1e9 } },',
  ],
  [
    'a person’s decision is ignored',
    'src/workflows/payment/resolve.ts',
    "{ outcome, confirmed_by: 'operator', payment_data }",
    "{ confirmed_by: 'operator', payment_data }",
  ],
  [
    'an order of another system that a notification named is taken for ours',
    CREATION,
    '    if (!isOurOrder(this.context.known)) throw duplicateOrderFailure(this.order, trade);\n',
    '',
  ],
  [
    'a reset run that is withdrawn says that nothing was sent',
    CREATION,
    '    await this.readEarlier();\n    if (wasMadeBefore(context.known)) {',
    '    await this.readEarlier();\n    if (false) {',
  ],
  [
    'a payment expires although the gateway gives no answer',
    NEXT,
    "known.look?.isSilent ? { take: 'insist' } : undefined",
    "known.look?.isSilent ? { take: 'expire' } : undefined",
  ],
  [
    'what the gateway denied before it caught up is forgotten',
    LOOKED,
    "{ is: 'denied', claims } as const",
    "{ is: 'settled', claims } as const",
  ],
  [
    'a second trade is not told',
    'src/workflows/payment/other-trades.ts',
    'context.learn(...ofOtherNamed(other, noted(other, context)));',
    'noted(other, context);',
    3,
  ],
  [
    'a notification is settled before it was looked into',
    FOLD,
    'heard <= after && isSeen(signal)',
    'isSeen(signal)',
    1,
  ],
  ['a late payment needs no person', FOLD, "return isAccepted ? sold : raised(sold, 'late-payment');", 'return sold;'],
  [
    'an event gets one try and no more',
    'src/workflows/shared/outbox/delivery.ts',
    'else await this.leaveAll();',
    'else this.undelivered.shift();',
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
    FOLD,
    "(before === undefined || before.outcome === 'SUCCESS')",
    "(!before?.outcome || before.outcome === 'SUCCESS')",
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
    CREATION,
    "context.learn({ is: 'recalled', earlier: await readEarlierRuns(context) });",
    'await readEarlierRuns(context);',
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
    CREATION,
    "if (after === 'no-such-order') context.raise(context.known.claims.length > 0 ? 'unknown-trade' : 'unknown-outcome');",
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
    FOLD,
    '  if (!trade_no && !trade_status) return known;\n',
    '',
    16,
  ],
  [
    'an overloaded gateway says that there is no order',
    'src/activities/failures.ts',
    'const isOverloaded = http_status === 429 || http_status >= 500;',
    'const isOverloaded = http_status === 0;',
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
    LOOKED,
    "...(isUnproven ? [{ is: 'raised', attention: 'unproven-trade' } as const] : []),",
    '',
  ],
  [
    'a late payment of any trade is refunded or accepted without a person',
    FOLD,
    'order !== null && isNamedByItsCreation(before ?? {}, shown.trade_no);',
    'true;',
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
    'what was sold is sold no more when a later run starts',
    'src/workflows/payment/adoption.ts',
    "  if (before?.outcome === 'SUCCESS') return adoptSale(input, before, context);\n",
    '',
  ],
  [
    'a run that made no order stands before the one that did',
    'src/workflows/payment/workflow.ts',
    '    if (isFailed) await this.giveWay();\n',
    '',
  ],
  [
    'a number that was sold is adopted as if nothing had been before',
    'src/workflows/payment/workflow.ts',
    "    if (this.phase === 'joining' && !this.first.isProven) await this.recall();\n",
    '',
  ],
  [
    'a run that was terminated while it took on a sale hides the sale',
    'src/workflows/payment/known-before.ts',
    'return sold ? endedAs(latest, sold) : { ...latest, ...namedBy(alike) };',
    'return sold && latest.order === null ? endedAs(latest, sold) : { ...latest, ...namedBy(alike) };',
  ],
  [
    'what came to a terminated run is not read after a sale',
    FOLD,
    'const left = untaken.reduce(',
    "const left = (earlier.runs.some((one) => one.outcome === 'SUCCESS') ? [] : untaken).reduce(",
  ],
  [
    'what a run was started with is forgotten where it was terminated before its first task',
    'src/activities/earlier-payments.ts',
    '...(claims ?? given),',
    '...(claims ?? []),',
  ],
  [
    'a run that watched a trade of others is no earlier run',
    'src/workflows/payment/known-before.ts',
    '  if (latest === undefined) return watchedBy(runs);',
    '  if (latest === undefined) return undefined;',
  ],
  [
    'the trade that a terminated run watched is forgotten',
    'src/workflows/payment/known-before.ts',
    '|| latest === seen) return latest;',
    '|| latest !== undefined) return latest;',
  ],
  [
    'earlier runs that the list does not show are none',
    'src/workflows/payment/earlier-runs.ts',
    "    if (earlier !== 'unread') {\n",
    "    if (earlier === 'unread') return { runs: [], other_trades: [], untaken: [], read_by: '' };\n    if (earlier !== undefined) {\n",
  ],
  [
    'another amount that a person calls a sale is told twice',
    'src/workflows/shared/outbox/payment-events.ts',
    '      .filter((one, index, all) => !isRepeatedByAPerson(one, all.slice(0, index)))\n',
    '',
  ],
  [
    'a terminated run that left nothing is taken for an order of others',
    'src/workflows/payment/known-before.ts',
    "runs.some(({ made }) => made !== 'nothing')",
    'runs.some(({ made }) => made !== undefined)',
  ],
  [
    'a run that has begun no creation may have sent the order',
    'src/temporal/workflow-history.ts',
    "const isMade = (order && creation.mayBeMade) || state?.outcome === 'SUCCESS';",
    "const isMade = Boolean(order) || state?.outcome === 'SUCCESS';",
  ],
  [
    'a second trade that a person has settled is raised again by a run that was given it',
    KNOWN,
    'other_trades: state.other_trades.filter((one) => !isGiven(one)),',
    'other_trades: state.other_trades.filter((one) => one.trade_no || !isGiven(one)),',
  ],
  [
    'two trades that the gateway does not answer for are before nobody',
    LOOKED,
    "    ...(areSeveral ? [{ is: 'raised', attention: 'second-trade' } as const] : []),\n",
    '',
  ],
  [
    'a denial for two minutes settles money that was acknowledged',
    FOLD,
    'return contradicted(withDenied(read.known, read.seen), denied, at);',
    'return withoutClaims(read.known, denied);',
  ],
  [
    'what the gateway called sold, and nobody believed, counts as known money',
    'src/contract/transitions.ts',
    'return saysSold && outcome !== null ? null : trade_status;',
    'return trade_status;',
  ],
  [
    'a busy gateway is believed where no later try is a duplicate',
    'src/workflows/payment/creation-table.ts',
    "[{ mayExist: false, wasBusy: true, said: 'not-created', looked: 'not-yet' }, 'look'],",
    '',
  ],
  [
    'another trade that is notified takes the place of ours after a termination',
    FOLD,
    'const isCutOff = before.outcome === null && order;',
    'const isCutOff = false;',
  ],
  [
    'what a terminated payment had not read is lost',
    FOLD,
    'const left = untaken.reduce((',
    'const left = untaken.slice(0, 0).reduce((',
  ],
  [
    'other trades of a terminated payment are before nobody',
    FOLD,
    "const asked = other_trades.length > 0 ? raised(noted, 'second-trade') : noted;",
    'const asked = noted;',
  ],
  [
    'a sale of a trade that others made is forgotten',
    KNOWN,
    "  if (outcome === 'SUCCESS') return 'order';\n",
    "  if (outcome === 'SUCCESS' && order) return 'order';\n",
  ],
  [
    'what comes after a person’s SUCCESS is looked at by nobody',
    'src/workflows/payment/workflow.ts',
    'const isDecided = () => isResolved(this.known);',
    "const isDecided = () => this.state.confirmed_by === 'operator';",
  ],
  ['a sale is created again after a reset', STEPS, "[[{ hasEnded: true }, 'end-as-before']]", '[]'],
  [
    'a trade that is named after a refusal without a number is taken for the refused one',
    'src/contract/known-news.ts',
    '  if (trade_no !== undefined && trade_no !== ours)\n',
    '  if (ours && trade_no !== ours)\n',
  ],
  [
    'an answer that named no trade is forgotten at a reset',
    'src/workflows/payment/known-before.ts',
    'return !payment_data?.trade_no || !trade_no || payment_data.trade_no === trade_no ? payment_data : null;',
    'return payment_data?.trade_no === trade_no ? payment_data : null;',
  ],
  [
    'a trade that takes the place of another is answered with that one’s payment data',
    'src/workflows/payment/known-before.ts',
    'return !payment_data?.trade_no || !trade_no || payment_data.trade_no === trade_no ? payment_data : null;',
    'return payment_data;',
  ],
];

/** The same for refunds, whose stories are others. The last number is that of the finding in the after-sale's schedules. */
const OF_REFUNDS = [
  [
    'a refund is sent without a look right before it',
    'src/activities/make-refund.ts',
    'if (trade.trade_status !== refund.seen) return',
    'if (refund.seen === null) return',
    2,
  ],
  [
    'an answer about another trade or amount is ours',
    'src/gateway/echo.ts',
    "  'refund_currency',\n  'refund_amount',\n] as const;",
    '] as const;',
    7,
  ],
  [
    'a list is asked for by words that its language does not have',
    'src/temporal/list-query.ts',
    'return odd < 0 ?',
    'return odd < 1e9 ?',
    13,
  ],
  [
    'a refund is requested again after its worker died',
    'src/workflows/shared/activity-options.ts',
    "nonRetryableErrorTypes: ['TemporalTimeout:StartToClose', 'TemporalTimeout:Heartbeat']",
    'nonRetryableErrorTypes: []',
  ],
  [
    'what was notified to a terminated after-sale before it took it is lost',
    'src/activities/previous-run.ts',
    'const untaken = isEnded ? [] : await untakenNotifications(client, run, carried?.taken ?? 0);',
    'const untaken = isEnded ? [] : [];',
  ],
  [
    'an earlier after-sale that answers no query is waited for without an end',
    'src/activities/previous-run.ts',
    'await readWithin(PATIENCE_MS, () => carriedBy(client, run), null);',
    'await carriedBy(client, run);',
  ],
  [
    'what a terminated after-sale had only heard is forgotten',
    'src/activities/previous-run.ts',
    'const claims = [...untaken, ...left.claims];',
    'const claims = untaken;',
  ],
];

const ACCOUNT = 'src/workflows/account';
/** The same of virtual accounts. */
const OF_ACCOUNTS = [
  [
    'a reset of an account hands on its older ledger',
    `${ACCOUNT}/workflow.ts`,
    'this.early === null && !isResetOf(this.readBy);',
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
    "    this.record.settle('overdue-deposit');\n",
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
    `${ACCOUNT}/deposit-counting.ts`,
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
    'if (doubt === undefined) return found ?? undefined;',
    'this.isUndecided = false;\n    if (found === null) return accountData({ account_id });',
  ],
  [
    'a deposit that the gateway does not confirm keeps its place',
    `${ACCOUNT}/confirmations.ts`,
    'of === queue && ms < queue.held_ms',
    'of === queue',
    11,
  ],
  [
    'money that went back is counted',
    `${ACCOUNT}/deposit-counting.ts`,
    "!hasAllMoney(trade_status ?? '')",
    'false',
    15,
  ],
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
    `${ACCOUNT}/deposit-counting.ts`,
    "payment?.outcome !== 'SUCCESS' || !isMoney(amount)",
    '!isMoney(amount)',
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
  ['a key is forgotten with the run that knew it', `${ACCOUNT}/workflow.ts`, '    this.keys.restore(keys);\n', ''],
  [
    'an account that a deposit has started is not told its key',
    `${ACCOUNT}/create.ts`,
    'await startOrSignal(WORKFLOW.speiAccount, this.startOf(account), SIGNAL.keyed, told);',
    'await startAbandoned(WORKFLOW.speiAccount, this.startOf(account));',
  ],
  [
    'a set-aside deposit is shown to nobody',
    `${ACCOUNT}/deposit-counting.ts`,
    '    this.record.raise(because, deposit);\n',
    '',
  ],
  [
    'a deposit that was set aside since a person looked is settled with the others',
    `${ACCOUNT}/record.ts`,
    ' || no > seen.no',
    '',
  ],
  [
    'an account of another key is taken without a word',
    `${ACCOUNT}/create.ts`,
    'return holder === null ? undefined :',
    'return holder !== undefined ? undefined :',
  ],
  [
    'a reason for a person that comes second is lost',
    `${ACCOUNT}/record.ts`,
    '    this.asked += 1;\n',
    '    if (this.attention !== null) return;\n    this.asked += 1;\n',
  ],
  [
    'one transfer that is notified under two numbers is counted twice',
    `${ACCOUNT}/deposit-ledger.ts`,
    'return known !== undefined && known !== out_trade_no;',
    'return known !== undefined && known === null;',
  ],
  [
    'a deposit is counted with the money of another one',
    `${ACCOUNT}/deposit-counting.ts`,
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
/** The tests with a name that have to notice what is broken in a lifecycle. */
const OF_PAYMENT = { folder: 'payment', named: ['fold', 'outages', 'refused-creation', 'hostile/(?!hostile)[a-z-]*'] };
const OF_SALE = { folder: 'after-sale', named: ['lives', 'hostile/(?!hostile|planted)[a-z-]*'] };
/** What is broken, and what is played first: the random stories of its lifecycle, or every schedule that the explorer has in this folder. */
const KINDS_OF_PLACES = [
  { about: 'payments', of: MUTATIONS, ...OF_PAYMENT },
  { about: 'the end', of: OF_THE_END, ...OF_PAYMENT },
  { about: 'payments', of: OF_ONE_PAYMENT, explored: 'payment', ...OF_PAYMENT },
  { about: 'refunds', of: OF_REFUNDS, ...OF_SALE },
  { about: 'after-sale', of: OF_AFTER_SALE, explored: 'order', ...OF_SALE },
  {
    about: 'accounts',
    of: OF_ACCOUNTS,
    folder: 'account',
    named: ['many-deposits', 'deposit-ledger', 'hostile/(?!hostile|planted)[a-z-]*'],
  },
];
const ofWorkflows = KINDS_OF_PLACES.flatMap(({ about, of, explored, folder, named }) => {
  const random = explored
    ? [`test/workflows/${explored}/explored.test.ts`]
    : [`test/workflows/${folder}/hostile/hostile.test.ts`, '-t', 'random stories'];
  return of.map((place) => ({
    place,
    about,
    random,
    named: named.map((file) => `test/workflows/${folder}/${file}.test.ts`),
  }));
});
/** No stories are played of these: each has the test that docs/threat-model.md names. */
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
    'docs',
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
