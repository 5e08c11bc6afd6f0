import type { FastifyInstance } from 'fastify';
import { bankNamed } from '../rules/banks';
import type { SimulatedGateway } from '../simulated-gateway';
import { html } from '../ui/html';
import { PageProblem, servePages } from '../ui/respond';
import { problems } from '../ui/texts';
import { paymentRoutes } from './payment';
import { refundRoutes } from './refund';

/** Serves the buyer's pages for payments and refunds, and the pictures that answers name. */
export async function checkoutRoutes(server: FastifyInstance, { gateway }: { gateway: SimulatedGateway }) {
  servePages(server);
  paymentRoutes(server, gateway);
  refundRoutes(server, gateway);
  server.get<{ Params: { file: string } }>('/banks/:file', async ({ params }, reply) => {
    const bank = bankNamed(params.file.replace(/\.svg$/, ''));
    if (!bank) throw new PageProblem(404, problems.noBank);
    const logo = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 40"><rect width="240" height="40" rx="8" fill="#0b5fbf"/><text x="12" y="26" fill="#fff" font-size="14" font-family="sans-serif">${bank.bank_name}</text></svg>`;
    return reply.type('image/svg+xml').send(logo.text);
  });
}
