// The only file that starts other programs, never through a shell: those of the service manager, to report the state of
// the process (Node cannot send to a datagram socket) and to install and restart services; and the new program that an
// update tries.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { z } from 'zod';
import { type Clock, loop, systemClock } from '../clock.ts';
import { renderError } from '../errors.ts';
import type { Log } from '../log.ts';
import { linuxProgram, windowsProgram } from './system-programs.ts';

type Notify = (state: string) => Promise<void>;

const NOTIFY_TIMEOUT_MS = 5_000;
const FEEDS_PER_LIMIT = 3;
const RESTART_TIMEOUT_MS = 120_000;
/** Copying large databases takes its time. */
const UPDATE_TIMEOUT_MS = 15 * 60_000;
const SHOW_TIMEOUT_MS = 10_000;
const TRY_OUTPUT_BYTES = 1024 * 1024;
/** The host of our own service lets its program have 15 s. */
const STOP_MS = 40_000;
const STOP_LOOK_MS = 500;
const run = promisify(execFile);

/** systemd names the socket and the watchdog's limit in the environment. */
export function createServiceManager(options: {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly notify?: Notify;
}) {
  const { environment, clock, log } = options;
  const socket = environment.NOTIFY_SOCKET;
  const send: Notify =
    options.notify ??
    (async (state) => {
      // By the search path that systemd gave to the unit: what runs here has no more rights than who could change it.
      await run('systemd-notify', [state], {
        timeout: NOTIFY_TIMEOUT_MS,
        env: { PATH: environment.PATH ?? '/usr/bin:/bin', NOTIFY_SOCKET: socket ?? '' },
      });
    });
  const notify: Notify = async (state) => {
    if (socket === undefined) return;
    await send(state).catch((error: unknown) =>
      log.warn({ state, cause: renderError(error) }, 'tell the service manager'),
    );
  };
  const limitMs = Number(environment.WATCHDOG_USEC) / 1_000;
  return {
    ready: () => notify('READY=1'),
    stopping: () => notify('STOPPING=1'),
    /**
     * Feeds the watchdog, if there is one, until the signal aborts. When `stalled` returns a reason, it asks for a
     * restart at once.
     */
    async feed(stalled: () => string | undefined, signal: AbortSignal): Promise<void> {
      if (socket === undefined || !(limitMs > 0)) return;
      const onError = (error: unknown) => log.error({ cause: renderError(error) }, 'feed the watchdog');
      await loop(clock, { intervalMs: limitMs / FEEDS_PER_LIMIT, signal, onError }, async () => {
        const reason = stalled();
        if (reason === undefined) return notify('WATCHDOG=1');
        log.error({ reason }, 'no progress: the service manager is asked for a restart');
        await notify('WATCHDOG=trigger');
      });
    },
  };
}

/** Runs systemd's own command for its units; rejects when that fails. */
export async function systemctl(...words: readonly string[]): Promise<void> {
  await run(linuxProgram('systemctl'), words, { timeout: RESTART_TIMEOUT_MS });
}

/** As `systemctl`, for a unit that carries out an update. */
export async function orderUnit(...words: readonly string[]): Promise<void> {
  await run(linuxProgram('systemctl'), words, { timeout: UPDATE_TIMEOUT_MS });
}

/** Properties of a unit, by name. */
export async function showUnit(unit: string, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await run(linuxProgram('systemctl'), ['show', `--property=${names.join(',')}`, unit], {
    timeout: SHOW_TIMEOUT_MS,
  });
  return new Map(
    stdout.split('\n').flatMap((line): [string, string][] => {
      const at = line.indexOf('=');
      return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1)]];
    }),
  );
}

/** The same for Windows: its service control command. Gives what it prints. */
export async function sc(...words: readonly string[]): Promise<string> {
  const { stdout } = await run(windowsProgram('sc.exe'), words, { timeout: RESTART_TIMEOUT_MS, windowsHide: true });
  return stdout;
}

/** Windows: only administrators and the system may use the folder and its content. Rejects when that fails. */
export async function closeToOthers(folder: string): Promise<void> {
  const icacls = (...words: readonly string[]) =>
    run(windowsProgram('icacls.exe'), [folder, ...words], { timeout: RESTART_TIMEOUT_MS, windowsHide: true });
  await icacls('/setowner', `*${ADMINISTRATORS}`, '/T', '/C', '/Q');
  // What lies in it has no rights of its own; then the folder's are all that counts.
  await icacls('/reset', '/T', '/C', '/Q');
  const full = [SYSTEM, ADMINISTRATORS].flatMap((who) => ['/grant:r', `*${who}:(OI)(CI)F`]);
  await icacls('/inheritance:r', ...full, '/Q');
}

/** By number: their names are others in each language. */
const SYSTEM = 'S-1-5-18';
const ADMINISTRATORS = 'S-1-5-32-544';

/**
 * Restarts an installed service (systemd's or Windows'). False when there is none, and when this user may not restart
 * it.
 */
const securitySchema = z.array(z.strictObject({ path: z.string(), sddl: z.string() }));
const SECURITY_SCRIPT =
  '$ErrorActionPreference="Stop"; ConvertTo-Json -Compress @(ConvertFrom-Json $env:PITHEAD_PATHS | ForEach-Object ' +
  '{ @{ path = $_; sddl = (Get-Acl -LiteralPath $_).Sddl } })';

/** Windows: the security descriptor (SDDL) of each of these files and folders, by its path. */
export async function securityOf(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const powershell = windowsProgram('WindowsPowerShell\\v1.0\\powershell.exe');
  const { stdout } = await run(powershell, ['-NoProfile', '-NonInteractive', '-Command', SECURITY_SCRIPT], {
    env: { ...process.env, PITHEAD_PATHS: JSON.stringify(paths) },
    timeout: SHOW_TIMEOUT_MS,
    windowsHide: true,
  });
  return new Map(securitySchema.parse(JSON.parse(stdout)).map(({ path, sddl }) => [path, sddl]));
}

export async function restartService(name: string): Promise<boolean> {
  const isWindows = process.platform === 'win32';
  if (!isWindows && !existsSync('/run/systemd/system')) return false;
  try {
    if (isWindows) {
      if (!(await stopWindowsService(name))) return false;
      await sc('start', name);
    } else {
      await systemctl('cat', `${name}.service`);
      await systemctl('restart', `${name}.service`);
    }
    return true;
  } catch {
    return false;
  }
}

/** Whether it has stopped; rejects when there is none, or we may not. */
export async function stopWindowsService(name: string): Promise<boolean> {
  // These words are the same in every language.
  const isStopped = async () => (await sc('query', name)).includes('STOPPED');
  if (await isStopped()) return true;
  await sc('stop', name);
  const endMs = systemClock.monotonicMs() + STOP_MS;
  while (systemClock.monotonicMs() < endMs) {
    if (await isStopped()) return true;
    await systemClock.sleep(STOP_LOOK_MS);
  }
  return false;
}

/** Without the first, Windows has no sockets; the others are where it may keep what it tries. */
const WINDOWS_NEEDS = ['SystemRoot', 'TEMP', 'TMP'];
const tryEnvironment = (): Record<string, string> =>
  process.platform === 'win32'
    ? Object.fromEntries(WINDOWS_NEEDS.map((name) => [name, process.env[name] ?? '']))
    : { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' };

/**
 * What the program prints. Rejects when it cannot be started, fails or takes too long. It gets only the environment it
 * must have.
 */
export async function tryProgram(
  path: string,
  words: readonly string[],
  timeoutMs: number,
  /** Whose rights it gets; absent = ours. */
  user?: { readonly uid: number; readonly gid: number },
): Promise<string> {
  const { stdout } = await run(path, words, {
    ...user,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: TRY_OUTPUT_BYTES,
    env: tryEnvironment(),
    windowsHide: true,
  });
  return stdout;
}
