// A small Debian of its own, booted in a container by systemd, without a network to the outside: what the package, its
// units and their sandbox do on a real host. Root of the container has every right that root of a host has, so that
// what is forbidden there was forbidden by the sandbox. Needs root, debootstrap and systemd-nspawn.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../arch/sources.ts';

const RELEASE = 'bookworm';
const PATH = `${process.env.PATH}:/usr/sbin:/sbin`;
const MAKE_MS = 400_000;
const BOOT_MS = 60_000;
const COMMAND_MS = 120_000;
/** A tree, or a tree with the program in it. */
const ROOM_BYTES = 2 * 1024 ** 3;
/** What a container does not get by itself: system calls and files that root of a host has. */
const ALL_RIGHTS = [
  '--capability=all',
  '--system-call-filter=@module @clock @reboot @raw-io @keyring @debug @swap @privileged bpf perf_event_open kexec_load',
];

/** Why there can be none here; undefined where there can. */
export function whyNoTree(): string | undefined {
  if (process.platform !== 'linux') return 'it needs Linux';
  if (process.getuid?.() !== 0) return 'it needs root';
  const missing = ['systemd-nspawn', 'debootstrap', 'nsenter'].filter((name) => !hasCommand(name));
  if (missing.length > 0)
    return `${missing.join(', ')} missing: packages systemd-container, debootstrap and util-linux`;
  return undefined;
}

const hasCommand = (name: string): boolean => PATH.split(':').some((folder) => existsSync(join(folder, name)));

const run = (command: string, args: readonly string[], timeout: number): string =>
  execFileSync(command, args, {
    encoding: 'utf8',
    timeout,
    env: { PATH, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** In memory where there is room: dpkg waits for the disk after each file. */
function folderWithRoom(name: string): string {
  const isRoomy = (folder: string) => {
    try {
      const { bavail, bsize } = statfsSync(folder);
      return bavail * bsize >= ROOM_BYTES;
    } catch {
      return false;
    }
  };
  return mkdtempSync(join(isRoomy('/dev/shm') ? '/dev/shm' : tmpdir(), name));
}

/** The tree as debootstrap makes it, kept from run to run. */
function freshTree(): string {
  const kept = join(tmpdir(), `pithead-debian-${RELEASE}-${process.arch}`);
  if (existsSync(kept)) return kept;
  const folder = folderWithRoom('pithead-debootstrap-');
  const unfinished = `${kept}.${process.pid}`;
  try {
    const made = join(folder, 'tree');
    run('debootstrap', ['--variant=minbase', '--include=systemd,systemd-sysv', RELEASE, made], MAKE_MS);
    run('cp', ['-a', made, unfinished], COMMAND_MS);
    if (!existsSync(kept)) renameSync(unfinished, kept);
    return kept;
  } finally {
    for (const path of [folder, unfinished]) rmSync(path, { recursive: true, force: true });
  }
}

export type BootedTree = {
  /** Of the root of the container, as seen from here, where its own mounts are seen too. */
  path(inside: string): string;
  /** What the command prints; throws with what it said when it fails. */
  inside(...command: readonly string[]): string;
  /** A program of this host in the network of the container. Ends with it. */
  inNetwork(...command: readonly string[]): void;
  /** What a script of Node prints that runs in the network of the container. */
  ask(script: string, ...args: readonly string[]): string;
  stop(): Promise<void>;
};

/** Throws with what was written when it does not boot. */
export async function bootTree(): Promise<BootedTree> {
  const folder = folderWithRoom('pithead-tree-');
  const tree = join(folder, 'tree');
  const log = join(folder, 'boot.log');
  run('cp', ['-a', freshTree(), tree], COMMAND_MS);
  const output = openSync(log, 'w');
  const args = ['--register=no', '--keep-unit', '--private-network', ...ALL_RIGHTS, '-D', tree];
  // It dies with this process, and everything inside with it.
  const nspawn = spawn('setpriv', ['--pdeathsig', 'KILL', 'systemd-nspawn', ...args, '--boot', '--console=pipe'], {
    env: { PATH, LC_ALL: 'C', SYSTEMD_NSPAWN_API_VFS_WRITABLE: 'network' },
    stdio: ['ignore', output, output],
    detached: true,
  });
  closeSync(output);
  const over = new Promise<void>((resolve) => nspawn.once('exit', () => resolve()));
  const stop = async () => {
    // Number 1 inside, and with it everything there: it would outlive nspawn.
    for (const pid of childrenOf(nspawn.pid)) process.kill(Number(pid), 'SIGKILL');
    nspawn.kill('SIGKILL');
    await over;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const leader = await bootedLeader(nspawn.pid);
    return { ...commandsOf(leader), stop };
  } catch (error) {
    const said = readFileSync(log, 'utf8').slice(-2_000);
    await stop();
    throw new Error(`boot a Debian of its own: ${String(error)}\n${said}`);
  }
}

const enter = (leader: string, ...flags: readonly string[]) => ['-t', leader, ...flags, '--'];
const EVERYTHING = ['-m', '-u', '-i', '-p', '-n', '-C'];

function childrenOf(pid: number | undefined): readonly string[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return children.split(' ').filter((child) => child.trim() !== '');
  } catch {
    return [];
  }
}

/** The process inside that is number 1 there, once all has started. */
async function bootedLeader(nspawn: number | undefined): Promise<string> {
  const endsMs = performance.now() + BOOT_MS;
  for (let state = 'not seen'; ; await sleep(200)) {
    try {
      const [leader] = childrenOf(nspawn);
      if (leader !== undefined) {
        state = run(
          'nsenter',
          [...enter(leader, '-m', '-p'), 'systemctl', 'is-system-running', '--wait'],
          BOOT_MS,
        ).trim();
        if (state === 'running') return leader;
      }
    } catch (error) {
      state = String(error).split('\n')[0] ?? '';
    }
    if (performance.now() > endsMs) throw new Error(`it is ${state} after ${BOOT_MS / 1_000} s`);
  }
}

function commandsOf(leader: string): Omit<BootedTree, 'stop'> {
  return {
    path: (inside) => `/proc/${leader}/root${inside}`,
    inside: (...command) => run('nsenter', [...enter(leader, ...EVERYTHING), ...command], COMMAND_MS),
    inNetwork(...command) {
      const args = ['--pdeathsig', 'KILL', 'nsenter', ...enter(leader, '-n'), ...command];
      spawn('setpriv', args, { cwd: ROOT, stdio: 'ignore', env: { PATH } });
    },
    ask: (script, ...args) =>
      run('nsenter', [...enter(leader, '-n'), process.execPath, '-e', script, ...args], COMMAND_MS),
  };
}
