// What an update starts: the new program, to try it, and systemd's own command, to see how the service does. Nothing here goes through a shell.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const TRY_OUTPUT_BYTES = 1024 * 1024;
/** Copying large databases takes its time. */
const UNIT_TIMEOUT_MS = 15 * 60_000;
const SHOW_TIMEOUT_MS = 10_000;
const run = promisify(execFile);

/** Without the first, Windows has no sockets; the others are where it may keep what it tries. */
const WINDOWS_NEEDS = ['SystemRoot', 'TEMP', 'TMP'];
const tryEnvironment = (): Record<string, string> =>
  process.platform === 'win32'
    ? Object.fromEntries(WINDOWS_NEEDS.map((name) => [name, process.env[name] ?? '']))
    : { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' };

/** What the program prints; rejects when it cannot be started, ends with an error or takes too long. It gets no environment but what it must have. */
export async function tryProgram(path: string, words: readonly string[], timeoutMs: number): Promise<string> {
  const { stdout } = await run(path, words, {
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: TRY_OUTPUT_BYTES,
    env: tryEnvironment(),
    windowsHide: true,
  });
  return stdout;
}

/** Runs a command of systemctl to its end; rejects when that fails. */
export async function orderUnit(...words: readonly string[]): Promise<void> {
  await run('systemctl', words, { timeout: UNIT_TIMEOUT_MS });
}

/** Properties of a unit, by name. */
export async function showUnit(unit: string, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await run('systemctl', ['show', `--property=${names.join(',')}`, unit], {
    timeout: SHOW_TIMEOUT_MS,
  });
  return new Map(
    stdout.split('\n').flatMap((line): [string, string][] => {
      const at = line.indexOf('=');
      return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1)]];
    }),
  );
}
