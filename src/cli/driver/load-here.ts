// Loads a driver of a folder into this process, for its author. An agent runs such drivers in a process of their own.
import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, parse, resolve } from 'node:path';
import { z } from 'zod';
import { ConfigError, type Problem, renderError } from '../../base/errors.ts';
import * as kit from '../../driver/kit/index.ts';
import { isOwnFolder } from '../../driver/load/candidates.ts';
import { madeOf } from '../../driver/load/child/maker.ts';
import { Parts } from '../../driver/load/child/parts.ts';
import { placeIn, syntaxPlace } from '../../driver/load/place.ts';
import { lookedAtSchema, misfitsOf } from '../../driver/load/remote/described.ts';

const EXTENSIONS = ['.mjs', '.cjs', '.ts'] as const;

/** Where a driver lies. */
export type DriverEntry = {
  /** What its folder or file is called. */
  readonly id: string;
  /** Its folder, or the folder of its file. */
  readonly folder: string;
  readonly file: string;
  /** One that ships with the program: a module that imports the kit. */
  readonly isOwn: boolean;
};
export type DriverHere = DriverEntry & { readonly driver: kit.Driver };

/** Runs nothing of it. Throws ConfigError where nothing lies there. */
export function entryAt(path: string): DriverEntry {
  const file = entryOf(resolve(path));
  const folder = dirname(file);
  const id = /^index\./.test(basename(file)) ? basename(folder) : parse(file).name;
  return { id, folder, file, isOwn: isOwnFolder(dirname(folder)) };
}

/** A folder with an `index`, or a file. Throws ConfigError that says what is wrong with it. */
export function loadHere(path: string): DriverHere {
  const entry = entryAt(path);
  const { id, file, folder, isOwn } = entry;
  const wrong = (message: string) => new ConfigError('load the driver', [{ path: file, message }]);
  let made: unknown;
  try {
    const loaded: unknown = createRequire(file)(file);
    made = isOwn ? ownDriverIn(loaded, id) : madeOf(loaded, Object.freeze({ ...kit }));
  } catch (error) {
    const place = placeIn(error, folder) ?? (error instanceof SyntaxError ? syntaxPlace(file, error) : undefined);
    throw wrong(`cannot be loaded: ${place === undefined ? '' : `${place}: `}${renderError(error)}`);
  }
  const misfits = misfitsIn(made);
  if (misfits.length > 0) throw new ConfigError(`load the driver ${file}`, misfits);
  const { data: driver } = driverSchema.safeParse(made);
  if (driver === undefined) throw wrong('gives no driver: return what kit.defineDriver({ … }) gives');
  if (driver.id !== id) throw wrong(`its id is '${driver.id}': it must be called as its file or folder, '${id}'`);
  return { ...entry, driver };
}

/** What an agent would refuse of its data. */
function misfitsIn(made: unknown): readonly Problem[] {
  const { error } = lookedAtSchema.safeParse(new Parts(made).description);
  return error === undefined ? [] : misfitsOf(error);
}

/** One of the program itself: a module that imports the kit, and exports the driver. */
const ownDriverIn = (loaded: unknown, id: string): unknown =>
  Object.values(Object(loaded)).find((value) => driverSchema.safeParse(value).data?.id === id);

function entryOf(path: string): string {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = isFolder
    ? EXTENSIONS.map((extension) => join(path, `index${extension}`)).find((each) => existsSync(each))
    : path;
  if (file !== undefined && existsSync(file)) return file;
  const message = isFolder ? 'holds no index.mjs, index.cjs or index.ts' : 'is not there';
  throw new ConfigError('load the driver', [{ path, message }]);
}

/** `defineDriver` has made the rest of it. */
const driverSchema = z.custom<kit.Driver>((value) => {
  const { id, asks, read, identify } = Object(value);
  return (
    typeof id === 'string' && typeof asks === 'object' && typeof read === 'function' && typeof identify === 'function'
  );
});
