/**
 * Jest's environment where Stryker has put its mutations into the code. Which of them is switched on, a global variable says; the sandboxes of
 * workflows have it, too. They freeze what they are given, so the variable stays outside of them.
 */
const vm = require('node:vm');
const SharedCodeEnvironment = require('../harness/environment.cjs');

/** The global object of the file that runs. */
let outside = {};
const mutations = new Proxy(Object.freeze({}), {
  get: (_, name) => outside.__stryker__?.[name],
  set: (_, name, value) => Reflect.set(outside.__stryker__ ?? {}, name, value),
});

const { createContext } = vm;
vm.createContext = (object, options) => {
  // Only the sandboxes of workflows have it.
  if (options?.microtaskMode === 'afterEvaluate') object.__stryker__ = mutations;
  return createContext(object, options);
};

module.exports = class MutatedEnvironment extends SharedCodeEnvironment {
  async setup() {
    await super.setup();
    outside = this.global;
  }
};
