// `npm run bench -- clients`: lets two foreign clients, pyasic and asic-rs, read every simulated device over its real
// ports, and prints what they and our driver read beside the device's truth. Each difference has a known reason, else
// the exit code is 1. Ports below 1024: run as root.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import type { Device } from '../../fixtures/farm/farm.ts';
import { canBind } from '../../fixtures/farm/ports.ts';
import { type Client, type Compared, type Difference, differencesOf, type Judged, judge } from './clients/compare.ts';
import { DIFFERENCES } from './clients/differences.data.ts';
import { type Facts, FIELDS, type Field, factsOfTruth, type Value } from './clients/facts.ts';
import { type ClientReading, parseAsicRs, parsePyasic } from './clients/parse.ts';
import { DEFAULT_FOLDER, missingIn, type Program, prepare, programsIn } from './clients/prepare.ts';
import { FAMILIES, namesOf, ourReader, startSite } from './clients/site.ts';
import { print } from './figures.ts';

const CLIENTS = ['ours', 'pyasic', 'asic-rs'] as const satisfies readonly Client[];
const EXIT_NOT_READY = 2;
/** Programs of one client that read at the same time, each its own devices. */
const WIDTH = 3;
const LINE_WIDTH = 44;
/** Families without a login from the factory: asic-rs is told the one that the owner set. */
const OWNED: ReadonlySet<string> = new Set(['proto']);

export async function benchClients(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      prepare: { type: 'boolean', default: false },
      folder: { type: 'string', default: DEFAULT_FOLDER },
      only: { type: 'string' },
      quiet: { type: 'boolean', default: false },
    },
  });
  if (values.prepare && !prepare(values.folder)) return notReady('The clients could not be installed; see above.');
  const missing = missingIn(values.folder);
  if (missing.length > 0)
    return notReady(
      `Not installed: ${missing.join(', ')}. Run 'npm run bench -- clients --prepare' once: it needs python3, cargo and their registries.`,
    );
  if ((await canBind(80)) !== 'yes')
    return notReady('The clients ask port 80 of loopback addresses, and this user may not listen there: run as root.');
  const families = values.only?.split(',') ?? FAMILIES;
  const devices = await readAll(families, values.folder);
  const judged = judge(
    devices.flatMap(({ differences }) => differences),
    DIFFERENCES,
    devices.flatMap(({ compared }) => compared),
  );
  if (!values.quiet) for (const device of devices) print(tableOf(device, judged));
  printResult(devices, judged);
}

function notReady(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = EXIT_NOT_READY;
}

type DeviceResult = {
  readonly device: Device;
  readonly truth: Facts;
  readonly readings: Readonly<Record<Client, ClientReading>>;
  readonly compared: readonly Compared[];
  readonly differences: readonly Difference[];
};

async function readAll(families: readonly string[], folder: string): Promise<DeviceResult[]> {
  const farm = await startSite(families);
  const ours = ourReader();
  const names = namesOf(farm.devices.map(({ family, spec }) => ({ family, model: spec.model })));
  try {
    const own = new Map<string, ClientReading>();
    for (const device of farm.devices) own.set(device.ip, await ours.read(device));
    const programs = programsIn(folder);
    const ips = farm.devices.map(({ ip }) => ip);
    // Not at the same time: a device that serves one connection refuses the other client, and the table would change
    // from run to run.
    const pyasic = await readWith(programs.pyasic, ips, parsePyasic);
    const asicRs = await readWith(programs['asic-rs'], farm.devices.map(withLogin), parseAsicRs);
    return farm.devices.map((device, index) => {
      const of = (all: ReadonlyMap<string, ClientReading>) => all.get(device.ip) ?? { ip: device.ip, error: 'no line' };
      return resultOf(device, names[index] ?? '', {
        ours: of(own),
        pyasic: of(pyasic),
        'asic-rs': of(asicRs),
      });
    });
  } finally {
    await ours.close();
    await farm.stop();
  }
}

const withLogin = ({ ip, family, login }: Device): string =>
  login !== undefined && OWNED.has(family) ? `${ip}=${login.user}:${login.password}` : ip;

function resultOf(device: Device, model: string, readings: Readonly<Record<Client, ClientReading>>): DeviceResult {
  const truth = factsOfTruth(device.truth());
  const compared = CLIENTS.map((client) => ({ client, kind: device.family, model }));
  const differences = compared.flatMap((each) => differencesOf(each, readings[each.client].facts, truth));
  return { device, truth, readings, compared, differences };
}

async function readWith(
  { file, args }: Program,
  targets: readonly string[],
  parse: (line: string) => ClientReading,
): Promise<Map<string, ClientReading>> {
  const read = new Map<string, ClientReading>();
  const one = async (nth: number) => {
    const part = targets.filter((_, index) => index % WIDTH === nth);
    if (part.length === 0) return;
    const child = spawn(file, [...args, ...part], { stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = new Promise((resolve) => child.once('close', resolve));
    for await (const line of createInterface({ input: child.stdout })) {
      const reading = parse(line);
      read.set(reading.ip, reading);
    }
    await ended;
  };
  await Promise.all(Array.from({ length: WIDTH }, (_, nth) => one(nth)));
  return read;
}

const keyOf = (client: Client, field: Field) => `${client} ${field}`;

/** `=` where a client reads the truth; a number points at the reason under the table, `?` has none. */
function tableOf({ device, truth, readings, compared, differences }: DeviceResult, judged: Judged): string {
  const table = new Table({ head: ['', 'truth', ...CLIENTS], style: { head: [], border: [] } });
  const reasons: string[] = [];
  const mine = new Set(differences);
  const marks = new Map<string, string>();
  for (const { difference, reason } of judged.explained) {
    if (!mine.has(difference)) continue;
    if (!reasons.includes(reason)) reasons.push(reason);
    const fields = difference.field === 'device' ? FIELDS : [difference.field];
    for (const field of fields) marks.set(keyOf(difference.client, field), String(reasons.indexOf(reason) + 1));
  }
  for (const difference of judged.unexplained) {
    if (!mine.has(difference)) continue;
    const fields = difference.field === 'device' ? FIELDS : [difference.field];
    for (const field of fields) marks.set(keyOf(difference.client, field), '?');
  }
  const cell = (client: Client, field: Field) => {
    const mark = marks.get(keyOf(client, field));
    return mark === undefined ? '=' : `${shown(field, readings[client].facts?.[field] ?? null)} [${mark}]`;
  };
  for (const field of FIELDS) {
    if (truth[field] === null && CLIENTS.every((client) => cell(client, field) === '=')) continue;
    table.push([field, shown(field, truth[field]), ...CLIENTS.map((client) => cell(client, field))]);
  }
  const errors = compared.flatMap(({ client }) => {
    const { error } = readings[client];
    return error === undefined ? [] : [`${client}: ${error.slice(0, 200)}`];
  });
  const notes = [...errors, ...reasons.map((reason, index) => `[${index + 1}] ${reason}`)];
  return [`${device.family} ${device.spec.model} at ${device.ip}`, table.toString(), ...notes, ''].join('\n');
}

function shown(field: Field, value: Value): string {
  if (value === null) return '-';
  if (Array.isArray(value)) return cut(value.map((each) => shown(field, each)).join(' '));
  if (typeof value === 'number' && field.includes('rate')) return `${Number((value / 1e9).toPrecision(6))} GH/s`;
  return typeof value === 'number' ? String(Number(value.toFixed(2))) : cut(String(value));
}

const cut = (text: string) => (text.length > LINE_WIDTH ? `${text.slice(0, LINE_WIDTH - 1)}…` : text);

function printResult(devices: readonly DeviceResult[], { explained, unexplained, needless }: Judged): void {
  for (const { client, how, field, kind, model, read, truth } of unexplained)
    print(
      `no reason: ${client} ${how} '${field}' of ${kind}/${model}: ${JSON.stringify(read)} for ${JSON.stringify(truth)}`,
    );
  for (const line of needless) print(`needless reason: ${line}`);
  for (const client of CLIENTS) {
    const read = devices.filter(({ readings }) => readings[client].facts !== undefined).length;
    const differ = devices.flatMap(({ differences }) => differences).filter((each) => each.client === client).length;
    print(`${client}: ${read} of ${devices.length} devices read, ${differ} differences`);
  }
  print(
    `${explained.length} differences with a reason, ${unexplained.length} without, ${needless.length} reasons needless`,
  );
  if (unexplained.length + needless.length > 0) process.exitCode = 1;
}
