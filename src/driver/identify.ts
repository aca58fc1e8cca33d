// Finds out what a device is: asks the shared probe questions of atlas section 2, names the firmware family, picks the driver.
// It sends no login and no command that changes anything, and it keeps nothing: who caches the decision is the caller.
import type { Clock } from '../base/clock.ts';
import { PeerError } from '../base/errors.ts';
import type { ProbeLink } from '../transport/request.ts';
import type { Driver, Evidence, Identity } from './contract.ts';
import { type FamilyId, TCP_WORDS, WEB_RULES, type WebRule } from './families.data.ts';

/** `deadlineMs` bounds all questions together. */
export type GatherOptions = {
  readonly clock: Clock;
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
};

const DEADLINE_MS = 6_000;
const CGMINER_PORT = 4028;
const WEB_PORT = 80;
const WHATSMINER3_PORT = 4433;

/**
 * Asks what the open ports can answer, at most two questions at a time. Waits for both doors even when one has decided: third-party firmware
 * keeps the stock realm and the stock words, so a stock answer counts only beside the others. Failures of single questions are in `failures`;
 * throws only what a link throws beside PeerError.
 */
export async function gatherEvidence(
  link: ProbeLink,
  openPorts: ReadonlySet<number>,
  options: GatherOptions,
): Promise<{ evidence: Evidence; failures: PeerError[] }> {
  const endMs = options.clock.monotonicMs() + (options.deadlineMs ?? DEADLINE_MS);
  const failures: PeerError[] = [];
  const limits = () => ({
    deadlineMs: Math.max(1, endMs - options.clock.monotonicMs()),
    ...(options.signal && { signal: options.signal }),
  });
  const attempt = async <T>(question: () => Promise<T>): Promise<T | undefined> => {
    if (options.clock.monotonicMs() >= endMs) return undefined;
    try {
      return await question();
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      failures.push(error);
      return undefined;
    }
  };
  const askText = (command: string) => attempt(() => link.sendRaw({ via: 'cgminer', command }, limits()));

  const knock = async () => {
    const version = openPorts.has(CGMINER_PORT) ? await askText('version') : undefined;
    const isSettled = version === undefined || isWebPage(version) || tcpFamily(version, undefined) !== undefined;
    const devdetails = isSettled ? undefined : await askText('devdetails');
    const whatsminer3 = openPorts.has(WHATSMINER3_PORT)
      ? await attempt(() => link.send({ via: 'whatsminer3', cmd: 'get.device.info' }, limits()))
      : undefined;
    const api4028 =
      version !== undefined && isWebPage(version)
        ? await attempt(() => link.look('/capabilities', { ...limits(), port: CGMINER_PORT }))
        : undefined;
    return { version, devdetails, whatsminer3, api4028 };
  };
  const [answers, web] = await Promise.all([
    knock(),
    openPorts.has(WEB_PORT) ? attempt(() => link.look('/', limits())) : undefined,
  ]);
  const parts: EvidenceParts = {
    ...(answers.version !== undefined && !isWebPage(answers.version) && { version: answers.version }),
    ...(answers.devdetails !== undefined && { devdetails: answers.devdetails }),
    ...(answers.whatsminer3 !== undefined && { whatsminer3: answers.whatsminer3 }),
    ...(answers.api4028 !== undefined && { api4028: answers.api4028 }),
    ...(web !== undefined && { web }),
  };
  return { evidence: { ...parts, family: familyOf(parts) }, failures };
}

export type EvidenceParts = Omit<Evidence, 'family'>;

/**
 * The family that the answers name. TCP words before API 3 before the web page, but any third-party or foreign family before stock Antminer
 * firmware, whose realm and words live on in the firmwares that replace it. A login challenge that spells out its algorithm may be MARA or
 * newer stock: only MARA's own words on TCP decide for MARA, because trying its login on a stock miner would do harm.
 */
export function familyOf({ version, devdetails, web, whatsminer3, api4028 }: EvidenceParts): FamilyId | undefined {
  const found = [
    tcpFamily(version, devdetails),
    typeof whatsminer3 === 'object' && whatsminer3 !== null ? ('whatsminer' as const) : undefined,
    api4028 && isEpic(api4028) ? ('epic-umcos' as const) : undefined,
    web && WEB_RULES.find((rule) => ruleFits(rule, web))?.family,
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

/** A web server on 4028 (ePIC) speaks no CGMiner. */
function isWebPage(answer: string): boolean {
  return /^\s*(<|HTTP\/)/i.test(answer);
}

/** The driver that recognises the device; one that is sure beats one that is generic, then the order of the list decides. */
export function chooseDriver(
  drivers: readonly Driver[],
  evidence: Evidence,
): { driver: Driver; identity: Identity } | undefined {
  const claims = drivers.flatMap((driver) => {
    const identity = driver.identify(evidence);
    return identity === undefined ? [] : [{ driver, identity }];
  });
  return claims.find(({ identity }) => identity.confidence === 'sure') ?? claims[0];
}
