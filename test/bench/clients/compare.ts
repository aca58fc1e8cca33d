// Where a reading departs from a device's truth, and which of these differences have a known reason. Pure.
import { type Facts, FIELDS, type Field, type Value } from './facts.ts';

export type Client = 'ours' | 'pyasic' | 'asic-rs';
/**
 * `unread`: the client does not know the device. `missing`: only the truth has a value, `extra`: only the client has
 * one.
 */
export type How = 'wrong' | 'missing' | 'extra' | 'unread';
export type Difference = {
  readonly client: Client;
  readonly kind: string;
  readonly model: string;
  readonly field: Field | 'device';
  readonly how: How;
  readonly read: Value;
  readonly truth: Value;
};

/** `kinds`: a family of the farm, or one model of it as `family/model`. A reason is one sentence. */
export type Explanation = {
  readonly client: Client;
  readonly how: How;
  readonly fields: readonly (Field | 'device')[];
  readonly kinds: readonly string[];
  readonly reason: string;
};

export type Compared = { readonly client: Client; readonly kind: string; readonly model: string };

export function differencesOf(subject: Compared, read: Facts | undefined, truth: Facts): Difference[] {
  if (read === undefined) return [{ ...subject, field: 'device', how: 'unread', read: null, truth: null }];
  return FIELDS.flatMap((field): Difference[] => {
    const how = howDifferent(field, read[field], truth[field]);
    return how === undefined ? [] : [{ ...subject, field, how, read: read[field], truth: truth[field] }];
  });
}

function howDifferent(field: Field, read: Value, truth: Value): How | undefined {
  if (read === null) return truth === null ? undefined : 'missing';
  if (truth === null) return 'extra';
  return isSame(field, read, truth) ? undefined : 'wrong';
}

/** Clients round: rates to hundredths of TH/s, temperatures, power and fans to whole numbers, uptime to minutes. */
const RELATIVE: Partial<Record<Field, number>> = {
  hashrate: 0.01,
  'expected hashrate': 0.01,
  'board rates': 0.01,
  power: 0.01,
};
const ABSOLUTE: Partial<Record<Field, number>> = { 'chip temp': 1, fans: 1, power: 1, uptime: 60 };

export function isSame(field: Field, read: Value, truth: Value): boolean {
  if (isList(read) && isList(truth)) {
    return read.length === truth.length && read.every((each, index) => isSame(field, each, truth[index] ?? null));
  }
  if (typeof read === 'number' && typeof truth === 'number') {
    return Math.abs(read - truth) <= Math.max((RELATIVE[field] ?? 0) * Math.abs(truth), ABSOLUTE[field] ?? 0);
  }
  if (typeof read === 'string' && typeof truth === 'string') return plain(field, read) === plain(field, truth);
  return read === truth;
}

const isList = (value: Value): value is readonly (string | number | null)[] => Array.isArray(value);

/** One make under two names: pyasic calls makers by their product lines. */
const SAME_MAKES: Readonly<Record<string, string>> = {
  antminer: 'bitmain',
  whatsminer: 'microbt',
  avalonminer: 'canaan',
  avalon: 'canaan',
};
const MAKES = /^(antminer|whatsminer|avalonminer|avalon|bitaxe|sealminer|goldshell)/;

/** Names that differ in case, spaces and the make before the model are the same name. */
function plain(field: Field, text: string): string {
  switch (field) {
    case 'make': {
      const bare = text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
      return SAME_MAKES[bare] ?? bare;
    }
    case 'model':
      return text
        .toLowerCase()
        .replaceAll('plus', '+')
        .replaceAll(/[^a-z0-9+]/g, '')
        .replace(MAKES, '');
    case 'pool urls':
      return text.toLowerCase().replace(/^[a-z0-9+]+:\/\//, '');
    default:
      return text;
  }
}

export type Judged = {
  readonly explained: readonly { readonly difference: Difference; readonly reason: string }[];
  readonly unexplained: readonly Difference[];
  /** Explanations of differences that were not seen, as `client how field kind: reason`. */
  readonly needless: readonly string[];
};

/**
 * `compared` is everything that was read: an explanation of a kind that was not read is neither needed nor needless.
 */
export function judge(
  differences: readonly Difference[],
  explanations: readonly Explanation[],
  compared: readonly Compared[],
): Judged {
  const reasons = new Map<string, string>();
  const needed = new Set<string>();
  for (const { client, how, fields, kinds, reason } of explanations)
    for (const field of fields) for (const kind of kinds) reasons.set(keyOf(client, how, field, kind), reason);
  const explained: Judged['explained'][number][] = [];
  const unexplained: Difference[] = [];
  for (const difference of differences) {
    const { client, how, field, kind, model } = difference;
    const key = [`${kind}/${model}`, kind].map((name) => keyOf(client, how, field, name)).find((k) => reasons.has(k));
    const reason = key === undefined ? undefined : reasons.get(key);
    if (key === undefined || reason === undefined) unexplained.push(difference);
    else {
      needed.add(key);
      explained.push({ difference, reason });
    }
  }
  const seen = new Set(
    compared.flatMap(({ client, kind, model }) => [`${client} ${kind}`, `${client} ${kind}/${model}`]),
  );
  const needless = explanations.flatMap(({ client, how, fields, kinds, reason }) =>
    fields.flatMap((field) =>
      kinds
        .filter((kind) => seen.has(`${client} ${kind}`) && !needed.has(keyOf(client, how, field, kind)))
        .map((kind) => `${client} ${how} ${field} ${kind}: ${reason}`),
    ),
  );
  return { explained, unexplained, needless };
}

const keyOf = (client: Client, how: How, field: string, kind: string) => `${client}|${how}|${field}|${kind}`;
