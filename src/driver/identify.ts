// Finds out what a device is: asks the shared probe questions of atlas section 2, names the firmware family, picks the driver.
// It sends no login and no command that changes anything, and it keeps nothing: who caches the decision is the caller.
import type { Clock } from '../base/clock.ts';
import { PeerError } from '../base/errors.ts';
import type { ExchangeLimits, ProbeLink, ReadRequest } from '../transport/request.ts';
import type { Driver, Evidence, Identity } from './contract.ts';
import { FAMILY_PAGES, type FamilyId, TCP_WORDS, WEB_RULES, type WebRule } from './families.data.ts';
import { isProven } from './proof.ts';

/** `deadlineMs` bounds all questions together. */
type GatherOptions = {
  readonly clock: Clock;
  readonly deadlineMs?: number;
  /** Nobody will ask again: a slow device gets all the patience there is. */
  readonly isLastTry?: boolean;
  /** The family that was read there recently: as soon as that shows again, nothing more is asked. */
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
/** Asked only where a host answers and none of the ports above is open: VolcMiners keep their API there. */
export const SIDE_PORTS = [VOLCMINER_PORT] as const;
const PAGES = [
  '/',
  '/api/system/info',
  ...FAMILY_PAGES.flatMap(({ path, guarded }) => [path, ...(guarded ? [guarded] : [])]),
];
/** Behind a web server on CGMiner's port: the first that is there. The oldest builds have the second only. */
const EPIC_PAGES = ['/capabilities', '/summary'] as const;
const asPage = (path: string) => ({ via: 'http', method: 'GET', path, auth: 'none', as: 'text' }) as const;
/** The questions of identification. */
export const IDENTIFYING: readonly ReadRequest[] = [
  { via: 'cgminer', command: 'version' },
  { via: 'cgminer', command: 'version', isBare: true },
  { via: 'cgminer', command: 'version', port: VOLCMINER_PORT },
  { via: 'cgminer', command: 'devdetails' },
  { via: 'whatsminer3', cmd: 'get.device.info' },
  ...EPIC_PAGES.map((path) => ({ ...asPage(path), port: CGMINER_PORT })),
  ...PAGES.flatMap((path) => [asPage(path), { ...asPage(path), port: TLS_PORT }]),
];
/** Of one identification with the visit that follows it, in all. */
export const IDENTIFY_DEADLINE_MS = 15_000;
/**
 * How long one question may stay without an answer, ms. What is slower than the first try waits for has another one; `further` holds once a question
 * of this try was not answered, so that a host with several silent ports costs little more than one with a single silent port.
 */
const FIRST_TRY = { deadlineMs: 6_000, patienceMs: 1_500, furtherMs: 1_500 } as const;
const LAST_TRY = { deadlineMs: 10_000, patienceMs: 5_000, furtherMs: 2_500 } as const;

/**
 * Asks what the open ports can answer, one question at a time: a control board answers one client after the other anyway. Asks every port even when
 * one has decided, because third-party firmware keeps the stock realm and the stock words: a stock answer counts only beside the others, so beside
 * one a silent port is asked once more, until the deadline, and an expected one ends nothing early. Failures of single questions are in `failures`;
 * throws only what a link throws beside PeerError.
 */
export async function gatherEvidence(
  link: ProbeLink,
  openPorts: ReadonlySet<number>,
  options: GatherOptions,
): Promise<{ evidence: Evidence; failures: PeerError[] }> {
  const { clock, signal } = options;
  const { patienceMs, furtherMs, ...usual } = options.isLastTry ? LAST_TRY : FIRST_TRY;
  const endMs = clock.monotonicMs() + (options.deadlineMs ?? usual.deadlineMs);
  const failures: PeerError[] = [];
  const answers: { -readonly [K in keyof EvidenceParts]: EvidenceParts[K] } = {};
  let silences = 0;
  let isPatient = false;

  const attempt = async <T>(question: (limits: ExchangeLimits) => Promise<T>): Promise<T | undefined> => {
    const leftMs = endMs - clock.monotonicMs();
    if (leftMs <= 0) return undefined;
    const mostMs = isPatient ? leftMs : silences === 0 ? patienceMs : furtherMs;
    try {
      return await question({ deadlineMs: Math.min(leftMs, mostMs), ...(signal && { signal }) });
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      if (error.code === 'peer.timeout') silences++;
      failures.push(error);
      return undefined;
    }
  };
  const keep = <K extends keyof EvidenceParts>(name: K, answer: EvidenceParts[K]) => {
    if (answer !== undefined) answers[name] = answer;
  };
  const askText = (command: string, more: { readonly port?: number; readonly isBare?: true } = {}) =>
    attempt((limits) => link.sendRaw({ via: 'cgminer', command, ...more }, limits));
  const look = (path: string, port?: number) =>
    attempt((limits) => link.look(path, { ...limits, ...(port !== undefined && { port }) }));

  const lookAt = ({ path, port, headers }: (typeof FAMILY_PAGES)[number], webPort: number) => {
    if (headers === undefined) return look(path, port ?? webPort);
    const request = { ...asPage(path), port: port ?? webPort, headers };
    return attempt(async (limits) => ({ status: 200, body: String(await link.send(request, limits)) }));
  };

  const askEpic = async () => {
    for (const path of EPIC_PAGES) {
      const page = await look(path, CGMINER_PORT);
      keep('api4028', page);
      if (page?.status !== 404) return;
    }
  };

  const portQuestions: readonly { readonly port: number; readonly ask: () => Promise<void> }[] = [
    {
      port: CGMINER_PORT,
      async ask() {
        const version = await askText('version');
        if (version === undefined) return;
        if (isWebPage(version)) return askEpic();
        keep('version', version);
        const named = tcpFamily(version, undefined);
        if (named === undefined || !isProven(named, { version })) keep('devdetails', await askText('devdetails'));
      },
    },
    { port: WEB_PORT, ask: async () => keep('web', await look('/')) },
    {
      port: WHATSMINER3_PORT,
      async ask() {
        const question = { via: 'whatsminer3', cmd: 'get.device.info' } as const;
        keep('whatsminer3', await attempt((limits) => link.send(question, limits)));
      },
    },
  ];
  const silent = new Set<(typeof portQuestions)[number]>();
  for (const question of portQuestions) {
    if (!openPorts.has(question.port)) continue;
    const before = silences;
    await question.ask();
    if (silences > before) silent.add(question);
    const shown = familyOf(answers);
    if (shown !== 'antminer-stock' && shown !== undefined && shown === options.expected) break;
  }
  isPatient = !options.isLastTry && familyOf(answers) === 'antminer-stock';
  if (isPatient) for (const question of silent) await question.ask();
  // A Whatsminer, which sends there too, is read at its own ports: its page is not worth the handshake.
  const { web, ...others } = answers;
  const isWhatsminer = familyOf(others) === 'whatsminer' || options.expected === 'whatsminer';
  if (isSentToTls(web) && !isWhatsminer) keep('web', await look('/', TLS_PORT));
  const webPort = answers.web?.tlsKey === undefined ? WEB_PORT : TLS_PORT;
  // Silent to JSON, not even a close, and nothing else has proved what it is: some know bare text only. Asked last, so that it takes no port's time.
  if ([...silent].some(({ port }) => port === CGMINER_PORT) && answers.version === undefined && !isAnyProven(answers))
    keep('version', await askText('version', { isBare: true }));

  const family = familyOf(answers);
  // Only where the usual ports leave it open: VolcMiner's own, and the page behind pages that are packed.
  const mayBeVolcMiner = family === 'hammer' || openPorts.has(VOLCMINER_PORT);
  if (answers.version === undefined && mayBeVolcMiner)
    keep('version', await askText('version', { port: VOLCMINER_PORT }));
  const isAxeosHint = family === 'axeos' || family === 'axeos-nerd' || family === 'luckyminer';
  // What was read there recently has proved itself already.
  const isExpected =
    options.expected !== undefined && (family === options.expected || (isAxeosHint && options.expected === 'axeos'));
  if ((family === undefined || isAxeosHint) && !isExpected && answers.web?.status === 200)
    keep('systemInfo', await look('/api/system/info', webPort));
  const page = FAMILY_PAGES.find((each) => each.family === family);
  if (page !== undefined && !isExpected && openPorts.has(WEB_PORT) && !isProven(page.family, answers)) {
    keep('familyPage', await lookAt(page, webPort));
    if (page.guarded !== undefined && answers.familyPage?.status === 200)
      keep('guardedPage', await look(page.guarded, webPort));
  }
  return { evidence: evidenceOf(answers), failures };
}

/** The start page says that the web wants to be asked over TLS. Where it sends to is not followed: only the device itself is asked. */
export const isSentToTls = (web: Evidence['web']): boolean =>
  web !== undefined && web.status >= 300 && web.status < 400 && web.location?.startsWith('https://') === true;

const isAnyProven = (answers: EvidenceParts) => familiesOf(answers).some((family) => isProven(family, answers));

type EvidenceParts = Omit<Evidence, 'family' | 'isProven'>;

/** The answers, with the family that they name and whether they prove it. */
export function evidenceOf(answers: EvidenceParts): Evidence {
  // A proof of one family beats the hint of another, but not where the proof is stock's: it lives on in the firmwares that replace it.
  const proven = familiesOf(answers).find((each) => each !== 'antminer-stock' && isProven(each, answers));
  const family = proven ?? familyOf(answers);
  return { ...answers, family, isProven: family !== undefined && isProven(family, answers) };
}

/**
 * The family that the answers name. TCP words before API 3 before the web page, but any third-party or foreign family before stock Antminer
 * firmware, whose realm and words live on in the firmwares that replace it. A login challenge that spells out its algorithm may be MARA or
 * newer stock: only MARA's own words on TCP decide for MARA, because trying its login on a stock miner would do harm.
 */
export function familyOf(answers: EvidenceParts): FamilyId | undefined {
  const found = familiesOf(answers);
  return found.find((family) => family !== 'antminer-stock') ?? found[0];
}

function familiesOf(answers: EvidenceParts): FamilyId[] {
  const { web, whatsminer3 } = answers;
  return [
    tcpFamily(answers.version, answers.devdetails),
    typeof whatsminer3 === 'object' && whatsminer3 !== null ? ('whatsminer' as const) : undefined,
    // What an ePIC machine says of itself: which it is and what it can mine.
    isPageWith(answers.api4028, '"Model"', '"Coins"') || isPageWith(answers.api4028, '"epic-miner v')
      ? ('epic-umcos' as const)
      : undefined,
    web && WEB_RULES.find((rule) => ruleFits(rule, web))?.family,
    // The API of a Bitaxe, which names its chip. What kin it is, its readings tell.
    isPageWith(answers.systemInfo, '"ASICModel"') ? ('axeos' as const) : undefined,
  ].filter((family) => family !== undefined);
}

function tcpFamily(version: string | undefined, devdetails: string | undefined): FamilyId | undefined {
  const inVersion = version?.toUpperCase() ?? '';
  const inDetails = devdetails?.toUpperCase() ?? '';
  return TCP_WORDS.find((entry) =>
    entry.words.some((word) => inVersion.includes(word) || (entry.in !== 'version' && inDetails.includes(word))),
  )?.family;
}

function ruleFits(rule: WebRule<string>, web: NonNullable<Evidence['web']>): boolean {
  return (
    (rule.status === undefined || web.status === rule.status) &&
    (rule.realm === undefined || (web.authenticate?.includes(rule.realm) ?? false)) &&
    (rule.location === undefined || (web.location?.includes(rule.location) ?? false)) &&
    (rule.body === undefined || web.body.includes(rule.body))
  );
}

const isPageWith = (page: Evidence['web'], ...words: readonly string[]) =>
  page?.status === 200 && words.every((word) => page.body.includes(word));

/** A web server on 4028 (ePIC) speaks no CGMiner. */
function isWebPage(answer: string): boolean {
  return /^\s*(<|HTTP\/)/i.test(answer);
}

/** A whole CGMiner answer is a proof, of less than a family; a hint is none. */
const SUREST_FIRST: readonly Identity['confidence'][] = ['sure', 'generic', 'likely'];

export type DriverMatch = { readonly driver: Driver; readonly identity: Identity };

/** The driver that recognises the device: the surest one, then the order of the list decides. */
export function matchDriver(drivers: readonly Driver[], evidence: Evidence): DriverMatch | undefined {
  const claims = drivers.flatMap((driver) => {
    const identity = driver.identify(evidence);
    return identity === undefined ? [] : [{ driver, identity }];
  });
  const surest = SUREST_FIRST.find((level) => claims.some(({ identity }) => identity.confidence === level));
  return claims.find(({ identity }) => identity.confidence === surest);
}
