// A disk of a few megabytes in a name space of its own, for programs of a test: filled to the last byte, made
// read-only, freed again, by an ordinary user too.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A name space of our own, in which an ordinary user may mount, and a way into it. */
export const canMount =
  spawnSync('unshare', ['-Urm', 'sh', '-c', 'mount -t tmpfs none /mnt']).status === 0 &&
  spawnSync('nsenter', ['--version']).status === 0;

export type SmallDisk = Awaited<ReturnType<typeof mountSmallDisk>>;

const FILLER = 'filler';
const BLOCK = Buffer.alloc(64 * 1024, 1);

/** Mounted at `folder`, which is made. */
export async function mountSmallDisk(folder: string, sizeMb: number) {
  mkdirSync(folder, { recursive: true });
  const script = `mount -t tmpfs -o size=${sizeMb}m,mode=700 none "$1" && echo mounted && exec sleep 3600`;
  const holder: ChildProcess = spawn('unshare', ['-Urm', 'sh', '-c', script, 'sh', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (holder.stdout === null) throw new Error('no pipe to the name space');
  await once(holder.stdout, 'data');
  const pid = String(holder.pid);
  const enter = ['nsenter', '--target', pid, '--user', '--mount', '--preserve-credentials'] as const;
  /** Where this process, which is outside, finds a file of the disk. */
  const seen = (name: string) => join('/proc', pid, 'root', folder, name);
  let filling: NodeJS.Timeout | undefined;

  /** Takes every byte that is left. */
  const fillOnce = () => {
    const file = openSync(seen(FILLER), 'a');
    try {
      for (let size = BLOCK.length; size >= 1; size = Math.floor(size / 2)) fillWith(file, BLOCK.subarray(0, size));
    } finally {
      closeSync(file);
    }
  };
  const remount = (mode: 'ro' | 'rw') => {
    const [command, ...args] = [...enter, 'mount', '-o', `remount,${mode}`, folder];
    const { status, stderr } = spawnSync(command, args);
    if (status !== 0) throw new Error(`remount ${mode}: ${stderr.toString()}`);
  };
  /** Away for whoever looks from now on; what is open stays so. */
  const detach = () => spawnSync(enter[0], [...enter.slice(1), 'umount', '-l', folder]);
  return {
    detach,
    /** What a command begins with that is to see the disk. */
    enter,
    seen,
    files: () => readdirSync(seen('.')),
    /** Full from now on, whatever others free, until `free`. */
    fill() {
      fillOnce();
      filling ??= setInterval(fillOnce, 100);
    },
    free() {
      clearInterval(filling);
      filling = undefined;
      rmSync(seen(FILLER), { force: true });
    },
    remount,
    async unmount() {
      clearInterval(filling);
      holder.kill('SIGKILL');
      await once(holder, 'close');
    },
  };
}

function fillWith(file: number, block: Buffer): void {
  try {
    while (writeSync(file, block) > 0);
  } catch {
    // No room for another one of this size.
  }
}
