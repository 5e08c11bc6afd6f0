/** A real browser for tests: the machine's own Chromium, headless, with nothing of anybody's in it. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Where installers put it without touching `PATH`. */
const COMMON_PLACES = [
  '/usr/bin/chromium',
  '/snap/bin/chromium',
  '/opt/google/chrome/chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** No usable browser. The message is for people and says how to get one. */
export class ChromiumNotFoundError extends Error {
  override readonly name = 'ChromiumNotFoundError';
}

/** The path of Chromium on this machine. Throws ChromiumNotFoundError. */
export async function findChromium(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  if (env.CHROMIUM_PATH) {
    if (await isExecutable(env.CHROMIUM_PATH)) return env.CHROMIUM_PATH;
    throw new ChromiumNotFoundError(`CHROMIUM_PATH names ${env.CHROMIUM_PATH}, which is no program.`);
  }
  const onPath = (env.PATH ?? '').split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  for (const path of [...onPath, ...COMMON_PLACES]) if (await isExecutable(path)) return path;
  throw new ChromiumNotFoundError(
    'These tests need Chromium, which is not on this machine: apt-get install chromium, or set CHROMIUM_PATH to a Chromium or Chrome.',
  );
}

/** Starts Chromium with a new, empty profile, which goes with it when it is closed. */
export async function startChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: await findChromium(),
    headless: true,
    // Chromium's own sandbox does not run as root, which containers and CI mostly are.
    chromiumSandbox: process.getuid?.() !== 0,
    // Where there is no outside network, what Chromium does behind the page's back only fails, many times a second.
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
