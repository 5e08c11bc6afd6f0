import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isSameSecret } from '../operations/admission';
import type { Html } from './html';
import { problemPage } from './layout';
import { style } from './style';

// A page loads only its own style sheet and runs no script, and no other site can show its buttons in a frame.
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** Why there is no page to show. The message is a sentence for a person. */
export class PageProblem extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    sentence: string,
  ) {
    super(sentence);
  }
}

/** Gives all answers of these routes the headers of a page, and answers a {@link PageProblem} with a page. */
export function servePages(server: FastifyInstance, headers: Partial<typeof pageHeaders> = {}): void {
  server.addHook('onRequest', async (_request, reply) => {
    reply.headers({ ...pageHeaders, ...headers });
  });
  server.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof PageProblem)) throw error;
    return sendPage(reply, problemPage(error.title, error.message), error.status);
  });
}

/** Answers with a page. */
export function sendPage(reply: FastifyReply, page: Html, status = 200): FastifyReply {
  return reply.code(status).type('text/html; charset=utf-8').send(page.text);
}

/** Sends the browser to a page after a button was pressed, so that a reload does not press it again. */
export function goTo(reply: FastifyReply, location: string): FastifyReply {
  return reply.code(303).header('location', location).send();
}

/** The fields of a form. */
export function formOf(request: FastifyRequest): URLSearchParams {
  return new URLSearchParams(request.body instanceof Uint8Array ? Buffer.from(request.body).toString('utf8') : '');
}

/** The parameters of a page's address. */
export function parametersOf(request: FastifyRequest): URLSearchParams {
  return new URL(request.url, 'http://page').searchParams;
}

/** Throws a {@link PageProblem} if a form has not the nonce of its page, `the desk`. */
export function checkNonce(form: URLSearchParams, nonce: string, page: string): void {
  if (isSameSecret(form.get('nonce') ?? '', nonce)) return;
  throw new PageProblem(403, 'Not from here', `This button was not pressed on ${page} itself.`);
}
