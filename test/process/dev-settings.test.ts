/** The settings that `npm start` leaves for other programs: only those of the same user are taken. */
import { execFileSync } from 'node:child_process';
import fs, {
  chmodSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { saveDevSettings, withDevSettings } from '../../src/process/dev-settings';
import { ConfigError } from '../../src/process/settings';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dev-settings-'));
  file = await saveDevSettings(folder, { TEMPORAL_ADDRESS: '127.0.0.1:1', PAYMENTS_SEALING_PUBLIC_JWK: '{}' });
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

test('a file as npm start leaves it is read, below the environment, and named', () => {
  const { env, from } = withDevSettings({ LOG_LEVEL: 'warn' }, folder);
  expect(env).toEqual({ LOG_LEVEL: 'warn', TEMPORAL_ADDRESS: '127.0.0.1:1', PAYMENTS_SEALING_PUBLIC_JWK: '{}' });
  expect(from).toBe(file);
});

test.each(['{"keys":[{"kty":"EC"}]}', 'it\'s $HOME `x` \\ "y" & z', 'http://127.0.0.1:1/a?b=c#d', ''])(
  'a shell that sources the file has the value %p, and so have our own programs',
  async (value) => {
    await saveDevSettings(folder, { PAYMENTS_SEALING_JWKS: value });
    const shell = [
      '-c',
      'set -a; . "$1"; exec "$2" -e "console.log(JSON.stringify(process.env.PAYMENTS_SEALING_JWKS))"',
    ];
    const told = execFileSync('sh', [...shell, 'sh', file, process.execPath], { encoding: 'utf8' });
    expect(JSON.parse(told)).toBe(value);
    expect(withDevSettings({}, folder).env.PAYMENTS_SEALING_JWKS).toBe(value);
  },
);

test.each([0o644, 0o660, 0o666])('a file of mode %o is refused: others may read or write it', (mode) => {
  chmodSync(file, mode);
  expect(() => withDevSettings({}, folder)).toThrow(ConfigError);
  expect(() => withDevSettings({}, folder)).toThrow(/mode 600/);
});

test('a file of another user is refused: a card would be sealed to its owner', () => {
  jest.spyOn(process, 'getuid').mockReturnValue((process.getuid?.() ?? 0) + 1);
  expect(() => withDevSettings({}, folder)).toThrow(/must be a file of yours/);
});

test('a link is refused, wherever it leads', () => {
  renameSync(file, `${file}.elsewhere`);
  symlinkSync(`${file}.elsewhere`, file);
  expect(() => withDevSettings({}, folder)).toThrow(ConfigError);
});

test('the file that was checked is read, although another one has taken its name meanwhile', () => {
  writeFileSync(`${file}.theirs`, 'TEMPORAL_ADDRESS=thief:7233\n');
  const { fstatSync } = fs;
  jest.spyOn(fs, 'fstatSync').mockImplementation((opened: number) => {
    const found = fstatSync(opened);
    renameSync(`${file}.theirs`, file);
    return found;
  });
  expect(withDevSettings({}, folder).env).toMatchObject({ TEMPORAL_ADDRESS: '127.0.0.1:1' });
  expect(readFileSync(file, 'utf8')).toContain('thief');
});

test.each(['a file that others may read', 'a link'])(
  '%s in the way of the next one is not written through',
  async (what) => {
    const theirs = `${folder}/theirs`;
    writeFileSync(theirs, '', { mode: 0o644 });
    if (what === 'a link') symlinkSync(theirs, `${file}.new`);
    else renameSync(theirs, `${file}.new`);
    await saveDevSettings(folder, { PAYMENTS_ENCRYPTION_KEYS: 'secret' });
    expect([statSync(file).mode & 0o777, readFileSync(file, 'utf8')]).toEqual([
      0o600,
      'PAYMENTS_ENCRYPTION_KEYS=secret\n',
    ]);
    if (what === 'a link') expect(readFileSync(theirs, 'utf8')).toBe('');
  },
);

test('a file that is not needed is not looked at', () => {
  chmodSync(file, 0o644);
  const env = { TEMPORAL_ADDRESS: 'temporal:7233' };
  expect(withDevSettings(env, folder)).toEqual({ env });
});
