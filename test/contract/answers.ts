// The recorded and simulated answers of real firmwares, as a driver's `read` gets them: one value per ask.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Ask, Driver, Known } from '../../src/driver/contract.ts';
import { repairJson } from '../../src/transport/cgminer/json-fixer.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const FOLDER = join(ROOT, '..', 'shared', 'drivers', 'recordings');

/** The recordings are kept beside the project; where they must be there, PITHEAD_REQUIRE_RECORDINGS=1 says so. */
export const hasRecordings = existsSync(join(FOLDER, 'index.json'));
export const mustHaveRecordings = process.env.PITHEAD_REQUIRE_RECORDINGS === '1';

const responseSchema = z.object({
  file: z.string(),
  transport: z.string(),
  send: z
    .looseObject({ command: z.string().optional(), cmd: z.string().optional(), param: z.unknown().optional() })
    .optional(),
  path: z.string().optional(),
  /** Captures name the driver's request, and say when it failed. */
  ask: z.string().optional(),
  failure: z.string().optional(),
  method: z.string().optional(),
});
const recordingSchema = z.object({
  id: z.string(),
  firmware: z.string(),
  /** Of a case: it was captured from a simulated device, so it proves nothing about a real one. */
  isSimulated: z.boolean().optional(),
  known: z
    .object({
      generation: z.string().exactOptional(),
      make: z.string().exactOptional(),
      model: z.string().exactOptional(),
    })
    .optional(),
  responses: z.array(responseSchema),
  expect: z.record(z.string(), z.unknown()),
  reading: z.record(z.string(), z.unknown()).optional(),
  variants: z
    .array(
      z.object({
        id: z.string(),
        replace: z.record(z.string(), z.string()),
        expect: z.record(z.string(), z.unknown()),
      }),
    )
    .optional(),
});
export type Recording = z.output<typeof recordingSchema> & { readonly folder: string };

export const recordings: readonly Recording[] = hasRecordings
  ? z
      .object({ recordings: z.array(recordingSchema) })
      .parse(JSON.parse(readFileSync(join(FOLDER, 'index.json'), 'utf8')))
      .recordings.map((recording) => ({ ...recording, folder: FOLDER }))
  : [];

const DRIVERS = join(ROOT, 'drivers');

/** The captures of `pithead capture` in `drivers/<id>/cases`, whose authors have filled in `expect`. */
export const cases: readonly Recording[] = globSync('*/cases/*/case.json', { cwd: DRIVERS })
  .toSorted()
  .map((file) => {
    const path = join(DRIVERS, file);
    return { ...recordingSchema.parse(JSON.parse(readFileSync(path, 'utf8'))), folder: dirname(path) };
  });

export const bytesOf = (file: string): Buffer => readFileSync(join(FOLDER, file));

/** Bytes of each recorded answer by ask of the driver; `stats` of an Avalon A is also what `estats` says. */
export function bytesByAsk(
  driver: Driver,
  recording: Recording,
  known: Known = {},
  replace: Readonly<Record<string, string>> = {},
): Record<string, Buffer> {
  const found: Record<string, Buffer> = {};
  for (const [name, ask] of Object.entries(driver.asks)) {
    if (ask.generations && known.generation && !ask.generations.includes(known.generation)) continue;
    const given = recording.responses.filter(({ failure }) => failure === undefined);
    const response = given.find((entry) => entry.ask === name) ?? given.find((entry) => answers(ask, entry));
    if (response === undefined) continue;
    const [, stem = ''] = response.file.match(/([^/]+)\.json$/) ?? [];
    const other = replace[stem];
    found[name] = readFileSync(
      join(recording.folder, other === undefined ? response.file : response.file.replace(stem, other)),
    );
  }
  return found;
}

function answers(ask: Ask, { file, transport, send, path, method = 'GET' }: z.output<typeof responseSchema>): boolean {
  switch (ask.via) {
    case 'cgminer':
      // Nothing was recorded at other ports than the usual one.
      return transport === 'cgminer-tcp' && send?.command === ask.command && ask.port === undefined;
    case 'whatsminer3':
      return transport === 'whatsminer-v3' && send?.cmd === ask.cmd && (send.param ?? null) === (ask.param ?? null);
    case 'http':
      if (transport === 'graphql') return path === ask.path && file.endsWith(`/gql.${queryName(ask.json)}.json`);
      // A Proto was recorded without the level of its chips.
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

export function rawOf(driver: Driver, bytes: Readonly<Record<string, Buffer>>): Record<string, unknown> {
  const raw: Record<string, unknown> = {};
  for (const [name, ask] of Object.entries(driver.asks)) {
    const given = bytes[name];
    const value = given && asLinkWould(ask, given);
    if (value !== undefined) raw[name] = value;
  }
  return raw;
}

/** Answers of the project's own: `fixtures/cgminer/<case>/<ask>.bin`. */
export function cgminerFixture(name: 'idle' | 'usb'): Record<string, Buffer> {
  const folder = join(ROOT, 'fixtures', 'cgminer', name);
  return Object.fromEntries(
    readdirSync(folder).map((file) => [file.replace('.bin', ''), readFileSync(join(folder, file))]),
  );
}
