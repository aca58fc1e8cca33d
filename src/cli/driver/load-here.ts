// Loads a driver of a folder into this process, for its author: what runs here is the author's own code. An agent runs
// such drivers in a process of their own.
import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, parse, resolve } from 'node:path';
import { z } from 'zod';
import { ConfigError, renderError } from '../../base/errors.ts';
import * as kit from '../../driver/kit/index.ts';

const EXTENSIONS = ['.mjs', '.cjs', '.ts'] as const;

export type DriverHere = {
  readonly driver: kit.Driver;
  /** Its folder, or the folder of its file. */
  readonly folder: string;
};

/** A folder with an `index`, or a file. Throws ConfigError that says what is wrong with it. */
export function loadHere(path: string): DriverHere {
  const file = entryOf(resolve(path));
  const wrong = (message: string) => new ConfigError('load the driver', [{ path: file, message }]);
  let loaded: unknown;
  try {
    loaded = createRequire(file)(file);
  } catch (error) {
    throw wrong(`cannot be run: ${renderError(error)}`);
  }
  const name = /^index\./.test(basename(file)) ? basename(join(file, '..')) : parse(file).name;
  const make = makerIn(loaded);
  const made = make === undefined ? ownDriverIn(loaded, name) : madeBy(make, wrong);
  if (made === undefined) throw wrong('exports no function: export default (kit) => kit.defineDriver({ … })');
  const { data: driver, error } = driverSchema.safeParse(made);
  if (error !== undefined) throw wrong(`gives no driver: ${error.issues.map(({ message }) => message).join('; ')}`);
  if (driver.id !== name) throw wrong(`its id is '${driver.id}': it must be called as its file or folder, '${name}'`);
  return { driver, folder: join(file, '..') };
}

function madeBy(make: Maker, wrong: (message: string) => ConfigError): unknown {
  try {
    return Reflect.apply(make, undefined, [Object.freeze({ ...kit })]);
  } catch (error) {
    throw wrong(`its function throws: ${renderError(error)}`);
  }
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

type Maker = (...given: unknown[]) => unknown;

/** CommonJS and transpiled files name it differently. */
function makerIn(loaded: unknown): Maker | undefined {
  const { data } = z.looseObject({ default: z.unknown() }).safeParse(loaded);
  const made = typeof loaded === 'function' ? loaded : data?.default;
  return z.custom<Maker>((value) => typeof value === 'function').safeParse(made).data;
}

/** `defineDriver` has made the rest of it. */
const driverSchema = z.custom<kit.Driver>((value) => {
  const { id, asks, read, identify } = Object(value);
  return (
    typeof id === 'string' && typeof asks === 'object' && typeof read === 'function' && typeof identify === 'function'
  );
}, 'it must return what kit.defineDriver gives');
