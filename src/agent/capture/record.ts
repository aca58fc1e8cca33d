// Records the answers of one device, for the author of a driver: the shared questions, then each ask of its driver (of
// all drivers, without a login, for an unknown device). It only reads, one question at a time, and returns no secrets.
import pLimit from 'p-limit';
import { drivers } from '../../../drivers/index.ts';
import { systemClock } from '../../base/clock.ts';
import { PeerError } from '../../base/errors.ts';
import { silentLog } from '../../base/log.ts';
import { VERSION } from '../../base/version.ts';
import type { Ask, Known } from '../../driver/contract.ts';
import { gatherEvidence, SCAN_PORTS, SIDE_PORTS } from '../../driver/identify.ts';
import { DriverSet } from '../../driver/load/driver-set.ts';
import type { LoadedDriver } from '../../driver/load/loaded-driver.ts';
import type { PrivateKind } from '../../driver/redact.ts';
import { mayCarryLogin, readAnswers } from '../../driver/visit/visit.ts';
import type { Reading } from '../../model/reading.ts';
import { repairJson } from '../../transport/cgminer/json-fixer.ts';
import type { MinerLink, ProbeLink } from '../../transport/request.ts';
import type { RecordedAnswer } from '../../transport/tcp/recorder.ts';
import { createDeviceClient, type DeviceSettings, knownFrom, type TrustSources } from '../device/device-client.ts';
import { type Asked, type Case, caseName, describeRequest, type Exchange, fileName, requestKey } from './case.ts';
import { GENERIC_DRIVER } from './look.ts';
import { createPlaceholders } from './placeholders.ts';

export type Capture = {
  readonly case: Case;
  /** Text of each file by its name, redacted. Written as Latin-1 it gives the bytes of the device. */
  readonly files: ReadonlyMap<string, string>;
  /** Undefined for a device that no driver knows. */
  readonly driver: string | undefined;
  readonly isLoginRefused: boolean;
};

const PORTS: readonly number[] = [...SCAN_PORTS, ...SIDE_PORTS];
/** Requests to one device, all together. */
const MAX_REQUESTS = 96;
const ASK_DEADLINE_MS = 10_000;
const PROBE_TIMEOUT_MS = 1_500;
/** Between two requests: small control boards have few sockets. */
const GAP_MS = 50;

type RunAlone = <T>(question: () => Promise<T>) => Promise<T>;
type Recorder = <T>(about: Asked, question: () => Promise<T>) => Promise<T>;

type Raw = Omit<Exchange, 'file' | 'failure'> & { readonly bytes: Buffer; readonly failure?: string };

type CaptureOptions = {
  readonly config: DeviceSettings;
  readonly trust: TrustSources;
  readonly ip: string;
  /** Absent = those of the program. */
  readonly inUse?: DriverSet;
  readonly alone?: RunAlone;
};

/**
 * Undefined when nothing answers. `alone` runs a question under the device mutex; absent = nothing else uses the
 * device.
 */
export async function captureOnce(
  { config, trust, ip, inUse = new DriverSet(drivers), alone = (question) => question() }: CaptureOptions,
  onProgress: (done: number, total: number, note: string) => void,
  signal: AbortSignal,
): Promise<Capture | undefined> {
  const heard: RecordedAnswer[] = [];
  const client = createDeviceClient({
    ...{
      clock: systemClock,
      log: silentLog,
      drivers: inUse,
      config,
      trust,
      mayReach: (other: string) => other === ip,
    },
    recorder: (answer) => void heard.push(answer),
  });
  const raws: Raw[] = [];
  let done = 0;
  let total = PORTS.length + 2;
  const step = (note: string) => onProgress(++done, Math.max(total, done), note);

  /** Runs one question alone and records the answer. A failure is recorded and rethrown. */
  const oneAtATime = pLimit(1);
  const record: Recorder = (about, question) =>
    oneAtATime(async () => {
      if (raws.length >= MAX_REQUESTS) throw new PeerError('peer.busy', `capture ${ip}: enough is recorded`, 'later');
      await systemClock.sleep(GAP_MS, signal);
      let failure: string | undefined;
      try {
        return await alone(() => {
          heard.length = 0;
          return question();
        });
      } catch (error) {
        failure = error instanceof PeerError ? error.code : undefined;
        throw error;
      } finally {
        raws.push(toRaw(about, heard, failure));
        step(about.ask ?? String(about.send?.command ?? about.send?.cmd ?? about.path));
      }
    });

  try {
    const ports: Record<string, string> = {};
    for (const port of PORTS) {
      ports[port] = await alone(() => client.transport.probe(ip, port, PROBE_TIMEOUT_MS, signal));
      step(`port ${port}`);
    }
    const open = new Set(PORTS.filter((port) => ports[port] === 'open'));
    if (open.size === 0) return undefined;

    const probeLink = recording(client.transport.link(ip), record);
    const { evidence } = await gatherEvidence(probeLink, open, {
      ...{ clock: systemClock, families: client.drivers.families, signal, isLastTry: true, deadlineMs: 15_000 },
    });
    const choice = await alone(() => client.selectDriver(ip, evidence, signal));
    const known = choice === undefined ? {} : knownFrom(choice.identity);
    const driver = choice?.driver;
    // A device without proof of its family gets only the generic questions.
    const isMiner = choice !== undefined && (await client.isLasting(ip, choice, evidence));
    const isStranger = driver === undefined || driver.id === GENERIC_DRIVER || !isMiner;
    const target = driver && client.targetOf(ip, driver.id, known);
    const link = target === undefined || isStranger ? client.transport.link(ip) : client.linkFor(target);
    const questions = isStranger
      ? [...askedOf(isMiner ? driver : undefined, {}), ...genericQuestions(open)]
      : askedOf(driver, known);
    total = done + questions.length;
    let isLoginRefused = false;
    for (const { name, ask } of questions) {
      const about = { ...describeRequest(ask), ask: name, every: ask.every };
      try {
        await record(about, () => link.send(ask, { deadlineMs: ASK_DEADLINE_MS, signal }));
      } catch (error) {
        if (!(error instanceof PeerError)) throw error;
        isLoginRefused ||= error.code === 'peer.auth' && mayCarryLogin(ask);
      }
    }
    return { ...(await toCapture(raws, ports, driver, known, client.secrets())), driver: driver?.id, isLoginRefused };
  } finally {
    await client.close();
  }
}

type Question = { readonly name: string; readonly ask: Ask };

/** Every ask of the driver for this generation, substitutes included: an author wants to see them all. */
const askedOf = (driver: LoadedDriver | undefined, { generation }: Known): Question[] =>
  Object.entries(driver?.asks ?? {})
    .filter(([, ask]) => ask.generations === undefined || !generation || ask.generations.includes(generation))
    .map(([name, ask]) => ({ name, ask }));

/** What the drivers ask at these ports without a login: commands that read, pages that are fetched. Each once. */
function genericQuestions(open: ReadonlySet<number>): Question[] {
  const seen = new Set(
    askedOf(
      drivers.find(({ id }) => id === GENERIC_DRIVER),
      {},
    ).map(({ ask }) => requestKey(ask)),
  );
  return drivers.flatMap((driver) =>
    askedOf(driver, {}).flatMap(({ name, ask }) => {
      const { port } = describeRequest(ask);
      const isFree = ask.via === 'http' ? ask.auth === 'none' && ask.method === 'GET' : !('carry' in ask);
      const key = requestKey(ask);
      if (!isFree || !open.has(port) || seen.has(key)) return [];
      seen.add(key);
      return [{ name: `${driver.id}.${name}`, ask }];
    }),
  );
}

/** The link, with each question recorded as one of the shared ones. */
function recording(link: ProbeLink, record: Recorder): ProbeLink {
  const send: MinerLink['send'] = (request, limits) => {
    if (request.via === 'whatsminer2-write' || request.via === 'whatsminer3-write') return link.send(request, limits);
    return record(describeRequest(request), () => link.send(request, limits));
  };
  return {
    ip: link.ip,
    send,
    sendRaw: (request, limits) => record(describeRequest(request), () => link.sendRaw(request, limits)),
    look: (path, limits) =>
      record({ transport: 'http', port: limits?.port ?? 80, method: 'GET', path }, () => link.look(path, limits)),
  };
}

/** The last answer is the one to the question; a challenge or a login may come before it. */
function toRaw(about: Asked, heard: readonly RecordedAnswer[], failure?: string): Raw {
  const last = heard.findLast(({ path }) => about.transport !== 'http' || path !== undefined);
  const headers = Object.assign({}, ...heard.map((answer) => headersOf(answer)));
  const bytes = last?.bytes ?? Buffer.alloc(0);
  return {
    ...about,
    ...(last?.status !== undefined && { status: last.status }),
    ...(Object.keys(headers).length > 0 && { headers }),
    elapsedMs: Math.round(heard.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0)),
    bytes: about.transport === 'whatsminer-v3' ? bytes.subarray(4) : bytes,
    ...(failure !== undefined && { failure }),
  };
}

const HEADERS = ['content-type', 'location', 'server', 'www-authenticate'] as const;

/** Headers that tell a firmware; of a challenge only what is not of one moment. */
function headersOf({ headers = {} }: RecordedAnswer): Record<string, string> {
  return Object.fromEntries(
    HEADERS.flatMap((name) => {
      const value = [headers[name] ?? []].flat().join(', ').slice(0, 512);
      return value === '' ? [] : [[name, value.replaceAll(/,?\s*(c?nonce|opaque)="[^"]*"/g, '')]];
    }),
  );
}

async function toCapture(
  raws: readonly Raw[],
  ports: Readonly<Record<string, string>>,
  driver: LoadedDriver | undefined,
  known: Known,
  secrets: readonly string[],
): Promise<Pick<Capture, 'case' | 'files'>> {
  const factory = driver?.login.factoryDefault?.password;
  const placeholders = createPlaceholders({
    publicWords: ['miner', ...drivers.flatMap(({ id, make }) => [make, id])],
    secrets: secrets.filter((secret) => secret !== factory),
  });
  const texts = raws.map(({ bytes }) => bytes.toString('latin1'));
  const plain = Object.fromEntries(
    raws.flatMap(({ ask, failure }, index) =>
      ask === undefined || failure !== undefined ? [] : [[ask, asAnswered(driver?.asks[ask], texts[index] ?? '')]],
    ),
  );
  const readFrom = async (answers: Readonly<Record<string, unknown>>) =>
    driver && (await readAnswers(driver, answers, known)).reading;
  for (const [kind, original] of privateParts((await readFrom(plain)) ?? {})) placeholders.know(kind, original);
  for (const text of texts) placeholders.learn(text);
  const hideAll = (own: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(own).map(([name, text]) => [name, placeholders.hide(text)]));
  const taken = new Set<string>(['case.json']);
  const files = new Map<string, string>();
  const answers: Record<string, unknown> = {};
  const responses = raws.map(({ bytes: _, headers, ...exchange }, index): Exchange => {
    const text = placeholders.hide(texts[index] ?? '');
    const file = fileName(exchange, text, taken);
    files.set(file, text);
    const { ask, failure } = exchange;
    if (ask !== undefined && failure === undefined) answers[ask] = asAnswered(driver?.asks[ask], text);
    return { ...exchange, file, ...(headers && { headers: hideAll(headers) }) };
  });
  const reading = await readFrom(answers);
  const { make, model, firmwareVersion } = { ...known, ...reading };
  return {
    files,
    case: {
      id: caseName(make ?? driver?.make, model, firmwareVersion),
      firmware: driver?.id ?? 'unknown',
      make: make ?? null,
      model: model ?? null,
      firmwareVersion: firmwareVersion ?? null,
      known: hideAll({ ...known }),
      capturedBy: `pithead ${VERSION}`,
      ports,
      responses,
      expect: {},
      read: reading ?? null,
    },
  };
}

/** What the driver read as private, whatever its key is called. */
function privateParts(reading: Reading): [PrivateKind, string][] {
  const { mac, serialNumber, controllerSerialNumber, hostname, boards = [], psus = [], pools = [] } = reading;
  const serials = [serialNumber, controllerSerialNumber, ...[...boards, ...psus].map((part) => part.serialNumber)];
  const parts: [PrivateKind, string | undefined][] = [
    ['mac', mac],
    ['host', hostname],
    ...serials.map((serial): [PrivateKind, string | undefined] => ['serial', serial]),
    ...pools.flatMap(({ url, user }): [PrivateKind, string | undefined][] => [
      ['url', url],
      ['host', url.match(/\/\/(?:[^/@]*@)?([^/:]+)/)?.[1]],
      ['worker', user],
    ]),
  ];
  return parts.flatMap(([kind, part]) => (part === undefined || part === '' ? [] : [[kind, part]]));
}

/** As the link would have handed it to the driver. */
function asAnswered(ask: Ask | undefined, text: string): unknown {
  const bytes = Buffer.from(text, 'latin1');
  return ask?.via === 'http' && ask.as === 'text' ? bytes.toString('utf8') : repairJson(bytes)?.value;
}
