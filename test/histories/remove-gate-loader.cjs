/** A webpack loader for versions.ts: one gate is removed, as if only the changed code were left. */
const GATE = 'return patched(name);';

module.exports = function removeGate(source) {
  const { gate } = this.getOptions();
  if (!source.includes(GATE)) throw new Error(`versions.ts does not read ${GATE}`);
  return source.replace(GATE, `return name === ${JSON.stringify(gate)} || patched(name);`);
};
