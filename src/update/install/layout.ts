// Where an update keeps things: the programs of all versions with links to two of them, and its notes. A link is
// replaced in one step: it always leads to the old or to the new one.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { moveOver, writeFileAtomic } from '../../base/storage/atomic-file.ts';
import { syncFolder } from '../../base/storage/sync.ts';
import { isVersion } from '../trust/version-order.ts';

/** Where root keeps its notes on a Linux host. */
export const NOTES_FOLDER = '/var/lib/pithead-update';
/** In the state directory of the agent. */
export const REQUESTS = 'update';

export type Places = {
  /**
   * On Windows links need an administrator and cannot be replaced in one step: a small file names the version instead.
   */
  readonly system: 'linux' | 'windows';
  /** One folder per version below `versions`; the links, or files, `current` and `proven` lead to one each. */
  readonly programs: string;
  /** Journal, memory and outcome; only root writes here. */
  readonly notes: string;
  /** What the agent wants installed; the agent writes here, so nothing of it is believed. */
  readonly requests: string;
};

/** The service host knows these names too. */
export function windowsPlaces(environment: Readonly<Record<string, string | undefined>>): Places {
  const data = join(environment.ProgramData ?? 'C:\\ProgramData', 'Pithead');
  return {
    system: 'windows',
    programs: join(environment.ProgramFiles ?? 'C:\\Program Files', 'Pithead'),
    notes: join(data, 'update'),
    requests: join(data, 'requests'),
  };
}

export const versionFolder = ({ programs }: Places, version: string): string => join(programs, 'versions', version);
export const programOf = (places: Places, version: string): string =>
  join(versionFolder(places, version), places.system === 'windows' ? 'pithead.exe' : 'pithead');
/** The version that starts with the service. */
export const currentLink = ({ programs }: Places): string => join(programs, 'current');
/** The version that was last seen healthy: it carries out updates and undoes them, whatever became of the new one. */
export const provenLink = ({ programs }: Places): string => join(programs, 'proven');
export const outcomePath = (notes: string): string => join(notes, 'outcome.json');
export const requestPath = (requests: string): string => join(requests, 'request.json');
export const bundlePath = (requests: string): string => join(requests, 'wanted.bundle');
/** Where a program is written before it is known to be good. */
export const incomingPath = ({ programs }: Places): string => join(programs, 'versions', '.incoming');

/** Undefined when the link leads to no version. */
export function linkedVersion(link: string): string | undefined {
  const version = linkText(link);
  return version !== undefined && isVersion(version) ? version : undefined;
}

function linkText(link: string): string | undefined {
  for (const read of [() => basename(readlinkSync(link)), () => readFileSync(link, 'utf8').trim()]) {
    try {
      return read();
    } catch {
      // Not there, or of the other kind.
    }
  }
  return undefined;
}

export function linkTo({ system }: Places, link: string, version: string): void {
  if (system === 'windows') {
    writeFileAtomic(link, `${version}\n`, 0o644);
    return;
  }
  replaceLink(join('versions', version), link);
  syncFolder(dirname(link));
}

export function replaceLink(target: string, link: string): void {
  rmSync(`${link}.new`, { force: true });
  symlinkSync(target, `${link}.new`);
  renameSync(`${link}.new`, link);
}

/** Gives the incoming program its place. */
export function putInPlace(places: Places, version: string): void {
  const folder = versionFolder(places, version);
  removeFolder(places, version, () => setAside(programOf(places, version)));
  mkdirSync(folder, { recursive: true });
  moveOver(incomingPath(places), programOf(places, version));
  // Whatever the umask of the process is: others start it.
  for (const path of [folder, programOf(places, version)]) chmodSync(path, 0o755);
  syncFolder(folder);
  syncFolder(dirname(folder));
}

/**
 * Never the one that a link leads to. A program that still runs cannot be removed on Windows; the next update removes
 * it.
 */
export function removeVersion(places: Places, version: string): void {
  if (!isVersion(version) || linked(places).includes(version)) return;
  removeFolder(places, version, () => {});
}

function removeFolder(places: Places, version: string, onRefusal: () => void): void {
  try {
    rmSync(versionFolder(places, version), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  } catch (error) {
    if (places.system === 'linux') throw error;
    onRefusal();
  }
}

/**
 * Windows lets a running program be moved, but not removed or overwritten. A later update removes it with its folder.
 */
function setAside(program: string): void {
  if (existsSync(program)) renameSync(program, `${program}.${process.pid}.old`);
}

/** Leaves the linked ones and those named. */
export function removeOthers(places: Places, kept: readonly string[]): void {
  const names = readdirSync(join(places.programs, 'versions'));
  for (const name of names) if (!kept.includes(name)) removeVersion(places, name);
}

const linked = (places: Places) => [linkedVersion(currentLink(places)), linkedVersion(provenLink(places))];
