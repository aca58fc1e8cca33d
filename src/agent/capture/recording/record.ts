// Records the answers of one device, for the author of a driver: the shared questions, then each ask of its driver (of
// all drivers, for an unknown device), then what a person named. It only reads, one question at a time, and returns no
// secrets.
import pLimit from 'p-limit';
import { drivers } from '../../../../drivers/index.ts';
import { systemClock } from '../../../base/clock.ts';
import { PeerError } from '../../../base/errors.ts';
import { silentLog } from '../../../base/log.ts';
import { Secret } from '../../../base/secrets.ts';
import type { Case } from '../../../case/format.ts';
import { type LoginWall, loginWallOf } from '../../../case/login-wall.ts';
import type { Driver, Evidence, Known } from '../../../driver/contract.ts';
import { gatherEvidence, SCAN_PORTS, SIDE_PORTS } from '../../../driver/identify.ts';
import { mayCarryLogin } from '../../../driver/visit/visit.ts';
import type { Login, MinerLink, ProbeLink } from '../../../transport/request.ts';
import type { RecordedAnswer } from '../../../transport/tcp/recorder.ts';
import {
  createDeviceClient,
  type DeviceClient,
  type DeviceSettings,
  knownFrom,
  type TrustSources,
} from '../../device/device-client.ts';
import { newTrial, withTrial } from '../../device/login-attempts.ts';
import { GENERIC_DRIVER } from '../look.ts';
import { readAlso } from './also.ts';
import { type Asked, describeRequest } from './case.ts';
import { type Question, questionsFor } from './questions.ts';
import { loginOf, sessionIn } from './session-login.ts';
import { type Raw, toCase, toRaw } from './to-case.ts';

export type Capture = {
  readonly case: Case;
  /** Text of each file by its name, redacted. Written as Latin-1 it gives the bytes of the device. */
  readonly files: ReadonlyMap<string, string>;
  /** Undefined for a device that no driver knows. */
  readonly driver: string | undefined;
  readonly isLoginRefused: boolean;
  /** It asks for a login, as far as that shows; undefined where one was sent and taken. */
  readonly loginWall?: LoginWall | undefined;
};

/** What a person asks for. */
export type CaptureRequest = {
  readonly ip: string;
  /** Requests beside those that the drivers know, see also.ts. */
  readonly also?: readonly string[];
  /** Sent where the device asks for one, in place of the one that is configured. It is tried once. */
  readonly login?: { readonly user: string; readonly password: string };
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

type CaptureOptions = CaptureRequest & {
  readonly config: DeviceSettings;
  readonly trust: TrustSources;
  /** The driver that is asked for, whatever the device shows: one that is being written. */
  readonly driver?: Driver | undefined;
  readonly alone?: RunAlone;
};

/**
 * Undefined when nothing answers. `alone` runs a question under the device mutex; absent = nothing else uses the
 * device. Throws ConfigError where `also` is wrong.
 */
export async function captureOnce(
  options: CaptureOptions,
  onProgress: (done: number, total: number, note: string) => void,
  signal: AbortSignal,
): Promise<Capture | undefined> {
  const { config, trust, ip, alone = (question) => question() } = options;
  const also = readAlso(options.also ?? []);
  const heard: RecordedAnswer[] = [];
  const all = options.driver === undefined ? drivers : [options.driver, ...drivers];
  const client = createDeviceClient({
    ...{ clock: systemClock, log: silentLog, drivers: all, config, trust, mayReach: (other: string) => other === ip },
    recorder: (answer) => void heard.push(answer),
  });
  const progress = createProgress(onProgress);
  const tape = createTape({ ip, heard, alone, onAsked: progress.step, signal });
  try {
    const ports = await probePorts(client, options, alone, progress.step, signal);
    const open = new Set(PORTS.filter((port) => ports[port] === 'open'));
    if (open.size === 0) return undefined;
    const probeLink = recording(client.transport.link(ip), tape.record);
    const { evidence } = await gatherEvidence(probeLink, open, {
      ...{ clock: systemClock, families: client.families, signal, isLastTry: true, deadlineMs: 15_000 },
    });
    const found = await alone(() => recognise(client, options, evidence, signal));
    const questions = questionsFor({ ...found, open, also, evidence, hasLogin: options.login !== undefined });
    progress.expect(questions.length);
    const link = linkFor(client, options, found, evidence);
    const isLoginRefused = await askAll(questions, link, tape, signal);
    const { driver, known } = found;
    const secrets = [...client.secrets(), ...tape.secrets, ...(options.login ? [options.login.password] : [])];
    const recorded = await toCase({ raws: tape.raws, ports, driver, known, secrets });
    const loginWall = loginWallOf(recorded.case.responses, (file) => recorded.files.get(file));
    return { ...recorded, driver: driver?.id, isLoginRefused, loginWall };
  } finally {
    await client.close();
  }
}

function createProgress(onProgress: (done: number, total: number, note: string) => void) {
  let done = 0;
  let total = PORTS.length + 2;
  return {
    step: (note: string) => onProgress(++done, Math.max(total, done), note),
    expect(more: number): void {
      total = done + more;
    },
  };
}

async function probePorts(
  client: DeviceClient,
  { ip }: CaptureOptions,
  alone: RunAlone,
  onProbed: (note: string) => void,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const ports: Record<string, string> = {};
  for (const port of PORTS) {
    ports[port] = await alone(() => client.transport.probe(ip, port, PROBE_TIMEOUT_MS, signal));
    onProbed(`port ${port}`);
  }
  return ports;
}

type Recognised = { readonly driver: Driver | undefined; readonly known: Known; readonly isStranger: boolean };

/** A device without proof of its family counts as a stranger: it gets only the generic questions. */
async function recognise(
  client: DeviceClient,
  { ip, driver: wanted }: CaptureOptions,
  evidence: Evidence,
  signal: AbortSignal,
): Promise<Recognised> {
  if (wanted !== undefined) {
    const identity = await wanted.identify(evidence);
    return { driver: wanted, known: identity === undefined ? {} : knownFrom(identity), isStranger: false };
  }
  const choice = await client.selectDriver(ip, evidence, signal);
  const known = choice === undefined ? {} : knownFrom(choice.identity);
  const isMiner = choice !== undefined && client.isLasting(ip, choice, evidence);
  const driver = choice?.driver;
  return { driver, known, isStranger: driver === undefined || driver.id === GENERIC_DRIVER || !isMiner };
}

/** With the login that a person gave for this device, else with the one that the rules allow. */
function linkFor(client: DeviceClient, options: CaptureOptions, found: Recognised, evidence: Evidence): MinerLink {
  const { ip, login: given } = options;
  const { driver, known, isStranger } = found;
  if (given !== undefined) {
    const login: Login = { user: given.user, password: new Secret(given.password) };
    return withTrial(client.transport.link(ip, login, evidence.web?.tlsKey), newTrial());
  }
  const target = driver && !isStranger ? client.targetOf(ip, driver.id, known) : undefined;
  return target === undefined ? client.transport.link(ip, undefined, evidence.web?.tlsKey) : client.linkFor(target);
}

/** Whether a login was refused. */
async function askAll(
  questions: readonly Question[],
  link: MinerLink,
  tape: Tape,
  signal: AbortSignal,
): Promise<boolean> {
  let isLoginRefused = false;
  for (const { name, ask, every } of questions) {
    const about = { ...describeRequest(ask), ask: name, ...(every !== undefined && { every }) };
    try {
      await tape.record(about, () => link.send(ask, { deadlineMs: ASK_DEADLINE_MS, signal }), sessionIn(ask));
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      isLoginRefused ||= error.code === 'peer.auth' && mayCarryLogin(ask);
    }
  }
  return isLoginRefused;
}

type Tape = ReturnType<typeof createTape>;

/** Runs one question at a time and keeps each answer. A failure is kept and rethrown. */
function createTape(parts: {
  readonly ip: string;
  /** What was answered since it was last emptied. */
  readonly heard: RecordedAnswer[];
  readonly alone: RunAlone;
  readonly onAsked: (note: string) => void;
  readonly signal: AbortSignal;
}) {
  const { ip, heard, alone, onAsked, signal } = parts;
  const raws: Raw[] = [];
  const secrets: string[] = [];
  const oneAtATime = pLimit(1);
  return {
    raws,
    /** Tokens and cookies that the device handed out. */
    secrets,
    record: <T>(about: Asked, question: () => Promise<T>, session?: ReturnType<typeof sessionIn>): Promise<T> =>
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
          const login = session && (await loginOf(session, about, heard));
          if (login !== undefined) {
            raws.push(login.raw);
            secrets.push(...login.grants);
          }
          raws.push(toRaw(about, heard, failure));
          onAsked(about.ask ?? String(about.send?.command ?? about.send?.cmd ?? about.path));
        }
      }),
  };
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
