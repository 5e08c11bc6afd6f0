/**
 * Every published response and notification of our operations: the simulator sends it, and the client reads it, keeps all
 * fields, and returns every digit of the amounts.
 */
import { GatewayError, readNotification } from '../../../src/gateway';
import { ECHOED } from '../../../src/gateway/echo';
import { parseExact } from '../../../src/gateway/json';
import { SIGNATURE_SCHEMES, signatureHeader } from '../../../src/gateway/notification-signature';
import type { FaultPlace, Simulator, TradeView } from '../../../src/simulator';
import { verifyNotification } from '../../../src/webhook/verify-notification';
import { operation } from '../../gateway/operations';
import { fixture } from '../../gateway/support';
import { orderIn } from './rows';
import { CLIENT_APP, callOf, clientOf, HAND_APP, type Json, PATHS, type Path, post, start } from './support';

interface Sample {
  of: string;
  operation: Path;
  is: 'success' | 'refusal' | 'unreadable';
  http_status?: number;
  body?: Json;
  /** The exact text, if it matters: numbers with trailing zeros, and text that is not JSON. */
  raw?: string;
}

const SAMPLES = fixture<Sample[]>('answers').map((sample, index) => ({ ...sample, index }));
const textOf = ({ raw, body }: Sample) => raw ?? JSON.stringify(body);

const PLACES: Record<Path, FaultPlace> = {
  '/trade/pay': 'pay',
  '/trade/create': 'create',
  '/trade/refund': 'refund',
  '/trade/query': 'query',
  '/trade/bank-list': 'bank-list',
  '/trade/installments': 'installments',
  '/trade/get-wallet-client-token': 'wallet-token',
  '/virtual-account/spei/create': 'account-create',
  '/virtual-account/spei/cancel': 'account-cancel',
  '/virtual-account/spei/query': 'account-query',
  '/virtual-account/spei/quantity': 'account-quantity',
};

let simulator: Simulator;
const client = () => clientOf(CLIENT_APP, simulator.url);
beforeAll(async () => {
  simulator = await start();
});
afterAll(() => simulator.close());

/** A correct request of an operation, about something that exists. */
async function requestOf(path: Path, number: string): Promise<Json> {
  const paid = async (): Promise<TradeView> => {
    await post(simulator.url, '/trade/pay', orderIn('PIX', 'BRL', { out_trade_no: number }), CLIENT_APP);
    return simulator.pay(number);
  };
  switch (path) {
    case '/trade/pay':
      return orderIn('PIX', 'BRL', { out_trade_no: number });
    case '/trade/refund': {
      const { trade_no, order_amount } = await paid();
      const { out_trade_no: _other, ...refund } = operation(path).request;
      return { ...refund, trade_no, refund_amount: order_amount };
    }
    case '/trade/query':
      return { trade_no: (await paid()).trade_no };
    case '/virtual-account/spei/cancel':
    case '/virtual-account/spei/query': {
      const { request } = operation('/virtual-account/spei/create');
      const { account_id } = await post(simulator.url, '/virtual-account/spei/create', request, CLIENT_APP);
      return { account_id };
    }
    case '/trade/create':
      return { ...operation(path).request, out_trade_no: number };
    default:
      return operation(path).request;
  }
}

const PUBLISHED_PLAN = [{ stage: 1, amount_each: '200.00', amount: '200.00' }];
const PUBLISHED_BANK = [{ bank_id: '{{bank_id}}', bank_name: '{{bank_name}}', detail: '', min_amount: '200' }];

/** What the client returns for a success: everything but the envelope and images. */
function wholeOf({ operation: path, ...sample }: Sample): unknown {
  const answer = parseExact(textOf({ operation: path, ...sample })) as Json;
  const { code: _code, msg: _msg, qr_code_img: _image, ...rest } = answer;
  switch (path) {
    case '/trade/query': {
      const { customer: _buyer, create_time: _created, update_time: _updated, ...trade } = rest;
      return { ...trade, answer: rest };
    }
    case '/trade/bank-list':
      return PUBLISHED_BANK;
    case '/trade/installments':
      return PUBLISHED_PLAN;
    case '/trade/get-wallet-client-token':
      return rest.token;
    case '/virtual-account/spei/quantity': {
      const { unused, ...counted } = rest;
      return { ...counted, available_quantity: unused };
    }
    default:
      return rest;
  }
}

/** The published text with what our own request asks for in place of what somebody else's did: an answer about that is none. */
function aboutOurs(sample: Sample, request: Json): string {
  const text = textOf(sample);
  if (sample.is !== 'success') return text;
  const answer = parseExact(text) as Json;
  const repeated = ECHOED.filter((name) => request[name] !== undefined && typeof answer[name] === 'string');
  return repeated.reduce(
    (said, name) => said.replace(JSON.stringify(answer[name]), JSON.stringify(request[name])),
    text,
  );
}

describe.each(['answer-before', 'answer-after'] as const)('a published response, sent by the fault %s', (fault) => {
  test.each(SAMPLES)('$index of $of for $operation is read as $is', async (sample) => {
    const { operation: path, is, index, http_status = 200, body } = sample;
    const number = `${fault}-${index}`;
    const request = await requestOf(path, number);
    const own = client();
    const said = aboutOurs(sample, request);
    simulator.clearFaults();
    simulator.addFault({ on: PLACES[path], fault, body: said, http_status, app_id: CLIENT_APP.app_id });
    const made = () => simulator.requests({ path, app_id: CLIENT_APP.app_id }).at(-1);

    const outcome = await callOf(own, path, request, { method: 'PIX' }).catch((error: unknown) => error);
    await own.close();
    expect(made()).toMatchObject({ fault, processed: fault === 'answer-after' });

    if (is === 'success') {
      expect(outcome).toEqual(wholeOf({ ...sample, raw: said }));
      return;
    }
    if (!(outcome instanceof GatewayError)) throw outcome;
    expect(outcome.http_status).toBe(http_status);
    if (is === 'refusal') {
      expect(outcome).toMatchObject({ code: body?.code, sub_code: body?.sub_code });
      // What a gateway writes into `sub_msg` may be anybody's name: nobody is shown it.
      expect(outcome.message).toContain(String(body?.code));
    } else {
      // Not an answer of the gateway, so the outcome is unknown.
      expect(outcome).toMatchObject({ outcome: 'unknown', retryable: true });
      expect(outcome.code).toBeUndefined();
    }
  });
});

test('the simulator sends a published response byte for byte', async () => {
  for (const sample of SAMPLES) {
    simulator.clearFaults();
    const { http_status = 200, raw, body } = sample;
    simulator.addFault({ on: PLACES[sample.operation], fault: 'answer-before', body: raw ?? body, http_status });
    const response = await fetch(simulator.url + sample.operation, { method: 'POST', body: '{}' });
    expect(response.status).toBe(http_status);
    expect(await response.text()).toBe(textOf(sample));
  }
});

test('every operation has a sample but the creation of a virtual account, which nobody has published', () => {
  const published = new Set(SAMPLES.map((sample) => sample.operation));
  expect(PATHS.filter((path) => !published.has(path))).toEqual(['/virtual-account/spei/create']);
  expect(SAMPLES).toHaveLength(74);
});

describe('published notifications', () => {
  const NOTIFICATIONS = fixture<{ of: string; body: Json; headers?: Record<string, string> }[]>('notifications');
  const isEmpty = (body: Json) => Object.values(body).every((value) => value === '');

  test.each(NOTIFICATIONS.filter(({ body }) => !isEmpty(body)))(
    'of $of is read with all fields but the buyer’s',
    ({ body }) => {
      const { user: _user, channel: _channel, ...fields } = body;
      const { transfer_account, ...flat } = fields;
      const read = readNotification(Buffer.from(JSON.stringify(body)));
      // Numbers become text with all their digits; empty text counts as absent.
      expect(read).toMatchObject(asTexts(flat));
      expect(read?.amount).toBe(body.amount);
      if (transfer_account) expect(read?.transfer_account).toEqual(asTexts(transfer_account));
      else expect(read?.transfer_account).toBeUndefined();
    },
  );

  test.each(NOTIFICATIONS.filter(({ body }) => !isEmpty(body)))(
    'of $of: is taken, signed in either scheme',
    ({ body }) => {
      const app_id = String(body.app_id);
      const bytes = Buffer.from(JSON.stringify(body));
      for (const scheme of SIGNATURE_SCHEMES) {
        const signed = signatureHeader(bytes, HAND_APP.secret_key, scheme, 1_645_516_741_000);
        // With a space after the comma, as in the newer form.
        for (const signature of [signed, signed.replace(',', ', ')]) {
          const decision = verifyNotification(
            { app_id, signatures: [signature], body: bytes },
            [{ ...HAND_APP, app_id }],
            scheme,
          );
          expect(decision).toMatchObject({ is: 'notification', notification: readNotification(bytes) });
        }
      }
    },
  );

  test('the template with empty fields is not a notification', () => {
    const forms = NOTIFICATIONS.filter(({ body }) => isEmpty(body));
    expect(forms).toHaveLength(1);
    expect(readNotification(Buffer.from(JSON.stringify(forms[0]?.body)))).toBeUndefined();
  });

  test('the header of a sample has the form of the second scheme', () => {
    const [header] = NOTIFICATIONS.flatMap(({ headers = {} }) => headers['Pagsmile-Signature'] ?? []);
    expect(header).toMatch(/^t=\d+, v2=[0-9a-f]{64}$/);
  });
});

function asTexts(fields: object): Json {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, value === '' ? undefined : String(value)]),
  );
}
