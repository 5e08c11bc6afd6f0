/** Figures: CPU of processes as Linux counts it, percentiles, and the median of rounds with their spread. */
const { processes, processOf } = require('../processes.cjs');

/** CPU of a process with all its threads so far, in ms. */
const cpuOf = (pid) => processOf(pid)?.cpu_ms ?? 0;

/** CPU of a group of processes so far, in ms. */
const cpuOfGroup = (group) =>
  processes()
    .filter((one) => one.group === group)
    .reduce((sum, { cpu_ms }) => sum + cpu_ms, 0);

const sorted = (values) => [...values].sort((a, b) => a - b);
const percentile = (values, share) => {
  const ordered = sorted(values);
  return ordered[Math.min(ordered.length - 1, Math.ceil(share * ordered.length) - 1)];
};

/** The median of the rounds, the least and the most. */
const spread = (values) => ({ median: percentile(values, 0.5), min: Math.min(...values), max: Math.max(...values) });

module.exports = { cpuOf, cpuOfGroup, percentile, spread };
