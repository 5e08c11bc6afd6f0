import { createServer, type Server } from 'node:net';
import { freePort, isListening, isPortFree } from '../../../src/cli/dev/temporal/ports';

let taken: Server;
let takenPort: number;

beforeAll(async () => {
  taken = createServer();
  takenPort = await new Promise((resolve) => {
    taken.listen(0, '127.0.0.1', () => {
      const address = taken.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
});
afterAll(() => new Promise((resolve) => taken.close(resolve)));

test('the preferred port is given if it is free', async () => {
  const { port } = await freePort(0);
  expect(await freePort(port)).toEqual({ port, taken: null });
});

test('another port is given if the preferred one is taken, which is then named', async () => {
  const choice = await freePort(takenPort);
  expect(choice.taken).toBe(takenPort);
  expect(choice.port).not.toBe(takenPort);
  expect(await isPortFree(choice.port)).toBe(true);
});

test('calls at the same time give different ports', async () => {
  const choices = await Promise.all(Array.from({ length: 20 }, () => freePort(takenPort)));
  expect(new Set(choices.map((choice) => choice.port)).size).toBe(20);
});

test('an address that is not of this machine is an error that names it', async () => {
  await expect(freePort(0, '192.0.2.1')).rejects.toThrow('Cannot listen on 192.0.2.1');
});

test('isListening says whether a program listens on a port', async () => {
  expect(await isListening(takenPort)).toBe(true);
  const { port } = await freePort(0);
  expect(await isListening(port)).toBe(false);
});
