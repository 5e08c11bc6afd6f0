/**
 * Jest's environment for Node, in which the files of one process share the compiled code of their modules. Each file still runs
 * all of it anew; to compile it anew as well was a sixth of the time of the tests.
 */
const { AsyncLocalStorage } = require('node:async_hooks');
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

/** By file; compiled again where its source has become another. */
const scripts = new Map();

// What Jest calls for every module. Its `importModuleDynamically` would keep V8 from sharing, and needs a flag that we do not set.
vm.compileFunction = (source, parameters, { filename, parsingContext }) => {
  const known = scripts.get(filename);
  if (known?.source === source) return known.script.runInContext(parsingContext);
  const before = `(function (${parameters.join(', ')}) {`;
  const script = new vm.Script(`${before}${source}\n})`, { filename, columnOffset: -before.length });
  scripts.set(filename, { source, script });
  return script.runInContext(parsingContext);
};

// Node lets each storage that was used once look at every promise until it is disabled: those of files that are over as well.
const used = new Set();
for (const name of ['run', 'enterWith']) {
  const original = AsyncLocalStorage.prototype[name];
  AsyncLocalStorage.prototype[name] = function (...args) {
    used.add(this);
    return original.apply(this, args);
  };
}

module.exports = class SharedCodeEnvironment extends TestEnvironment {
  constructor(...args) {
    super(...args);
    this.timers = [];
    const { setTimeout } = this.global;
    const noted = (...of) => {
      const timer = setTimeout(...of);
      this.timers.push(new WeakRef(timer));
      return timer;
    };
    this.global.setTimeout = Object.defineProperties(noted, Object.getOwnPropertyDescriptors(setTimeout));
  }

  async teardown() {
    await super.teardown();
    // Timers that nothing waits for, such as a limiter's for the end of its minute. Until then they hold all of their file.
    for (const timer of this.timers) if (timer.deref()?.hasRef() === false) clearTimeout(timer.deref());
    for (const storage of used) storage.disable();
    used.clear();
  }
};
