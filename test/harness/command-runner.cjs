/**
 * Runs the built command line again and again in one Node process, because most of a command's CPU goes into loading what it
 * imports. Each run loads lib/cli anew, with its own arguments, settings and outputs, and is over when it calls process.exit.
 * What only a process of its own can show (signals, closed pipes, that it ends by itself) is for Terminal.
 */
const { AsyncLocalStorage } = require('node:async_hooks');
const Module = require('node:module');
const { join, sep } = require('node:path');
const { Writable } = require('node:stream');
const { Command } = require('commander');

const CLI = join(__dirname, '../../lib/cli') + sep;
const MAIN = join(CLI, 'main.js');

/** The run that code belongs to: what an ended one still does must not show in the next. */
const runs = new AsyncLocalStorage();
/** Ends the code that calls process.exit, which never returns. */
const EXIT = Symbol('process.exit was called');

class Run {
  printed = '';
  output = '';
  stdout = this.stream((text) => {
    this.output += text;
  });
  stderr = this.stream(() => undefined);

  constructor() {
    this.ended = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  stream(also) {
    const write = (chunk, _, done) => {
      if (!this.isOver) {
        this.printed += chunk;
        also(chunk);
      }
      done();
    };
    return new Writable({ decodeStrings: false, write });
  }

  end(code) {
    this.isOver = true;
    this.resolve({ code, output: this.output, printed: this.printed });
  }
}

for (const name of ['stdout', 'stderr']) {
  const own = process[name];
  Object.defineProperty(process, name, { get: () => runs.getStore()?.[name] ?? own });
}

const { exit } = process;
process.exit = (code = process.exitCode) => {
  const run = runs.getStore();
  if (!run) return exit(code);
  run.end(code ?? 0);
  throw EXIT;
};

/** As Node does: prints the stack, and ends with 1. */
function failed(error) {
  const run = runs.getStore();
  if (!run) throw error;
  if (error !== EXIT) run.stderr.write(`${error?.stack ?? error}\n`);
  run.end(1);
}
process.on('uncaughtException', failed);

// A command that never calls process.exit is over when main.js has nothing more to do.
const { parseAsync } = Command.prototype;
Command.prototype.parseAsync = function (...args) {
  const parsed = parseAsync.apply(this, args);
  const run = runs.getStore();
  parsed.then(
    () => run.end(process.exitCode ?? 0),
    () => undefined,
  );
  return parsed;
};

// Node keeps what `import()` has loaded, and what `require` has only until it is told to forget it.
const { _compile } = Module.prototype;
Module.prototype._compile = function (source, file) {
  const code = file.startsWith(CLI) ? source.replaceAll("import('./", "(async (file) => require(file))('./") : source;
  return _compile.call(this, code, file);
};

function ran({ args, env, cwd }) {
  for (const file of Object.keys(require.cache)) if (file.startsWith(CLI)) delete require.cache[file];
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [process.execPath, MAIN, ...args];
  process.exitCode = undefined;
  const run = new Run();
  runs.run(run, () => {
    try {
      require(MAIN);
    } catch (error) {
      failed(error);
    }
  });
  return run.ended;
}

process.on('message', async (what) => process.send(await ran(what)));
process.on('disconnect', () => exit());
