import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Html } from './html';
import { style } from './style';

// Nothing but the page's own style sheet may be loaded, no script runs, and no other site may frame the buttons.
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The headers of every page. */
export const pageHeaders = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** Answers with a page. */
export function sendPage(reply: FastifyReply, status: number, page: Html, headers = pageHeaders): FastifyReply {
  return reply.code(status).headers(headers).type('text/html; charset=utf-8').send(page.text);
}

/** The fields of a form that was sent. */
export function formOf(request: FastifyRequest): URLSearchParams {
  return new URLSearchParams(request.body instanceof Uint8Array ? Buffer.from(request.body).toString('utf8') : '');
}

/** The parameters of a page's address. */
export function parametersOf(request: FastifyRequest): URLSearchParams {
  return new URL(request.url, 'http://page').searchParams;
}

/** Whether a form carries the nonce that its page was given. */
export function isFromPage(form: URLSearchParams, nonce: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(form.get('nonce') ?? ''), digest(nonce));
}
