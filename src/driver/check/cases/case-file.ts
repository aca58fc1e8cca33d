// The case folder of one device: `case.json` and a file per answer, byte for byte, as `pithead capture` writes them. It
// says what a driver's `read` would get of them; it judges nothing.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../../../base/errors.ts';
import { caseSchema as capturedSchema, exchangeSchema } from '../../../case/format.ts';
import { repairJson } from '../../../transport/cgminer/json-fixer.ts';
import type { Ask, Driver, Known } from '../../contract.ts';
import type { Sample } from '../finding.ts';

const send = z.looseObject({
  command: z.string().optional(),
  cmd: z.string().optional(),
  param: z.unknown().optional(),
});
/** As a capture writes it. Recordings from elsewhere have other transports, and files in folders of their own. */
const responseSchema = exchangeSchema
  .pick({ path: true, ask: true, failure: true })
  .extend({ file: z.string(), transport: z.string(), send: send.optional(), method: z.string().optional() });
export const caseSchema = capturedSchema.extend({ responses: z.array(responseSchema) });
export type DriverCase = z.output<typeof caseSchema> & { readonly folder: string };

const CASE_FILE = 'case.json';

/** Throws ConfigError where the folder holds no case, or one that cannot be read. */
export function readCase(folder: string): DriverCase {
  const path = join(folder, CASE_FILE);
  const what = `read the case ${path}`;
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const message = 'wanted: JSON as `pithead capture` writes it; name the folder that holds it';
    throw new ConfigError(what, [{ path: CASE_FILE, message }], error);
  }
  const checked = caseSchema.safeParse(content);
  if (checked.success) return { ...checked.data, folder };
  throw new ConfigError(
    what,
    checked.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message })),
  );
}

/** Of `<folder>/<name>/case.json`, by name; none where there is no such folder. */
export function readCases(folder: string): readonly DriverCase[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder).toSorted();
  } catch {
    return [];
  }
  return names.map((name) => readCase(join(folder, name)));
}

/** Folder of the case itself, of all cases of a driver, or of the driver: whichever of them it is. */
export const casesAt = (path: string): readonly DriverCase[] =>
  path.endsWith(CASE_FILE) ? [readCase(dirname(path))] : hasCaseFile(path) ? [readCase(path)] : readCases(path);

function hasCaseFile(folder: string): boolean {
  try {
    return readdirSync(folder).includes(CASE_FILE);
  } catch {
    return false;
  }
}

/** Bytes of each answer by ask of the driver. `replace`: the stem of a file by that of another one. */
export function bytesByAsk(
  driver: Pick<Driver, 'asks'>,
  { responses, folder }: Pick<DriverCase, 'responses' | 'folder'>,
  known: Known = {},
  replace: Readonly<Record<string, string>> = {},
): Record<string, Buffer> {
  const found: Record<string, Buffer> = {};
  for (const [name, ask] of Object.entries(driver.asks)) {
    if (ask.generations && known.generation && !ask.generations.includes(known.generation)) continue;
    const given = responses.filter(({ failure }) => failure === undefined);
    const response = given.find((entry) => entry.ask === name) ?? given.find((entry) => answers(ask, entry));
    if (response === undefined) continue;
    const [, stem = ''] = response.file.match(/([^/]+)\.json$/) ?? [];
    const other = replace[stem];
    found[name] = readFileSync(join(folder, other === undefined ? response.file : response.file.replace(stem, other)));
  }
  return found;
}

function answers(
  ask: Ask,
  { file, transport, send, path, method = 'GET', ask: own }: z.output<typeof responseSchema>,
): boolean {
  if (own !== undefined) return false;
  switch (ask.via) {
    case 'cgminer':
      // Nothing was recorded at other ports than the usual one.
      return transport === 'cgminer-tcp' && send?.command === ask.command && ask.port === undefined;
    case 'whatsminer3':
      return transport === 'whatsminer-v3' && send?.cmd === ask.cmd && (send.param ?? null) === (ask.param ?? null);
    case 'http':
      if (transport === 'graphql') return path === ask.path && file.endsWith(`/gql.${queryName(ask.json)}.json`);
      // Some devices were recorded without the last part of what is asked for.
      return (
        transport === 'http' &&
        path === ask.path.replace(',asic', '') &&
        (method === ask.method || ask.json === undefined)
      );
  }
}

/** Recorded queries go by their names; serial numbers and voltages are recorded with the boards. */
function queryName(body: unknown): string {
  const [, name = ''] = JSON.stringify(body).match(/"query (\w+)/) ?? [];
  return name === 'serials' || name === 'voltages' ? 'boards' : name;
}

/**
 * What the link would hand over for these bytes: the repaired value, the text, or nothing. API 3 hands over the reply
 * object alike.
 */
export function asLinkWould(ask: Ask, bytes: Buffer): unknown {
  if (ask.via === 'http' && ask.as === 'text') return bytes.toString('utf8');
  const value = repairJson(bytes)?.value;
  return typeof value === 'object' || typeof value === 'boolean' ? value : undefined;
}

export function rawOf(driver: Pick<Driver, 'asks'>, bytes: Readonly<Record<string, Buffer>>): Record<string, unknown> {
  const raw: Record<string, unknown> = {};
  for (const [name, ask] of Object.entries(driver.asks)) {
    const given = bytes[name];
    const value = given && asLinkWould(ask, given);
    if (value !== undefined) raw[name] = value;
  }
  return raw;
}

/** The answers of a case as `read` gets them. `known`: instead of what the case says. */
export function sampleOf(driver: Pick<Driver, 'asks'>, one: DriverCase, known: Known = one.known ?? {}): Sample {
  const raw = rawOf(driver, bytesByAsk(driver, one, known));
  // What the source's own test asserts and what was read by hand may differ: the latter is then the newer judgement.
  const expect = { ...one.expect, ...one.reading };
  const given = { name: one.id, known, raw, expect, isReal: one.isSimulated !== true };
  return one.values === undefined ? given : { ...given, values: one.values };
}
