/** Java for tests: the client of clients/java with its programs, compiled once for each state of their sources, and kept with their libraries. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { defaultCacheDir } from '../../src/cli/dev/temporal';
import { discardDraft, draftOf, keepDraft } from './kept-folder';
import { ROOT } from './terminal';

const PROJECT = join(ROOT, 'clients/java');
const SOURCES = ['src', 'examples'];

/** Libraries come over the network, and a slow line is no failure. */
const FETCH_MS = 10 * 60_000;

export type JavaPrograms = { options: string[]; classpath: string } | { missing: string };

/** The options with which Java runs the programs, or in a sentence why there is none: no JDK, no Maven, or the libraries are not within reach. */
export function javaPrograms(env: NodeJS.ProcessEnv = process.env): JavaPrograms {
  for (const [program, flag] of [
    ['javac', '-version'],
    ['mvn', '-version'],
  ] as const) {
    if (spawnSync(program, [flag]).status !== 0) return { missing: `${program} is not installed, and Java needs it` };
  }
  const pom = readFileSync(join(PROJECT, 'pom.xml'));
  const sources = SOURCES.flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.java'))
      .sort()
      .map((file) => join(PROJECT, folder, file)),
  );
  const cache = join(defaultCacheDir(env), 'java');
  const lib = join(cache, `lib-${nameOf([pom])}`);
  const classes = join(cache, nameOf([pom, ...sources.map((file) => readFileSync(file))]));
  if (!existsSync(lib)) {
    const draft = draftOf(lib);
    // The package is made once as people make it. Maven writes beside what it builds.
    const copy = mkdtempSync(join(tmpdir(), 'java-'));
    cpSync(PROJECT, copy, { recursive: true, filter: (path) => !path.startsWith(join(PROJECT, 'target')) });
    const args = ['-q', '-B', '-f', copy, 'package', 'dependency:copy-dependencies', `-DoutputDirectory=${draft}`];
    const got = spawnSync('mvn', args, { encoding: 'utf8', timeout: FETCH_MS });
    rmSync(copy, { recursive: true });
    if (got.status !== 0) {
      discardDraft(draft);
      if (got.stdout.includes('COMPILATION ERROR')) throw new Error(got.stdout);
      return { missing: `Java’s libraries cannot be had: ${got.stdout.split('\n')[0]}` };
    }
    keepDraft(draft, lib);
  }
  if (!existsSync(classes)) compile(sources, lib, classes);
  const programs = join(classes, 'programs.jar');
  const classpath = [programs, join(lib, '*')].join(delimiter);
  const options = ['-XX:TieredStopAtLevel=1', '-cp', classpath];
  const archive = join(classes, 'classes.jsa');
  if (!existsSync(archive)) archiveClasses(options, archive);
  // Where Java does not want the archive, it must not say so between the lines of JSON.
  return { options: [`-XX:SharedArchiveFile=${archive}`, '-Xlog:disable', ...options], classpath };
}

/** Compiles the programs into a folder of their own, with `programs.jar`. Throws Error with what the compiler says. */
function compile(sources: string[], lib: string, folder: string): void {
  const draft = draftOf(folder);
  try {
    const classes = join(draft, 'classes');
    execFileSync('javac', ['-cp', join(lib, '*'), '-d', classes, ...sources], { encoding: 'utf8' });
    execFileSync('jar', ['--create', '--file', join(draft, 'programs.jar'), '-C', classes, '.']);
    keepDraft(draft, folder);
  } finally {
    discardDraft(draft);
  }
}

/** Keeps the classes that a merchant loads as Java has read them: a program starts in a third of the time. */
function archiveClasses(options: string[], archive: string): void {
  const written = `${archive}.${process.pid}`;
  const env = {
    PATH: process.env.PATH,
    // Nobody answers: it has loaded everything by then, and ends.
    TEMPORAL_ADDRESS: '127.0.0.1:9',
    PAYMENTS_TASK_QUEUE: 'none',
    GATEWAY_APP_ID: 'none',
    PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true',
  };
  const call = JSON.stringify({ call: 'banks', request: {} });
  spawnSync('java', [`-XX:ArchiveClassesAtExit=${written}`, ...options, 'payments.Cases'], { env, input: `${call}\n` });
  renameSync(written, archive);
}

function nameOf(contents: Buffer[]): string {
  const hash = createHash('sha256');
  for (const content of contents) hash.update(content);
  return hash.digest('hex').slice(0, 16);
}
