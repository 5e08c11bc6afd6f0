/**
 * One attack on the webhook, in a process of its own: `node attack.js <url> <attack> <address it comes from>`. It says `ready`
 * once it is under way, and goes on until it is killed.
 */
const { createHmac } = require('node:crypto');
const { connect } = require('node:net');

const [url, attack, localAddress] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const HEAD = 'Host: w\r\nContent-Type: application/json\r\n';
const unsigned = (length, more = '') => `POST /ipn/shop-1 HTTP/1.1\r\n${HEAD}Content-Length: ${length}\r\n${more}\r\n`;

/** Keeps `count` connections open: each does `act`, and `pause` ms later a new one comes for each that is closed. */
function keep(count, act, pause = 5) {
  let ready = 0;
  const one = () => {
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    let timer;
    socket.on('connect', () => {
      timer = act(socket);
      ready += 1;
      if (ready === count) process.send('ready');
    });
    socket.on('data', () => {});
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(timer);
      setTimeout(one, pause);
    });
  };
  for (let i = 0; i < count; i += 1) one();
}

/** A genuine notification, which somebody has kept. */
function old() {
  const body = JSON.stringify({ app_id: 'shop-1', out_trade_no: 'old', trade_no: '1', trade_status: 'SUCCESS' });
  const signature = createHmac('sha256', 'sk_live_canary-of-shop-1').update(body).digest('hex');
  return `${unsigned(body.length, `Service-Signature: ${signature}\r\n`)}${body}`;
}

const ATTACKS = {
  'an old notification again and again': () =>
    keep(20, (socket) => {
      const ask = () => socket.write(old());
      socket.on('data', ask);
      ask();
    }),
  'forged notifications': () => keep(20, (socket) => void socket.write(`${unsigned(2)}{}`)),
  'large bodies that do not end': () => keep(200, (socket) => void socket.write(unsigned(65_536) + ' '.repeat(65_535))),
  'checks of health on connections that stay open': () =>
    keep(400, (socket) => {
      const ask = () => socket.write('GET /healthz HTTP/1.1\r\nHost: w\r\n\r\n');
      ask();
      return setInterval(ask, 1_000);
    }),
  'a chunk for every byte': () =>
    keep(200, (socket) => {
      socket.write(`POST /ipn/shop-1 HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
      return setInterval(() => socket.write('1\r\n{\r\n'.repeat(100)), 500);
    }),
  'headers that never end': () =>
    keep(200, (socket) => {
      socket.write('POST /ipn/shop-1 HTTP/1.1\r\n');
      return setInterval(() => socket.write('X: y\r\n'), 500);
    }),
  'a thousand connections that expect what nobody meets': () =>
    keep(
      1_000,
      (socket) => {
        const ask = () => socket.write('GET / HTTP/1.1\r\nHost: w\r\nExpect: x\r\n\r\n');
        ask();
        return setInterval(ask, 1_000);
      },
      1_000,
    ),
  'a thousand connections that say nothing': () => keep(1_000, () => undefined),
  'paths that do not exist': () => keep(20, (socket) => void socket.write('GET /nowhere HTTP/1.1\r\nHost: w\r\n\r\n')),
};

ATTACKS[attack]();
