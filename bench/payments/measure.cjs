/** Figures: CPU of processes as Linux counts it, percentiles, and the median of rounds with their spread. */
const { readdirSync, readFileSync } = require('node:fs');

/** Linux counts CPU in hundredths of a second. */
const MS_PER_TICK = 10;

/** The fields of /proc/{pid}/stat after the name of the command; undefined where there is none. */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
  } catch {
    return undefined;
  }
}

/** CPU of a process with all its threads so far, in ms. */
function cpuOf(pid) {
  const [, , , , , , , , , , , user = 0, system = 0] = statOf(pid) ?? [];
  return (user + system) * MS_PER_TICK;
}

/** CPU of a group of processes so far, in ms. */
function cpuOfGroup(group) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && statOf(name)?.[2] === group);
  return pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
}

const sorted = (values) => [...values].sort((a, b) => a - b);
const percentile = (values, share) => {
  const ordered = sorted(values);
  return ordered[Math.min(ordered.length - 1, Math.ceil(share * ordered.length) - 1)];
};

/** The median of the rounds, the least and the most. */
const spread = (values) => ({ median: percentile(values, 0.5), min: Math.min(...values), max: Math.max(...values) });

module.exports = { cpuOf, cpuOfGroup, percentile, spread };
