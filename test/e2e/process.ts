// The program as its users start it: `node src/main.ts …` in a process of its own, with everything that it prints, and
// an end that always comes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from './until.ts';

export const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** Keys are made here, not in the home of whoever runs the tests. */
const OF_TESTS = fileURLToPath(new URL('../../node_modules/.cache/pithead-config', import.meta.url));
/** What commands remember of logins is forgotten with the test file. */
const STATE_OF_TESTS = mkdtempSync(join(tmpdir(), 'pithead-state-of-tests-'));
/** Where commands without a configuration remember. */
export const USUAL_STATE = join(STATE_OF_TESTS, 'pithead');
/** No command reads or writes what the user of this machine has. */
export const ENVIRONMENT_OF_TESTS = { XDG_CONFIG_HOME: OF_TESTS, XDG_STATE_HOME: STATE_OF_TESTS };
/** Half of a short command's time is reading the sources: done once for all that are started here. */
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/pithead-compiled', import.meta.url));

export type StartOptions = {
  readonly cwd?: string;
  /** Another file than the sources: the program as it was built. */
  readonly program?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** As another user; only root may. */
  readonly uid?: number;
  /** In a network of its own that this shell text sets up; only root on Linux may. */
  readonly network?: string;
  /** What the command line begins with, to enter a name space. */
  readonly enter?: readonly string[];
  /** Closes the reading end of stdout when the first bytes have come, as `| head -1` does. */
  readonly readsOnce?: boolean;
};

export type Started = {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  readonly hasEnded: boolean;
  /**
   * Waits for this text on one of the streams; throws with everything that was printed when it does not come or the
   * process ends first.
   */
  untilPrinted(stream: 'stdout' | 'stderr', text: string | RegExp, limitMs?: number): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  /**
   * Its end; killed, with an error, when that does not come within `limitMs`. `code` is null when a signal ended it.
   */
  end(limitMs?: number): Promise<Ended>;
};

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

const GENEROUS_MS = 240_000;

export function startPithead(args: readonly string[], options: StartOptions = {}): Started {
  const { NO_COLOR: _, FORCE_COLOR: __, ...inherited } = process.env;
  const command = [...(options.enter ?? []), process.execPath, options.program ?? MAIN, ...args];
  const [file = '', ...rest] =
    options.network === undefined
      ? command
      : ['unshare', '--net', 'sh', '-c', `set -e\n${options.network}\nexec "$@"`, 'sh', ...command];
  const child = spawn(file, rest, {
    cwd: options.cwd,
    env: { NODE_COMPILE_CACHE: COMPILED, ...inherited, ...ENVIRONMENT_OF_TESTS, ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
  let failure: Error | undefined;
  child.once('error', (error) => {
    failure = error;
  });
  const stdout = collect(child, 'stdout');
  const stderr = collect(child, 'stderr');
  if (options.readsOnce) child.stdout.once('data', () => child.stdout.destroy());
  const closed = once(child, 'close');
  closed.catch(() => {});
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const story = () => `pithead ${args.join(' ')}\nstdout: ${stdout().slice(-3_000)}\nstderr: ${stderr().slice(-3_000)}`;
  return {
    get pid() {
      if (child.pid === undefined) throw failure ?? new Error(`no process: ${story()}`);
      return child.pid;
    },
    stdout,
    stderr,
    get hasEnded() {
      return hasEnded();
    },
    async untilPrinted(stream, text, limitMs = GENEROUS_MS) {
      const printed = stream === 'stdout' ? stdout : stderr;
      const holds = () => (typeof text === 'string' ? printed().includes(text) : text.test(printed()));
      await until(hasEnded, (over) => over || holds(), limitMs).catch(() => {});
      if (!holds()) throw new Error(`'${text}' was not printed within ${limitMs} ms: ${story()}`);
      return printed();
    },
    kill: (signal) => void child.kill(signal),
    async end(limitMs = GENEROUS_MS) {
      const late = setTimeout(() => child.kill('SIGKILL'), limitMs);
      const startMs = performance.now();
      await closed;
      clearTimeout(late);
      if (performance.now() - startMs >= limitMs) throw new Error(`did not end within ${limitMs} ms: ${story()}`);
      return { code: child.exitCode, stdout: stdout(), stderr: stderr() };
    },
  };
}

/** Starts it and waits for its end. */
export function runPithead(args: readonly string[], options: StartOptions & { limitMs?: number } = {}): Promise<Ended> {
  return startPithead(args, options).end(options.limitMs);
}

function collect(child: ChildProcess, stream: 'stdout' | 'stderr'): () => string {
  const chunks: string[] = [];
  child[stream]?.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  return () => chunks.join('');
}
