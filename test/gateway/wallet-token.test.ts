/** The wallet's client token (section 4.7). */
import { checkRequest } from '../../src/gateway/check';
import { WALLET_TOKEN_PATH, walletTokenOperation } from '../../src/gateway/wallet-token';
import { answerJson, failureOf, faults, gateways } from './support';

const open = gateways();
const { rules } = walletTokenOperation(WALLET_TOKEN_PATH);

test('a request may be empty; it has a region if the app is Global, and nothing else', () => {
  expect(faults(() => checkRequest(rules, {}))).toEqual({});
  expect(faults(() => checkRequest(rules, {}, { global: true }))).toEqual({
    region: 'required, because the app is Global',
  });
  expect(faults(() => checkRequest(rules, { region: 'MEX', wallet: 'x' }))).toEqual({ wallet: 'unknown field' });
});

test('the result is the token', async () => {
  const gateway = await open.http(answerJson({ code: '10000', msg: 'Success', token: 'client-token-1' }));
  await expect(open.client(gateway).walletToken({ region: 'MEX' })).resolves.toBe('client-token-1');
});

test('a response without a token is unknown, and the error does not quote it', async () => {
  for (const body of [{ code: '10000', token: '' }, { code: '10000', client_token: 'marked' }, { client: 'marked' }]) {
    const gateway = await open.http(answerJson(body));
    const failure = await failureOf(open.client(gateway).walletToken());
    expect(failure).toMatchObject({ outcome: 'unknown', retryable: true });
    expect(failure.message).not.toContain('marked');
  }
});
