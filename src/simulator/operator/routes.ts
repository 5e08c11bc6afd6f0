import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { refusalToControl } from '../control/guard';
import type { ControlOptions } from '../control/routes';
import { type ControlProblem, IllegalAction, problemWith } from '../errors';
import type { Simulator } from '../simulator';
import { isRefundAction, isTradeAction, tradeActions } from '../trades/states';
import { checkNonce, formOf, goTo, PageProblem, parametersOf, sendPage, servePages } from '../ui/respond';
import { accountsPage, LONGEST_LIST, tradeDeskPage, tradesPage } from './pages';

interface Desk {
  simulator: Simulator;
  /** Proves that a button was pressed on the desk. */
  nonce: string;
}

/** Serves the operator's desk: pages for what the control API does. It is guarded as the control API is. */
export function operatorRoutes(
  server: FastifyInstance,
  { simulator, allowRemote }: ControlOptions,
  done: () => void,
): void {
  const desk = { simulator, nonce: randomUUID() };
  // The guard needs the browser to say where a form comes from. Without a referrer the browser does not.
  servePages(server, { 'referrer-policy': 'same-origin' });
  server.addHook('onRequest', async (request) => {
    const refusal = allowRemote ? undefined : refusalToControl(request);
    if (refusal !== undefined) throw new PageProblem(403, 'Not from there', refusal);
  });
  tradeRoutes(server, desk);
  accountRoutes(server, desk);
  done();
}

function tradeRoutes(server: FastifyInstance, desk: Desk): void {
  server.get('/', (request, reply) => {
    const asked = parametersOf(request).get('no') ?? '';
    const trades = desk.simulator
      .trades()
      .filter(({ trade_no, out_trade_no }) => asked === '' || trade_no === asked || out_trade_no === asked)
      .reverse()
      .slice(0, LONGEST_LIST);
    return sendPage(reply, tradesPage(trades, asked));
  });
  server.get('/trade', (request, reply) => showTrade(desk, reply, parametersOf(request).get('trade_no') ?? ''));
  server.post('/trade', async (request, reply) => {
    const form = formOf(request);
    checkNonce(form, desk.nonce, 'the desk');
    const trade_no = form.get('trade_no') ?? '';
    const problem = await problemWith(() => pressOnTrade(desk.simulator, form, trade_no));
    if (problem) return showTrade(desk, reply, trade_no, problem);
    return goTo(reply, `/simulator/desk/trade?${new URLSearchParams({ trade_no })}`);
  });
}

function accountRoutes(server: FastifyInstance, desk: Desk): void {
  const { simulator, nonce } = desk;
  server.get('/accounts', (_request, reply) => showAccounts(desk, reply));
  server.post('/accounts', async (request, reply) => {
    const form = formOf(request);
    checkNonce(form, nonce, 'the desk');
    const accountId = form.get('account_id') ?? '';
    const problem = await problemWith(() =>
      form.get('action') === 'cancel'
        ? simulator.cancelAccount(accountId)
        : simulator.deposit(accountId, (form.get('amount') ?? '').trim()),
    );
    return problem ? showAccounts(desk, reply, problem) : goTo(reply, '/simulator/desk/accounts');
  });
}

async function pressOnTrade(simulator: Simulator, form: URLSearchParams, tradeNo: string): Promise<void> {
  const action = form.get('action') ?? '';
  const refundId = form.get('refund_id');
  if (refundId !== null && isRefundAction(action)) await simulator.actOnRefund(refundId, action);
  else if (isTradeAction(action) && tradeActions[action].by === 'bank') await simulator.act(tradeNo, action);
  else if (action === 'notify') await simulator.notify(tradeNo);
  else throw new IllegalAction('The desk has no such button.');
}

function showTrade({ simulator, nonce }: Desk, reply: FastifyReply, trade_no: string, problem?: ControlProblem) {
  const [trade] = simulator.trades({ trade_no });
  if (!trade) throw new PageProblem(404, 'No such trade', 'There is no trade with this number.');
  const page = tradeDeskPage(trade, simulator.refunds({ trade_no }), { nonce, problem: problem?.sentence });
  return sendPage(reply, page, problem?.status);
}

function showAccounts({ simulator, nonce }: Desk, reply: FastifyReply, problem?: ControlProblem) {
  const pools = simulator.apps.map((id) => [`${id} may open`, `${simulator.availableAccounts(id)} more`] as const);
  const page = accountsPage(simulator.accounts().reverse(), pools, { nonce, problem: problem?.sentence });
  return sendPage(reply, page, problem?.status);
}
