// From the words of a command to the params of a task: pools, power modes, firmware images. What is wrong becomes a
// ConfigError that names the option. It asks no miner.
import { z } from 'zod';
import { REQUESTED_POOL_FIELDS } from '../../../model/pools/requested-pools.ts';
import { PARAMS_FIELDS, POWER_MODES, poolList } from '../../../model/tasks/task-params.ts';
import { wrongOption } from '../../options.ts';

export type Params = Readonly<Record<string, unknown>>;

/** Options of single verbs, as they are written. */
export type VerbFlags = {
  force?: boolean;
  url?: string;
  worker?: string;
  password?: string;
  url2?: string;
  worker2?: string;
  password2?: string;
  url3?: string;
  worker3?: string;
  password3?: string;
  set?: string;
  sha256?: string;
  toVersion?: string;
  family?: string;
  zip?: string;
  passwordFile?: string;
};

export type Given = {
  /** Before the miners; empty where the verb takes none. */
  readonly word: string;
  readonly flags: VerbFlags;
};

const isMode = (word: string) => POWER_MODES.some((mode) => mode === word);

export function powerParams({ word }: Given): Params {
  const lower = word.toLowerCase();
  if (isMode(lower)) return { mode: lower };
  const watts = /^(\d{2,5}) ?w$/i.exec(word)?.[1];
  const preset = PARAMS_FIELDS['miner.power_mode.update'].preset.safeParse(watts === undefined ? word : `${watts} W`);
  if (preset.success) return { preset: preset.data };
  throw wrongOption('mode', `'${word}' is none of ${POWER_MODES.join(', ')}, no preset and no watts such as 3200W`);
}

const KEEP = 'keep';

export const POOL_OPTIONS = [
  ['--url <url>', "address of the first pool, or 'keep'"],
  ['--worker <name>', "worker at the first pool, such as 'farm.{rack}-{position}', or 'keep'"],
  ['--password <text>', "for the first pool (default: x), or 'keep'"],
  ['--url2 <url>', 'the same of the second pool; its worker is that of the first unless it is given'],
  ['--worker2 <name>', 'worker at the second pool'],
  ['--password2 <text>', 'for the second pool'],
  ['--url3 <url>', 'the same of the third pool'],
  ['--worker3 <name>', 'worker at the third pool'],
  ['--password3 <text>', 'for the third pool'],
  ['--set <name>', 'the saved pools of this name, instead'],
] as const;

const poolsSchema = poolList(z.strictObject(REQUESTED_POOL_FIELDS));

export function poolParams({ flags }: Given): Params {
  const { url, worker, password, url2, worker2, password2, url3, worker3, password3, set } = flags;
  const given = [
    { at: '', url, worker, password },
    { at: '2', url: url2, worker: worker2 ?? worker, password: password2 },
    { at: '3', url: url3, worker: worker3 ?? worker, password: password3 },
  ];
  const pools = given.filter((pool) => pool.url !== undefined);
  if (set !== undefined) {
    if (pools.length > 0 || worker !== undefined) throw wrongOption('--set', 'stands for all pools: give no other');
    return { pool_set: set };
  }
  if (pools.length === 0) throw wrongOption('--url', 'is missing: the address of a pool, or --set with saved pools');
  if (url === undefined || (url3 !== undefined && url2 === undefined))
    throw wrongOption('--url', 'pools are given in their order, best first: --url, --url2, --url3');
  const asked = pools.map((pool) => ({
    url: kept(pool.url),
    user: kept(mustHave(pool.worker, `--worker${pool.at}`)),
    ...(pool.password !== undefined && { password: kept(pool.password) }),
  }));
  const parsed = poolsSchema.safeParse(asked);
  if (parsed.success) return { pools: asked };
  const [issue] = parsed.error.issues;
  throw wrongOption(optionOf(issue?.path ?? []), issue?.message ?? 'cannot be used');
}

const kept = (text: string | undefined) => (text === KEEP ? { keep: true } : text);

function mustHave(text: string | undefined, option: string): string {
  if (text !== undefined) return text;
  throw wrongOption(option, "is missing: a worker such as '{worker}' or 'farm.{rack}-{position}'");
}

const optionOf = ([at, field]: readonly PropertyKey[]) =>
  `--${field === 'user' ? 'worker' : String(field ?? 'url')}${at === 0 || typeof at !== 'number' ? '' : at + 1}`;

const firmwareFields = z.object(PARAMS_FIELDS['miner.firmware.update']);

export function firmwareParams({ word, flags }: Given): Params {
  const { url, sha256, toVersion, family } = flags;
  if (url !== undefined && sha256 === undefined)
    throw wrongOption(
      '--sha256',
      'is missing: an image from elsewhere is installed only where it is the one that is meant',
    );
  const given = { ...(url === undefined ? { file: word } : { url }), sha256, version: toVersion, family };
  const params = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const parsed = firmwareFields.safeParse(params);
  if (parsed.success) return params;
  const [issue] = parsed.error.issues;
  const field = String(issue?.path[0] ?? 'url');
  throw wrongOption(OPTION_OF.get(field) ?? field, issue?.message ?? 'cannot be used');
}

const OPTION_OF: ReadonlyMap<string, string> = new Map([
  ['url', '--url'],
  ['sha256', '--sha256'],
  ['version', '--to-version'],
  ['family', '--family'],
]);
