// Finds out what a device is: asks the shared probe questions of atlas section 2, names the firmware family, picks the driver.
// It sends no login and no command that changes anything, and it keeps nothing: who caches the decision is the caller.
import type { Clock } from '../base/clock.ts';
import { CancelledError, PeerError } from '../base/errors.ts';
import type { ProbeLink } from '../transport/request.ts';
import type { Driver, Evidence, Identity } from './contract.ts';
import { type FamilyId, TCP_WORDS, WEB_RULES, type WebRule } from './families.data.ts';

/** `deadlineMs` bounds all questions together. */
export type GatherOptions = {
  readonly clock: Clock;
  readonly deadlineMs?: number;
  /** Wait for every door until the deadline: nobody will ask again. */
  readonly isLastTry?: boolean;
  readonly signal?: AbortSignal;
};

const DEADLINE_MS = 6_000;
const CGMINER_PORT = 4028;
const WEB_PORT = 80;
const WHATSMINER3_PORT = 4433;
const VOLCMINER_PORT = 8359;
/** How long a door may stay silent while nothing that was said elsewhere makes its answer worth more. */
const PATIENCE_MS = 2_500;

/**
 * Asks what the open ports can answer, at most two questions at a time. Waits for both doors even when one has decided: third-party firmware
 * keeps the stock realm and the stock words, so a stock answer counts only beside the others. Elsewhere a door that has gone silent is given up
 * early, unless this is the last try. Failures of single questions are in `failures`; throws only what a link throws beside PeerError.
 */
export async function gatherEvidence(
  link: ProbeLink,
  openPorts: ReadonlySet<number>,
  options: GatherOptions,
): Promise<{ evidence: Evidence; failures: PeerError[] }> {
  const { clock } = options;
  const endMs = clock.monotonicMs() + (options.deadlineMs ?? DEADLINE_MS);
  const failures: PeerError[] = [];
  const said: { -readonly [K in keyof EvidenceParts]: EvidenceParts[K] } = {};
  const hush = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, hush.signal]) : hush.signal;
  const limits = () => ({ deadlineMs: Math.max(1, endMs - clock.monotonicMs()), signal });

  let cancelPatience = () => {};
  const bePatient = () => {
    if (options.isLastTry) return;
    cancelPatience();
    cancelPatience = clock.after(PATIENCE_MS, () => {
      // Words of stock firmware are worth waiting for others.
      if (familyOf(said) !== 'antminer-stock') hush.abort();
    });
  };
  const attempt = async <T>(question: () => Promise<T>): Promise<T | undefined> => {
    if (clock.monotonicMs() >= endMs || hush.signal.aborted) return undefined;
    try {
      const answer = await question();
      bePatient();
      return answer;
    } catch (error) {
      const isHushed = error instanceof CancelledError && hush.signal.aborted && options.signal?.aborted !== true;
      const failure = isHushed ? new PeerError('peer.timeout', `identify ${link.ip}`, 'soon') : error;
      if (!(failure instanceof PeerError)) throw failure;
      failures.push(failure);
      return undefined;
    }
  };
  const keep = <K extends keyof EvidenceParts>(name: K, answer: EvidenceParts[K]) => {
    if (answer !== undefined) said[name] = answer;
  };
  const askText = (command: string, port?: number) =>
    attempt(() => link.sendRaw({ via: 'cgminer', command, ...(port !== undefined && { port }) }, limits()));
  const look = (path: string, port?: number) =>
    attempt(() => link.look(path, { ...limits(), ...(port !== undefined && { port }) }));

  const knock = async () => {
    const version = openPorts.has(CGMINER_PORT) ? await askText('version') : undefined;
    const isPage = version !== undefined && isWebPage(version);
    if (!isPage) keep('version', version);
    const isSettled = version === undefined || isPage || tcpFamily(version, undefined) !== undefined;
    if (!isSettled) keep('devdetails', await askText('devdetails'));
    if (openPorts.has(WHATSMINER3_PORT)) {
      keep('whatsminer3', await attempt(() => link.send({ via: 'whatsminer3', cmd: 'get.device.info' }, limits())));
    }
    if (isPage) keep('api4028', await look('/capabilities', CGMINER_PORT));
  };
  bePatient();
  try {
    await Promise.all([knock(), openPorts.has(WEB_PORT) ? look('/').then((web) => keep('web', web)) : undefined]);
    const family = familyOf(said);
    // Only where the usual doors leave it open: VolcMiner's own, and the page behind pages that are packed.
    const mayBeVolcMiner = family === 'hammer' || openPorts.has(VOLCMINER_PORT);
    if (said.version === undefined && mayBeVolcMiner) keep('version', await askText('version', VOLCMINER_PORT));
    if (family === undefined && said.web?.status === 200) keep('systemInfo', await look('/api/system/info'));
  } finally {
    cancelPatience();
  }
  return { evidence: { ...said, family: familyOf(said) }, failures };
}

export type EvidenceParts = Omit<Evidence, 'family'>;

/**
 * The family that the answers name. TCP words before API 3 before the web page, but any third-party or foreign family before stock Antminer
 * firmware, whose realm and words live on in the firmwares that replace it. A login challenge that spells out its algorithm may be MARA or
 * newer stock: only MARA's own words on TCP decide for MARA, because trying its login on a stock miner would do harm.
 */
export function familyOf({
  version,
  devdetails,
  web,
  whatsminer3,
  api4028,
  systemInfo,
}: EvidenceParts): FamilyId | undefined {
  const found = [
    tcpFamily(version, devdetails),
    typeof whatsminer3 === 'object' && whatsminer3 !== null ? ('whatsminer' as const) : undefined,
    api4028 && isEpic(api4028) ? ('epic-umcos' as const) : undefined,
    web && WEB_RULES.find((rule) => ruleFits(rule, web))?.family,
    systemInfo && isAxeOs(systemInfo) ? ('axeos' as const) : undefined,
  ].filter((family) => family !== undefined);
  return found.find((family) => family !== 'antminer-stock') ?? found[0];
}

function tcpFamily(version: string | undefined, devdetails: string | undefined): FamilyId | undefined {
  const inVersion = version?.toUpperCase() ?? '';
  const inDetails = devdetails?.toUpperCase() ?? '';
  return TCP_WORDS.find((entry) =>
    entry.words.some((word) => inVersion.includes(word) || (entry.in !== 'version' && inDetails.includes(word))),
  )?.family;
}

function ruleFits(rule: WebRule, web: NonNullable<Evidence['web']>): boolean {
  return (
    (rule.status === undefined || web.status === rule.status) &&
    (rule.realm === undefined || (web.authenticate?.includes(rule.realm) ?? false)) &&
    (rule.location === undefined || (web.location?.includes(rule.location) ?? false)) &&
    (rule.body === undefined || web.body.includes(rule.body))
  );
}

/** What an ePIC machine says of itself: which it is and what it can mine. */
function isEpic({ status, body }: NonNullable<Evidence['api4028']>): boolean {
  return status === 200 && body.includes('"Model"') && body.includes('"Coins"');
}

/** The API of a Bitaxe, which names its chip. What kin it is, its readings tell. */
function isAxeOs({ status, body }: NonNullable<Evidence['systemInfo']>): boolean {
  return status === 200 && body.includes('"ASICModel"');
}

/** A web server on 4028 (ePIC) speaks no CGMiner. */
function isWebPage(answer: string): boolean {
  return /^\s*(<|HTTP\/)/i.test(answer);
}

export type DriverChoice = { readonly driver: Driver; readonly identity: Identity };

/** The driver that recognises the device; one that is sure beats one that is generic, then the order of the list decides. */
export function chooseDriver(drivers: readonly Driver[], evidence: Evidence): DriverChoice | undefined {
  const claims = drivers.flatMap((driver) => {
    const identity = driver.identify(evidence);
    return identity === undefined ? [] : [{ driver, identity }];
  });
  return claims.find(({ identity }) => identity.confidence === 'sure') ?? claims[0];
}
