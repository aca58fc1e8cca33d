// The folders of the versions and the links to them. A link is replaced in one step: whoever follows it finds the old or the new one, never nothing.
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
import { moveOver, syncFolder, writeWhole } from '../../base/storage/atomic-file.ts';
import { isVersion } from '../trust/version-order.ts';
import { currentLink, type Places, programOf, provenLink, versionFolder } from './places.ts';

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
    writeWhole(link, `${version}\n`, 0o644);
    return;
  }
  rmSync(`${link}.new`, { force: true });
  symlinkSync(join('versions', version), `${link}.new`);
  renameSync(`${link}.new`, link);
  syncFolder(dirname(link));
}

/** Gives the incoming program its place. */
export function putInPlace(places: Places, version: string): void {
  const folder = versionFolder(places, version);
  removeFolder(places, version, () => setAside(programOf(places, version)));
  mkdirSync(folder, { recursive: true });
  moveOver(incomingPath(places), programOf(places, version));
  // Whatever the mask of whoever runs it: others start it.
  for (const path of [folder, programOf(places, version)]) chmodSync(path, 0o755);
  syncFolder(folder);
  syncFolder(dirname(folder));
}

/** Never the one that a link leads to. What Windows does not give away, because somebody still runs it, is left for the next time. */
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

/** Windows lets a program that is in use be moved, though not removed or overwritten. It goes with its folder, another time. */
function setAside(program: string): void {
  if (existsSync(program)) renameSync(program, `${program}.${process.pid}.old`);
}

/** Leaves the linked ones and those named. */
export function removeOthers(places: Places, kept: readonly string[]): void {
  const names = readdirSync(join(places.programs, 'versions'));
  for (const name of names) if (!kept.includes(name)) removeVersion(places, name);
}

const linked = (places: Places) => [linkedVersion(currentLink(places)), linkedVersion(provenLink(places))];
