import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { problemWith } from '../errors';
import { isSameSecret } from '../operations/admission';
import type { Html } from './html';
import { type Voice, voiceFor } from './languages';
import { problemPage } from './layout';
import { script } from './script';
import { style } from './style';
import { type ProblemText, problems } from './texts';

const only = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

// A page has only its own style sheet and script, and no other site can show its buttons in a frame.
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src ${only(style)}`,
  `script-src ${only(script)}`,
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

/** Why there is no page to show. */
export class PageProblem extends Error {
  constructor(
    readonly status: number,
    readonly text: ProblemText,
  ) {
    super(text.sentence.en);
  }
}

/** How some pages are served, where it is not as buyers' pages are. */
interface Manners {
  headers?: Partial<typeof pageHeaders>;
  voice?: Voice;
}

/** Gives all answers of these routes the headers of a page, and answers a {@link PageProblem} with a page. */
export function servePages(server: FastifyInstance, { headers, voice }: Manners = {}): void {
  server.addHook('onRequest', async (_request, reply) => {
    reply.headers({ ...pageHeaders, ...headers });
  });
  server.setErrorHandler((error, request, reply) => {
    if (!(error instanceof PageProblem)) throw error;
    return sendPage(reply, problemPage(voice ?? voiceFor(request), error.text), error.status);
  });
}

/** Answers with a page. */
export function sendPage(reply: FastifyReply, page: Html, status = 200): FastifyReply {
  return reply.code(status).type('text/html; charset=utf-8').send(page.text);
}

/** What a page with buttons is to show. */
export interface Asked {
  fields: URLSearchParams;
  /** The voice that the browser asks for. */
  voice: Voice;
  /** Why the last button did nothing. */
  problem?: string;
}

/** A page with buttons: GET shows it, and POST presses a button and shows it again. */
interface ButtonPage<Subject> {
  path: string;
  /** What the fields of the address or of the form are about. Throws a {@link PageProblem} if there is no such thing. */
  find: (fields: URLSearchParams) => Subject;
  /** What proves that a button was pressed on the page and not on another site. */
  nonce: (subject: Subject) => string;
  show: (subject: Subject, asked: Asked) => Html | Promise<Html>;
  /** Does what a button says. Throws a {@link PageProblem}, or an error that the page shows. */
  press: (subject: Subject, form: URLSearchParams, voice: Voice) => unknown;
  /** The address to go to afterwards, so that a reload does not press the button again. */
  next: (subject: Subject, form: URLSearchParams) => string;
}

/** Serves a page with buttons. */
export function serveButtons<Subject>(server: FastifyInstance, page: ButtonPage<Subject>): void {
  server.get(page.path, async (request, reply) => {
    const fields = parametersOf(request);
    return sendPage(reply, await page.show(page.find(fields), { fields, voice: voiceFor(request) }));
  });
  server.post(page.path, async (request, reply) => {
    const form = new URLSearchParams(String(request.body ?? ''));
    const subject = page.find(form);
    if (!isSameSecret(form.get('nonce') ?? '', page.nonce(subject))) {
      throw new PageProblem(403, problems.notFromHere);
    }
    const voice = voiceFor(request);
    const problem = await problemWith(() => page.press(subject, form, voice));
    if (problem) {
      const asked = { fields: form, voice, problem: problem.sentence };
      return sendPage(reply, await page.show(subject, asked), problem.status);
    }
    return reply.redirect(page.next(subject, form), 303);
  });
}

/** The parameters of a page's address. */
export function parametersOf(request: FastifyRequest): URLSearchParams {
  return new URL(request.url, 'http://page').searchParams;
}
