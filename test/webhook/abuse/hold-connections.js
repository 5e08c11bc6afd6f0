/** Opens idle connections. It is a separate process, because one process can open only so many. Exits when all are closed. */
const { connect } = require('node:net');

const [, , url, count] = process.argv;
const { hostname, port } = new URL(url);
let open = 0;
let settled = 0;
let closed = 0;

function settle() {
  settled += 1;
  if (settled === Number(count)) process.send(open);
}

function more(started) {
  // In portions of 200: the operating system's queue is limited.
  for (let i = started; i < Math.min(started + 200, Number(count)); i += 1) {
    const socket = connect(Number(port), hostname);
    let connected = false;
    socket.on('connect', () => {
      connected = true;
      open += 1;
      settle();
    });
    socket.on('error', () => {});
    socket.on('data', () => {});
    socket.on('close', () => {
      if (!connected) settle();
      closed += 1;
      if (closed === Number(count)) process.disconnect();
    });
  }
  if (started + 200 < Number(count)) setTimeout(more, 20, started + 200);
}

more(0);
