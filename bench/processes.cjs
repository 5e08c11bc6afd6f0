/** The processes of this machine, the CPU and the memory that each uses, as Linux tells it in /proc. Other systems tell nothing. */
const { readdirSync, readFileSync } = require('node:fs');

/** Linux counts CPU in hundredths of a second. */
const MS_PER_TICK = 10;
/** And memory in pages. */
const BYTES_PER_PAGE = 4096;
/** The place of the resident memory among the fields behind the name. */
const RESIDENT = 21;

/** One process, its CPU with all its threads in ms, its resident memory in bytes; undefined where it has ended, or the system does not tell. */
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
  const resident = fields[RESIDENT] * BYTES_PER_PAGE;
  return { name: stat.slice(begin + 1, end), parent, group, cpu_ms: (user + system) * MS_PER_TICK, resident };
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
