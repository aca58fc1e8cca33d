// The `host` object of the interface: what machine the agent runs on and how it is doing. Read-only, rarely, and
// bounded in time. On Linux it reads files and starts no program; of the library only what does the same there is used.
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { mem } from 'systeminformation';
import type { Clock } from '../../base/clock.ts';
import { BugError } from '../../base/errors.ts';
import { withDeadline } from '../../base/time/deadline.ts';
import type { Host } from '../../model/host.ts';
import { ownAddress } from './networks.ts';

const SOURCE_DEADLINE_MS = 3_000;
const KEEP_MS = 60_000;

/** Where the figures come from. */
const systemSources = {
  async osName(): Promise<string> {
    return os.platform() === 'linux' ? distribution(await readRelease()) : os.version();
  },
  async memory(): Promise<Host['memory']> {
    const { total, free, used, swaptotal, swapfree, swapused } = await mem();
    return { total, free, used, swap_total: swaptotal, swap_free: swapfree, swap_used: swapused };
  },
};

const RELEASE = ['/etc/os-release', '/usr/lib/os-release'] as const;

const readRelease = () => readFile(RELEASE[0], 'utf8').catch(() => readFile(RELEASE[1], 'utf8'));

/**
 * The name and version that the text of an os-release file gives for people, without the code name; '' when it gives
 * none.
 */
export function distribution(text: string): string {
  const values = new Map(
    [...text.matchAll(/^([A-Z_]+)=(["']?)(.*)\2$/gm)].map(([, key = '', , value = '']) => [key, value]),
  );
  const spoken = values.get('PRETTY_NAME') ?? [values.get('NAME'), values.get('VERSION_ID')].filter(Boolean).join(' ');
  return spoken.replace(/\s*\([^)]*\)$/, '').trim();
}

/**
 * Reads the host now. What a source does not tell in time is taken from Node's own figures, which know no swap. Never
 * rejects.
 */
export async function readHost(clock: Clock, sources = systemSources): Promise<Host> {
  const [osName, memory] = await Promise.all([
    inTime(clock, sources.osName, `${os.type()} ${os.release()}`),
    inTime(clock, sources.memory, nodeMemory()),
  ]);
  const [load1 = 0, load5 = 0, load15 = 0] = os.loadavg();
  return {
    platform: os.platform(),
    os: osName === '' ? `${os.type()} ${os.release()}` : osName,
    cpu_count: os.cpus().length,
    uptime: Math.floor(os.uptime()),
    timestamp: Math.floor(clock.nowMs() / 1_000),
    load_average: [load1, load5, load15],
    memory,
    ip: ownAddress(),
    hostname: os.hostname(),
  };
}

/** `readHost` at most once a minute: an earlier call gets the same object, or shares the reading that is under way. */
export function createHostReader(clock: Clock, sources = systemSources): () => Promise<Host> {
  let kept: { readonly atMs: number; readonly host: Promise<Host> } | undefined;
  return () => {
    const nowMs = clock.monotonicMs();
    if (kept === undefined || nowMs - kept.atMs >= KEEP_MS) kept = { atMs: nowMs, host: readHost(clock, sources) };
    return kept.host;
  };
}

async function inTime<T>(clock: Clock, read: () => Promise<T>, otherwise: T): Promise<T> {
  const onDeadline = () => new BugError('read the host in time');
  try {
    return await withDeadline(clock, { deadlineMs: SOURCE_DEADLINE_MS, onDeadline }, read);
  } catch {
    return otherwise;
  }
}

function nodeMemory(): Host['memory'] {
  const total = os.totalmem();
  const free = os.freemem();
  return { total, free, used: total - free, swap_total: 0, swap_free: 0, swap_used: 0 };
}
