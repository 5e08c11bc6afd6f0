/** What a person reads when a program ends on an error. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { reportOf } from '../../src/process/exit';
import { listen } from '../../src/process/listen';
import { stopSignal } from '../../src/process/signals';
import { ConfigError, UserError } from '../../src/process/user-error';
import { TemporalUnreachableError } from '../../src/temporal/connection';
import { SearchAttributeConflictError } from '../../src/temporal/search-attributes';
import { ROOT } from '../harness/terminal';

class RenamedError extends UserError {
  override readonly name = 'RenamedError';
}

test.each([ConfigError, TemporalUnreachableError, SearchAttributeConflictError, RenamedError])(
  'a %p is reported as its sentence',
  (Kind) => expect(reportOf(new Kind('Set it.'))).toBe('Set it.'),
);

test('any other error is reported with its stack', () => {
  expect(reportOf(new TypeError('broken'))).toMatch(/^TypeError: broken\n +at /);
});

test('an error without a stack is reported with its name and message', () => {
  const error = Object.assign(new Error('5 NOT_FOUND: no such namespace'), { name: 'ServiceError', stack: undefined });
  expect(reportOf(error)).toBe('ServiceError: 5 NOT_FOUND: no such namespace');
});

test.each([
  ['text', 'it broke', 'it broke'],
  ['an object', { code: 5 }, 'code: 5'],
  ['nothing', undefined, 'The program failed with'],
])('%s that is thrown is reported in a sentence', (_, thrown, said) => {
  expect(reportOf(thrown)).toMatch(/^The program failed with ./);
  expect(reportOf(thrown)).toContain(said);
});

describe('listen', () => {
  const settings = { host: 'WEBHOOK_HOST', port: 'WEBHOOK_PORT' };
  const starting = (host: string, port: number, start: () => Promise<unknown>) =>
    listen({ what: 'The webhook', host, port, settings }, start);
  const listening = (host: string, port = 0) =>
    starting(host, port, () => {
      const server = createServer().listen(port, host);
      return once(server, 'listening').finally(() => server.close());
    });
  const fails = (code: string, syscall: string) =>
    starting('127.0.0.1', 8480, () => Promise.reject(Object.assign(new Error(code), { code, syscall })));

  test.each(['EADDRINUSE', 'EACCES'])('%s becomes a sentence that names the setting of the port', async (code) => {
    await expect(fails(code, 'listen')).rejects.toThrow(
      new ConfigError(
        `The webhook cannot listen on 127.0.0.1:8480 (${code}). Set WEBHOOK_PORT to another port. 0 takes a free one.`,
      ),
    );
  });

  test.each([
    ['no address', '999.1.1.1', 'ENOTFOUND|EAI_AGAIN'],
    ['of another machine', '203.0.113.1', 'EADDRNOTAVAIL'],
  ])('a host that is %s becomes a sentence that names the setting of the host', async (_, host, code) => {
    const said = new RegExp(
      `^The webhook cannot listen on ${host}:0 \\((${code})\\)\\. Set WEBHOOK_HOST to an address of`,
    );
    await expect(listening(host)).rejects.toThrow(said);
    await expect(listening(host)).rejects.toBeInstanceOf(ConfigError);
  });

  test('any other error passes unchanged, such as that of a file', async () => {
    await expect(fails('EACCES', 'open')).rejects.toThrow(/^EACCES$/);
    await expect(fails('ECONNREFUSED', 'connect')).rejects.toThrow(/^ECONNREFUSED$/);
  });
});

test('stopSignal resolves at the first signal and leaves no listener behind', async () => {
  const before = process.listenerCount('SIGUSR2');
  const stopped = stopSignal(['SIGUSR2', 'SIGHUP']);
  expect(process.listenerCount('SIGUSR2')).toBe(before + 1);
  process.emit('SIGUSR2');
  await stopped;
  expect(process.listenerCount('SIGUSR2')).toBe(before);
  expect(process.listenerCount('SIGHUP')).toBe(0);
});

test('a slow reader gets all that was printed before the end', async () => {
  const exit = JSON.stringify(join(ROOT, 'lib/process/exit.js'));
  const program = `process.stdout.write('x'.repeat(1_000_000) + 'end'); process.stderr.write('printed'); require(${exit}).exitOncePrinted(3);`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  // What does not fit into the pipe waits for whoever reads it.
  await once(child.stderr, 'data');
  expect((await text(child.stdout)).slice(-4)).toBe('xend');
  expect(await ended).toEqual([3, null]);
});
