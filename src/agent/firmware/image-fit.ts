// Whether a firmware image is for a miner, as far as its name, its first bytes and the task say: the family of the
// firmware, the make and the model of the machine. Drivers look into the formats that they know before they send.
import type { FirmwareImage } from '../../driver/contract.ts';
import { MODELS } from '../../driver/kit/models/models.data.ts';

/** What is known of the miner. `driverIds` = of all drivers: each is a family. */
export type ImageTarget = {
  readonly driverId: string;
  readonly make?: string | undefined;
  readonly model?: string | undefined;
};

/** Words of ids that are no name of a firmware. */
const PLAIN_WORDS: ReadonlySet<string> = new Set(['stock', 'generic', 'cgminer', 'umcos', 'fluxos']);
/** Of the names of models in the table, in words. */
const MAX_WORDS = 4;

const normal = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9+]/g, '');
const words = (text: string): readonly string[] => text.toLowerCase().match(/[a-z0-9+]+/g) ?? [];

const MAKES: ReadonlySet<string> = new Set(MODELS.map(([make]) => normal(make)));
/** `s19jpro`, and of `M30S++ VH50` its series, too. Names without a digit are plain words as well. */
const MODEL_NAMES: ReadonlySet<string> = new Set(
  MODELS.flatMap(([, model]) => [normal(model), normal(model.split(' ')[0] ?? '')]).filter((name) =>
    /[a-z]\d/.test(name),
  ),
);

/** Why the image of this name is not for the miner; undefined = nothing says so. `family` = as the task names it. */
export function unfitByName(
  name: string,
  family: string | undefined,
  miner: ImageTarget,
  driverIds: readonly string[],
): string | undefined {
  if (family !== undefined && family !== miner.driverId)
    return `the image is for ${family}, as the task says, and the miner runs ${miner.driverId}`;
  const said = words(name);
  const otherFamily = family === undefined ? familyIn(said, miner.driverId, driverIds) : undefined;
  if (otherFamily !== undefined)
    return `${name} is for ${otherFamily} by its name, and the miner runs ${miner.driverId}; if it is for that, name the family in the task`;
  // Some firmwares have the name of a make, too, and run on machines of others.
  const isOwn = family !== undefined || miner.driverId.split('-').some((word) => said.includes(word));
  const makes = isOwn ? [] : said.filter((word) => MAKES.has(word));
  if (miner.make !== undefined && makes.length > 0 && !makes.includes(normal(miner.make)))
    return `${name} is for ${makes.join(' and ')} by its name, and the miner is of the make ${miner.make}; if it is for that, name the family in the task`;
  const models = modelsIn(said);
  const { model } = miner;
  if (model === undefined || models.length === 0 || models.some((named) => isSameModel(named, normal(model))))
    return undefined;
  return `${name} is for ${models.join(' and ')} by its name, and the miner is ${model}; if it is for that, give the file another name`;
}

/** A firmware that the name says, when it is not that of the miner. */
function familyIn(said: readonly string[], own: string, driverIds: readonly string[]): string | undefined {
  const namesOf = (id: string) => id.split('-').filter((word) => !PLAIN_WORDS.has(word) && !MAKES.has(word));
  const isNamed = (id: string) => namesOf(id).some((word) => word.length > 3 && said.includes(word));
  return isNamed(own) ? undefined : driverIds.find(isNamed);
}

/** The longest names first: `S19j Pro` is not an `S19j`. */
function modelsIn(said: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < said.length; at++) {
    for (let count = MAX_WORDS; count > 0; count--) {
      const name = said.slice(at, at + count).join('');
      if (at + count > said.length || !MODEL_NAMES.has(name)) continue;
      found.push(name);
      at += count - 1;
      break;
    }
  }
  return [...new Set(found)];
}

/** One may be more exact than the other: `s19` and `s19jpro`, but not `s1` and `s19`, nor `s19pro` and `s19jpro`. */
function isSameModel(named: string, own: string): boolean {
  const [short = '', long = ''] = named.length <= own.length ? [named, own] : [own, named];
  return long.startsWith(short) && !/^\d/.test(long.slice(short.length));
}

/** Bytes that begin files which only one make takes. */
const SIGNATURES = [{ bytes: 'abababab', make: 'Antminer', what: 'a bundle of Bitmain' }] as const;
const HEAD_BYTES = 4;

/** The same by what the image begins with. */
export async function unfitByContent(
  { name, bytes }: FirmwareImage,
  { make }: ImageTarget,
): Promise<string | undefined> {
  const head = Buffer.from(await bytes.slice(0, HEAD_BYTES).arrayBuffer()).toString('hex');
  const signature = SIGNATURES.find((each) => head.startsWith(each.bytes));
  if (signature === undefined || make === undefined || normal(make) === normal(signature.make)) return undefined;
  return `${name} is ${signature.what}, and the miner is of the make ${make}`;
}
