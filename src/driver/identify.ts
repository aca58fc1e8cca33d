// Finds out what a device is: asks the shared probe questions of atlas section 2 and matches a driver to the answers.
// It sends no login and no command that changes anything, and it caches nothing.
import type { Clock } from '../base/clock.ts';
import { PeerError } from '../base/errors.ts';
import type { ExchangeLimits, ProbeLink, ReadRequest } from '../transport/request.ts';
import type { Driver, Evidence, Identity } from './contract.ts';
import { type EvidenceParts, type Families, isSentToTls, isWebPage } from './family.ts';
import type { LoadedDriver } from './load/loaded-driver.ts';
import type { Family, FamilyPage } from './recognition.ts';

/** `deadlineMs` bounds all questions together. */
type GatherOptions = {
  readonly clock: Clock;
  /** Those that the device may be of. */
  readonly families: Families;
  readonly deadlineMs?: number;
  /** No other try follows: a slow device gets more time. */
  readonly isLastTry?: boolean;
  /** The driver that read it recently: as soon as a family of it shows again, nothing more is asked. */
  readonly expected?: string | undefined;
  readonly signal?: AbortSignal;
};

const CGMINER_PORT = 4028;
const WEB_PORT = 80;
const TLS_PORT = 443;
const WHATSMINER3_PORT = 4433;
const VOLCMINER_PORT = 8359;
/** Ports at which miners are found. */
export const SCAN_PORTS = [WEB_PORT, CGMINER_PORT, WHATSMINER3_PORT] as const;
/** In this order. */
const ASKED_PORTS = [CGMINER_PORT, WEB_PORT, WHATSMINER3_PORT] as const;
type AskedPort = (typeof ASKED_PORTS)[number];
/** Asked only where a host answers and none of the ports above is open: VolcMiners keep their API there. */
export const SIDE_PORTS = [VOLCMINER_PORT] as const;
/** Behind a web server on CGMiner's port: the first that is there. The oldest builds have the second only. */
const EPIC_PAGES = ['/capabilities', '/summary'] as const;
const asPage = (path: string) => ({ via: 'http', method: 'GET', path, auth: 'none', as: 'text' }) as const;
/** The questions of identification. */
export const identifyingQuestions = ({ all }: Families): readonly ReadRequest[] => [
  { via: 'cgminer', command: 'version' },
  { via: 'cgminer', command: 'version', isBare: true },
  { via: 'cgminer', command: 'version', port: VOLCMINER_PORT },
  { via: 'cgminer', command: 'devdetails' },
  { via: 'whatsminer3', cmd: 'get.device.info' },
  ...EPIC_PAGES.map((path) => ({ ...asPage(path), port: CGMINER_PORT })),
  ...['/', '/api/system/info', ...all.flatMap(pagesOf)].flatMap((path) => [
    asPage(path),
    { ...asPage(path), port: TLS_PORT },
  ]),
];
const pagesOf = ({ page }: Family): string[] =>
  page === undefined ? [] : [page.path, ...(page.guarded === undefined ? [] : [page.guarded])];
/** Of one identification with the visit that follows it, in all. */
export const IDENTIFY_DEADLINE_MS = 15_000;
/**
 * How long one question may stay without an answer, ms. What is slower than the first try waits for has another one;
 * `further` holds once a question of this try was not answered, so that a host with several silent ports costs little
 * more than one with a single silent port.
 */
const FIRST_TRY = { deadlineMs: 6_000, patienceMs: 1_500, furtherMs: 1_500 } as const;
const LAST_TRY = { deadlineMs: 10_000, patienceMs: 5_000, furtherMs: 2_500 } as const;

/**
 * Asks what the open ports can answer, one question at a time: a control board answers one client after the other
 * anyway. Asks every port even when one has decided, because third-party firmware keeps the realm and the words of
 * stock: beside a stock answer a silent port is asked once more, until the deadline, and an expected family ends
 * nothing early. Failures of single questions are in `failures`; throws only what a link throws beside PeerError.
 */
export async function gatherEvidence(
  link: ProbeLink,
  openPorts: ReadonlySet<number>,
  options: GatherOptions,
): Promise<{ evidence: Evidence; failures: PeerError[] }> {
  const questions = new Questions(link, openPorts, options);
  await questions.askPorts();
  await questions.askTlsPage();
  await questions.askForBareText();
  await questions.askForFamily();
  await options.families.judge(questions.answers);
  return { evidence: options.families.evidenceOf(questions.answers), failures: questions.failures };
}

class Questions {
  readonly answers: { -readonly [K in keyof EvidenceParts]: EvidenceParts[K] } = {};
  readonly failures: PeerError[] = [];
  readonly #link: ProbeLink;
  readonly #openPorts: ReadonlySet<number>;
  readonly #options: GatherOptions;
  readonly #patience: typeof FIRST_TRY | typeof LAST_TRY;
  readonly #endMs: number;
  /** Ports that left a question without an answer. */
  readonly #silent = new Set<AskedPort>();
  #silences = 0;
  /** A question may take all the time that is left. */
  #isPatient = false;

  constructor(link: ProbeLink, openPorts: ReadonlySet<number>, options: GatherOptions) {
    this.#link = link;
    this.#openPorts = openPorts;
    this.#options = options;
    this.#patience = options.isLastTry ? LAST_TRY : FIRST_TRY;
    this.#endMs = options.clock.monotonicMs() + (options.deadlineMs ?? this.#patience.deadlineMs);
  }

  #shown(): Family | undefined {
    const { families } = this.#options;
    return families.get(families.familyOf(this.answers));
  }

  async askPorts(): Promise<void> {
    const { families, expected, isLastTry } = this.#options;
    for (const port of ASKED_PORTS) {
      if (!this.#openPorts.has(port)) continue;
      const before = this.#silences;
      await this.#askPort(port);
      if (this.#silences > before) this.#silent.add(port);
      const shown = this.#shown();
      if (shown !== undefined && !shown.livesOn && families.isOf(expected, shown.id)) break;
    }
    this.#isPatient = !isLastTry && this.#shown()?.livesOn === true;
    if (this.#isPatient) for (const port of this.#silent) await this.#askPort(port);
  }

  /** A Whatsminer, which sends there too, is read at its own ports: its page is not worth the handshake. */
  async askTlsPage(): Promise<void> {
    const { web, ...others } = this.answers;
    const { families, expected } = this.#options;
    const isWhatsminer = families.mayAnswer('whatsminer3', { family: families.familyOf(others), driverId: expected });
    if (isSentToTls(web) && !isWhatsminer) this.#keep('web', await this.#look('/', TLS_PORT));
  }

  /** Devices that stay silent to JSON may know bare text only. Asked last, so that it takes no port's time. */
  async askForBareText(): Promise<void> {
    if (!this.#silent.has(CGMINER_PORT) || this.answers.version !== undefined) return;
    const { families } = this.#options;
    await families.judge(this.answers);
    if (!families.isAnyProven(this.answers)) this.#keep('version', await this.#askText('version', { isBare: true }));
  }

  /** What the family in question has beside the usual ports: VolcMiner's own port, and pages behind the start page. */
  async askForFamily(): Promise<void> {
    const { answers } = this;
    const { families, expected } = this.#options;
    const family = this.#shown();
    const mayBeOnSidePort = family?.hasSidePort === true || this.#openPorts.has(VOLCMINER_PORT);
    if (answers.version === undefined && mayBeOnSidePort)
      this.#keep('version', await this.#askText('version', { port: VOLCMINER_PORT }));
    // What was read there recently has proved itself already.
    if (families.isOf(expected, family?.id)) return;
    const webPort = answers.web?.tlsKey === undefined ? WEB_PORT : TLS_PORT;
    const mayTellItself = family === undefined || families.mayAnswer('systemInfo', { family: family.id });
    if (mayTellItself && answers.web?.status === 200)
      this.#keep('systemInfo', await this.#look('/api/system/info', webPort));
    const page = family?.page;
    if (page === undefined || !this.#openPorts.has(WEB_PORT)) return;
    await families.judge(answers);
    if (families.isProven(family?.id, answers)) return;
    this.#keep('familyPage', await this.#lookAtFamilyPage(page, webPort));
    if (page.guarded !== undefined && answers.familyPage?.status === 200)
      this.#keep('guardedPage', await this.#look(page.guarded, webPort));
  }

  async #askPort(port: AskedPort): Promise<void> {
    switch (port) {
      case WEB_PORT:
        return this.#keep('web', await this.#look('/'));
      case CGMINER_PORT:
        return this.#askCgminer();
      case WHATSMINER3_PORT: {
        const question = { via: 'whatsminer3', cmd: 'get.device.info' } as const;
        this.#keep('whatsminer3', await this.#attempt((limits) => this.#link.send(question, limits)));
      }
    }
  }

  async #askCgminer(): Promise<void> {
    const version = await this.#askText('version');
    if (version === undefined) return;
    if (isWebPage(version)) return this.#askEpic();
    this.#keep('version', version);
    const { families } = this.#options;
    if (!families.isProven(families.tcpFamily(version, undefined), { version }))
      this.#keep('devdetails', await this.#askText('devdetails'));
  }

  async #askEpic(): Promise<void> {
    for (const path of EPIC_PAGES) {
      const page = await this.#look(path, CGMINER_PORT);
      this.#keep('api4028', page);
      if (page?.status !== 404) return;
    }
  }

  #lookAtFamilyPage({ path, port, headers }: FamilyPage, webPort: number) {
    if (headers === undefined) return this.#look(path, port ?? webPort);
    const request = { ...asPage(path), port: port ?? webPort, headers };
    return this.#attempt(async (limits) => ({ status: 200, body: String(await this.#link.send(request, limits)) }));
  }

  #askText(command: string, more: { readonly port?: number; readonly isBare?: true } = {}) {
    return this.#attempt((limits) => this.#link.sendRaw({ via: 'cgminer', command, ...more }, limits));
  }

  #look(path: string, port?: number) {
    return this.#attempt((limits) => this.#link.look(path, { ...limits, ...(port !== undefined && { port }) }));
  }

  #keep<K extends keyof EvidenceParts>(name: K, answer: EvidenceParts[K]): void {
    if (answer !== undefined) this.answers[name] = answer;
  }

  /** Undefined where the device does not answer in time, or refuses. */
  async #attempt<T>(question: (limits: ExchangeLimits) => Promise<T>): Promise<T | undefined> {
    const { clock, signal } = this.#options;
    const leftMs = this.#endMs - clock.monotonicMs();
    if (leftMs <= 0) return undefined;
    const { patienceMs, furtherMs } = this.#patience;
    const mostMs = this.#isPatient ? leftMs : this.#silences === 0 ? patienceMs : furtherMs;
    try {
      return await question({ deadlineMs: Math.min(leftMs, mostMs), ...(signal && { signal }) });
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      if (error.code === 'peer.timeout') this.#silences++;
      this.failures.push(error);
      return undefined;
    }
  }
}

/** A whole CGMiner answer is a proof, of less than a family; a hint is none. */
const SUREST_FIRST: readonly Identity['confidence'][] = ['sure', 'generic', 'likely'];

export type DriverMatch<D = LoadedDriver> = { readonly driver: D; readonly identity: Identity };

/** The driver that recognises the device: the surest one, then the order of the list decides. */
export function matchDriver(drivers: readonly Driver[], evidence: Evidence): DriverMatch<Driver> | undefined {
  return surestOf(drivers.map((driver) => ({ driver, identity: driver.identify(evidence) })));
}

/** The same where some drivers answer later. */
export async function matchLoaded(
  drivers: readonly LoadedDriver[],
  evidence: Evidence,
): Promise<DriverMatch | undefined> {
  const asked = drivers.map((driver) => ({ driver, identity: driver.identify(evidence) }));
  return surestOf(await Promise.all(asked.map(async ({ driver, identity }) => ({ driver, identity: await identity }))));
}

function surestOf<D>(
  answers: readonly { readonly driver: D; readonly identity: Identity | undefined }[],
): DriverMatch<D> | undefined {
  const claims = answers.flatMap(({ driver, identity }) => (identity === undefined ? [] : [{ driver, identity }]));
  const surest = SUREST_FIRST.find((level) => claims.some(({ identity }) => identity.confidence === level));
  return claims.find(({ identity }) => identity.confidence === surest);
}
