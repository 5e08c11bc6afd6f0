/**
 * Only refused requests count against an address, never genuine ones: behind a proxy that the settings do not name, the gateway and a
 * stranger have the same address. Above the limit, a refusal is 429 and large bodies are not read.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { senderAddress, senderOf } from '../process/addresses';
import { FAIL } from '../process/http-server';
import { tooMany } from './answers';
import { SMALL_BODY_BYTES } from './body-reader';
import { MinuteCounts } from './minute-counts';
import type { WebhookLog } from './options';
import type { Webhook } from './webhook';

export class RefusedSenders {
  private readonly refusals = new MinuteCounts();
  private readonly warnings = new MinuteCounts();

  constructor(
    private readonly webhook: Webhook,
    private readonly log: WebhookLog,
  ) {}

  /** Counts a refusal. Returns the seconds until the address may be refused again; 0 if it still may. */
  count(address: string): number {
    if (this.webhook.allows?.(address)) return 0;
    if (this.refusals.add(senderOf(address)) <= this.webhook.limits.per_address) return 0;
    this.warn(address);
    return this.refusals.seconds;
  }

  /** The same for a connection whose request could not be read. A proxy does not count: it is not responsible for its senders. */
  countConnection(address: string): void {
    if (!this.webhook.trusts(address)) this.count(address);
  }

  /** Counts each refused request of the server, and closes its connection. */
  watch(server: FastifyInstance): void {
    server.addHook('onSend', async (request, reply) => {
      const isRefused = reply.statusCode >= 400 && reply.statusCode < 500 && reply.statusCode !== 429;
      if (!isRefused) return;
      reply.header('connection', 'close');
      const seconds = this.count(this.addressOf(request));
      if (seconds > 0) refuse(reply, seconds);
    });
  }

  /** Whether a request may be read: false for a large one from an address that was refused too often. Then it is answered here. */
  mayRead(request: FastifyRequest, reply: FastifyReply): boolean {
    const stated = Number(request.headers['content-length'] ?? Number.NaN);
    const isLoud = this.refusals.of(senderOf(this.addressOf(request))) > this.webhook.limits.per_address;
    if (stated <= SMALL_BODY_BYTES || !isLoud) return true;
    refuse(reply, this.refusals.seconds).send(FAIL);
    return false;
  }

  private addressOf({ raw }: FastifyRequest): string {
    return senderAddress(raw, this.webhook.trusts);
  }

  private warn(address: string): void {
    if (this.warnings.add() > 1) return;
    const hint =
      'Genuine notifications are still taken. If this is your own proxy, name it in WEBHOOK_TRUSTED_PROXIES; if you know the addresses of the gateway, name them in WEBHOOK_ALLOWED_IPS.';
    this.log.warn({ address, hint }, 'an address sends too many requests that are refused');
  }
}

function refuse(reply: FastifyReply, seconds: number): FastifyReply {
  const { status, headers } = tooMany(seconds);
  return reply.code(status).headers({ ...headers, connection: 'close' });
}
