import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { refusalToControl } from '../control/guard';
import { problemPage } from '../page/layout';
import { formOf, isFromPage, pageHeaders, parametersOf, sendPage } from '../page/respond';
import { isRefundAction } from '../refunds/refunds';
import type { Simulator } from '../simulator';
import { IllegalAction, UnknownAccount, UnknownRefund, UnknownTrade } from '../trades/errors';
import { isBankAction } from '../trades/states';
import { accountsPage, type DeskContext, LONGEST_LIST, tradeDeskPage, tradesPage } from './pages';

/** What the operator's desk needs. */
export interface DeskParts {
  simulator: Simulator;
  /** Answers other machines too. */
  allowRemote: boolean;
}

// The guard asks a browser where a form comes from, and without a referrer a browser does not say.
const headers = { ...pageHeaders, 'referrer-policy': 'same-origin' };

/** Serves the operator's desk: what the control API does, on pages. It is guarded as the control API is. */
export function deskRoutes(server: FastifyInstance, { simulator, allowRemote }: DeskParts, done: () => void): void {
  const nonce = randomUUID();
  server.addHook('onRequest', async (request, reply) => {
    const refusal = allowRemote ? undefined : refusalToControl(request);
    if (refusal !== undefined) await sendPage(reply, 403, problemPage('Not from there', refusal), headers);
  });

  server.get('/', (request, reply) => {
    const asked = parametersOf(request).get('no') ?? '';
    const trades = simulator
      .trades()
      .filter(({ trade_no, out_trade_no }) => asked === '' || trade_no === asked || out_trade_no === asked)
      .reverse()
      .slice(0, LONGEST_LIST);
    return sendPage(reply, 200, tradesPage(trades, asked, { nonce }), headers);
  });

  server.get('/trade', (request, reply) => showTrade(reply, parametersOf(request).get('trade_no') ?? ''));
  server.post('/trade', async (request, reply) => {
    const form = formOf(request);
    if (!isFromPage(form, nonce)) return notFromDesk(reply);
    const tradeNo = form.get('trade_no') ?? '';
    const problem = await problemOf(() => pressOnTrade(form.get('action') ?? '', tradeNo, form.get('refund_id') ?? ''));
    if (problem) return showTrade(reply, tradeNo, problem);
    return goTo(reply, `/simulator/desk/trade?${new URLSearchParams({ trade_no: tradeNo })}`);
  });

  server.get('/accounts', (_request, reply) => showAccounts(reply));
  server.post('/accounts', async (request, reply) => {
    const form = formOf(request);
    if (!isFromPage(form, nonce)) return notFromDesk(reply);
    const accountId = form.get('account_id') ?? '';
    const problem = await problemOf(() =>
      form.get('action') === 'cancel'
        ? simulator.cancelAccount(accountId)
        : simulator.deposit(accountId, (form.get('amount') ?? '').trim()),
    );
    return problem ? showAccounts(reply, problem) : goTo(reply, '/simulator/desk/accounts');
  });
  done();

  function pressOnTrade(action: string, tradeNo: string, refundId: string): Promise<unknown> {
    if (isRefundAction(action)) return simulator.refundAct(action, refundId);
    if (isBankAction(action)) return simulator.bankAct(action, tradeNo);
    if (action === 'notify') return simulator.notify(tradeNo);
    throw new IllegalAction('The desk has no such button.');
  }

  function showTrade(reply: FastifyReply, tradeNo: string, problem?: Problem): FastifyReply {
    const [trade] = simulator.trades({ trade_no: tradeNo });
    if (!trade) {
      return sendPage(reply, 404, problemPage('No such trade', 'There is no trade with this number.'), headers);
    }
    const refunds = simulator.refunds({ trade_no: tradeNo });
    return sendPage(reply, problem?.status ?? 200, tradeDeskPage(trade, refunds, context(problem)), headers);
  }

  function showAccounts(reply: FastifyReply, problem?: Problem): FastifyReply {
    const pools = simulator.apps.map((app_id) => ({ app_id, available: simulator.availableAccounts(app_id) }));
    const accounts = simulator.accounts().reverse();
    return sendPage(reply, problem?.status ?? 200, accountsPage(accounts, pools, context(problem)), headers);
  }

  function context(problem: Problem | undefined): DeskContext {
    return { nonce, problem: problem?.sentence };
  }
}

interface Problem {
  status: number;
  sentence: string;
}

// What a person can do something about becomes a sentence on the page; anything else is a fault of ours.
async function problemOf(press: () => Promise<unknown>): Promise<Problem | undefined> {
  try {
    await press();
    return undefined;
  } catch (error) {
    if (error instanceof IllegalAction) return { status: 409, sentence: error.message };
    if (error instanceof RangeError) return { status: 400, sentence: error.message };
    if (error instanceof UnknownTrade || error instanceof UnknownRefund || error instanceof UnknownAccount) {
      return { status: 404, sentence: error.message };
    }
    throw error;
  }
}

function notFromDesk(reply: FastifyReply): FastifyReply {
  return sendPage(reply, 403, problemPage('Not from here', 'This button was not pressed on the desk itself.'), headers);
}

// A reload of the page that follows presses nothing again.
function goTo(reply: FastifyReply, location: string): FastifyReply {
  return reply.code(303).headers(headers).header('location', location).send();
}
