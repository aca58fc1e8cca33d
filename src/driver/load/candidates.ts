// What of a folder may be a driver: `<id>.mjs`, `<id>.cjs`, `<id>.ts`, or a folder `<id>` with such an `index`. It
// reads names and times only, and runs nothing.
import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, parse } from 'node:path';
import { renderError } from '../../base/errors.ts';
import { below, doubtOf } from './trust/file-trust.ts';

const SUFFIXES = ['.mjs', '.cjs', '.ts'] as const;
const ID = /^[a-z0-9][a-z0-9-]{0,63}$/;
const MAX_CANDIDATES = 100;

export type Candidate = {
  readonly id: string;
  /** The file or the folder that a person put there. */
  readonly origin: string;
  /** The file that is loaded. */
  readonly path: string;
  /** Changes with every file of it. */
  readonly signature: string;
};

export type Refusal = { readonly id: string; readonly origin: string; readonly reason: string };

export type Found = { readonly candidates: readonly Candidate[]; readonly refused: readonly Refusal[] };

/** A folder that is not there holds none. */
export async function findCandidates(folder: string): Promise<Found> {
  const candidates: Candidate[] = [];
  const refused: Refusal[] = [];
  for (const { id, origin, entry } of entriesOf(folder)) {
    const reason = await refusalOf(id, origin, entry);
    if (reason !== undefined) refused.push({ id, origin, reason });
    else if (entry !== undefined) candidates.push({ id, origin, path: entry, signature: signatureOf(origin) });
  }
  const twice = candidates.filter(({ id }) => candidates.filter((each) => each.id === id).length > 1);
  const surplus = candidates.slice(MAX_CANDIDATES);
  return {
    candidates: candidates.filter((each) => !twice.includes(each) && !surplus.includes(each)),
    refused: [
      ...refused,
      ...twice.map(({ id, origin }) => ({ id, origin, reason: `the folder has more than one ${id}: leave one` })),
      ...surplus.map(({ id, origin }) => ({ id, origin, reason: `there are more than ${MAX_CANDIDATES} drivers` })),
    ],
  };
}

/** Of what lies there now, whether it may be loaded or not: for checks of names. */
export const candidateIds = (folder: string): string[] => [...new Set(entriesOf(folder).map(({ id }) => id))];

/** Undefined = it may be loaded as it lies there now. */
export async function whyNotNow({ id, origin, path, signature }: Candidate): Promise<string | undefined> {
  const reason = await refusalOf(id, origin, path);
  if (reason !== undefined) return reason;
  return signatureOf(origin) === signature ? undefined : 'it has changed: pithead reload takes it over';
}

type Entry = { readonly id: string; readonly origin: string; readonly entry: string | undefined };

function entriesOf(folder: string): Entry[] {
  return namesIn(folder).flatMap((name): Entry[] => {
    const origin = join(folder, name);
    const isFolder = statSync(origin, { throwIfNoEntry: false })?.isDirectory() === true;
    if (isFolder) {
      const entry = SUFFIXES.map((suffix) => join(origin, `index${suffix}`)).find(isFile);
      // Folders of other kinds may lie there too.
      return entry === undefined ? [] : [{ id: name, origin, entry }];
    }
    const { name: id, ext } = parse(name);
    if (!SUFFIXES.some((suffix) => suffix === ext) || id.endsWith('.d')) return [];
    return [{ id, origin, entry: isFile(origin) ? origin : undefined }];
  });
}

/** In a checkout: the drivers of the program itself, beside which a configuration may lie. */
const OWN_FOLDER = join(import.meta.dirname, '..', '..', '..', 'drivers');

export function isOwnFolder(folder: string): boolean {
  try {
    return realpathSync(folder) === OWN_FOLDER;
  } catch {
    return false;
  }
}

function namesIn(folder: string): string[] {
  try {
    if (isOwnFolder(folder)) return [];
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.') && !name.startsWith('_') && name !== 'node_modules')
      .toSorted();
  } catch {
    return [];
  }
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

async function refusalOf(id: string, origin: string, entry: string | undefined): Promise<string | undefined> {
  if (!ID.test(id)) return `'${id}' is no id: small letters, digits and hyphens, at most 64`;
  if (entry === undefined || !isFile(entry)) return `${origin} is no file that can be read`;
  return doubtOf(origin);
}

function signatureOf(origin: string): string {
  try {
    return [origin, ...below(origin)]
      .map((path) => {
        const { ino, size, mtimeMs, ctimeMs } = lstatSync(path);
        return `${path} ${ino} ${size} ${mtimeMs} ${ctimeMs}`;
      })
      .join('\n');
  } catch (error) {
    return renderError(error);
  }
}
