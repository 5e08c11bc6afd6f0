/** The processes of this machine and the CPU that each has used, as Linux tells it in /proc. Other systems tell nothing. */
const { readdirSync, readFileSync } = require('node:fs');

/** Linux counts CPU in hundredths of a second. */
const MS_PER_TICK = 10;

/** One process, its CPU with all its threads in ms; undefined where it has ended, or the system does not tell. */
function processOf(pid) {
  const stat = read(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  if (stat === undefined) return undefined;
  // The name is in parentheses, and may hold spaces and parentheses itself.
  const [begin, end] = [stat.indexOf('('), stat.lastIndexOf(')')];
  const fields = stat
    .slice(end + 2)
    .split(' ')
    .map(Number);
  const [, parent, group, , , , , , , , , user, system] = fields;
  return { name: stat.slice(begin + 1, end), parent, group, cpu_ms: (user + system) * MS_PER_TICK };
}

/** All processes that run now. */
function processes() {
  const pids = (read(() => readdirSync('/proc')) ?? []).filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => processOf(Number(pid))).filter((one) => one !== undefined);
}

function read(what) {
  try {
    return what();
  } catch {
    return undefined;
  }
}

module.exports = { processes, processOf };
