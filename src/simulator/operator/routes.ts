import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { refusalToControl } from '../control/guard';
import type { ControlOptions } from '../control/routes';
import { IllegalAction } from '../errors';
import { isNameIn } from '../names';
import type { Simulator } from '../simulator';
import { refundActions, tradeActions } from '../trades/steps';
import { english, inEnglish } from '../ui/languages';
import { PageProblem, parametersOf, sendPage, serveButtons, servePages } from '../ui/respond';
import type { TradeView } from '../views';
import { accountsPage, type Search, tradePage, tradesPage } from './pages';

/** Serves the operator's desk: pages for what the control API does. It is guarded as the control API is. */
export async function operatorRoutes(server: FastifyInstance, { simulator, allowRemote }: ControlOptions) {
  const nonce = randomUUID();
  // The guard needs the browser to say where a form comes from. Without a referrer the browser does not.
  servePages(server, { headers: { 'referrer-policy': 'same-origin' }, voice: english });
  server.addHook('onRequest', async (request) => {
    const refusal = allowRemote ? undefined : refusalToControl(request);
    if (refusal !== undefined) throw problem(403, 'Not from there', refusal);
  });
  server.get('/', (request, reply) => {
    const fields = parametersOf(request);
    const search = { no: (fields.get('no') ?? '').trim(), status: fields.get('status') ?? '' };
    const found = simulator.trades().filter((trade) => fits(trade, search));
    return sendPage(reply, tradesPage(found.reverse(), search));
  });
  serveButtons(server, {
    path: '/trade',
    find: (fields) => {
      const trade_no = fields.get('trade_no') ?? '';
      if (!simulator.trades({ trade_no })[0]) {
        throw problem(404, 'No such trade', 'There is no trade with this number.');
      }
      return trade_no;
    },
    nonce: () => nonce,
    show: (trade_no, { problem }) =>
      tradePage(simulator.trade(trade_no), simulator.refunds({ trade_no }), { nonce, problem }),
    press: (trade_no, form) => pressOnTrade(simulator, form, trade_no),
    next: (trade_no) => `/simulator/desk/trade?${new URLSearchParams({ trade_no })}`,
  });
  serveAccounts(server, simulator, nonce);
}

function fits({ out_trade_no, trade_no, trade_status }: TradeView, { no, status }: Search): boolean {
  const part = no.toLowerCase();
  const isNamed = trade_no.includes(part) || out_trade_no.toLowerCase().includes(part);
  return isNamed && (status === '' || status === trade_status);
}

const problem = (status: number, title: string, sentence: string) =>
  new PageProblem(status, { title: inEnglish(title), sentence: inEnglish(sentence) });

function serveAccounts(server: FastifyInstance, simulator: Simulator, nonce: string): void {
  serveButtons(server, {
    path: '/accounts',
    find: (fields) => fields.get('account_id') ?? '',
    nonce: () => nonce,
    show: (_account, { problem }) => {
      const pools = simulator.apps.map((id) => [`${id} may open`, `${simulator.availableAccounts(id)} more`] as const);
      return accountsPage(simulator.accounts().reverse(), pools, { nonce, problem });
    },
    press: (account, form) =>
      form.get('action') === 'cancel'
        ? simulator.cancelAccount(account)
        : simulator.deposit(account, (form.get('amount') ?? '').trim()),
    next: () => '/simulator/desk/accounts',
  });
}

async function pressOnTrade(simulator: Simulator, form: URLSearchParams, tradeNo: string): Promise<void> {
  const action = form.get('action') ?? '';
  const refundId = form.get('refund_id');
  if (refundId !== null && isNameIn(refundActions, action)) await simulator.actOnRefund(refundId, action);
  else if (isNameIn(tradeActions, action) && tradeActions[action].by === 'bank') await simulator.act(tradeNo, action);
  else if (action === 'notify') await simulator.notify(tradeNo);
  else throw new IllegalAction('The desk has no such button.');
}
