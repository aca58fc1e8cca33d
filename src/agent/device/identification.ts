// Which driver reads the device at an address: asks the device who it is, matches a driver, and reports what it showed
// to the trust rules. The caller holds the device mutex. It visits no miner and changes none.
import type { Clock } from '../../base/clock.ts';
import { PeerError } from '../../base/errors.ts';
import type { Evidence } from '../../driver/contract.ts';
import { type DriverMatch, gatherEvidence, matchLoaded, SCAN_PORTS } from '../../driver/identify.ts';
import type { DriverSet } from '../../driver/load/driver-set.ts';
import type { LoadedDriver } from '../../driver/load/loaded-driver.ts';
import { HTTP_PORT } from '../../transport/http/ask.ts';
import type { ProbeLink } from '../../transport/request.ts';
import type { Logins, MinerTarget } from './logins.ts';
import type { Identifying, Questions } from './questions.ts';
import { knownFrom, type NewTarget } from './targets.ts';
import type { DeviceTrust } from './trust/device-trust.ts';

/** For one question behind the login. */
const LOOK_ALIKE_MS = 4_000;
/** To ask a device again who it is, before a login goes to it. */
const ASK_AGAIN_MS = 4_000;

type IdentificationParts = {
  readonly clock: Clock;
  readonly drivers: DriverSet;
  readonly trust: DeviceTrust;
  readonly questions: Questions;
  readonly logins: Logins;
  readonly newTarget: NewTarget;
  readonly link: (ip: string) => ProbeLink;
  /** The driver of the registered miner at this address: it stays one while its proof is missing for a moment. */
  readonly driverOnRecord: ((ip: string) => string | undefined) | undefined;
};

type Asking = {
  readonly signal: AbortSignal;
  readonly identifying: Identifying;
  /** The driver that read the device a moment ago. */
  readonly expected?: string | undefined;
};

export class Identification {
  readonly #parts: IdentificationParts;

  constructor(parts: IdentificationParts) {
    this.#parts = parts;
  }

  /** Asks the device who it is, where it may be another one than it was. Throws PeerError when it does not answer. */
  async askAgain({ ip, driver }: MinerTarget, asking: Asking): Promise<void> {
    if (!this.#parts.trust.mustAskAgain(ip, driver.id)) return;
    const evidence = await this.#askWho(ip, asking.signal, asking.identifying);
    await this.selectDriver(ip, evidence, asking);
  }

  /** The same in the middle of a visit, just before a login goes out again: without a question behind the login. */
  async confirm({ ip }: MinerTarget, signal: AbortSignal | undefined): Promise<void> {
    const { trust, questions } = this.#parts;
    if (trust.mustConfirm(ip)) await this.#meet(ip, await this.#askWho(ip, signal, questions.identifying(ip)));
  }

  /** The driver for what was found, after a question behind the login where families look alike. */
  async selectDriver(ip: string, evidence: Evidence, asking: Asking): Promise<DriverMatch | undefined> {
    const met = await this.#meet(ip, evidence, asking.expected);
    if (met === undefined) return undefined;
    const resolved = await this.#resolveLookAlikes(ip, met.likely, evidence, asking);
    const driverId = resolved.driver.id;
    if (driverId !== met.before) this.#parts.trust.saw(ip, { ...met.seen, driverId });
    return resolved;
  }

  /** Undefined = only a hint: it gives no proof, no person named its driver, and no miner is registered there. */
  async lasting(ip: string, match: DriverMatch, evidence: Evidence): Promise<DriverMatch | undefined> {
    const { trust, questions, driverOnRecord } = this.#parts;
    const { driver, identity } = match;
    if (identity.confidence !== 'likely' || trust.vouchedFor(ip, identity) === driver.id) return match;
    if (questions.visitOf(ip)?.driverId === driver.id) return match;
    const onRecord = driverOnRecord?.(ip);
    return onRecord === undefined ? undefined : this.matchOf(onRecord, evidence);
  }

  /** The answers show the driver that read it a moment ago, and no question behind the login is open. */
  async isShownAs(ip: string, evidence: Evidence, expected: string): Promise<boolean> {
    const { trust } = this.#parts;
    const likely = (await this.#likelyBy(ip, evidence))?.driver.id;
    if (likely === undefined) return false;
    if (likely !== expected) return trust.driverOf(ip, likely) === expected;
    return (await lookAlikesIn(this.#parts.drivers.all, evidence)).every((id) => id === likely);
  }

  async matchOf(driverId: string | undefined, evidence: Evidence): Promise<DriverMatch | undefined> {
    const driver = this.#parts.drivers.get(driverId);
    if (driver === undefined) return undefined;
    return { driver, identity: (await driver.identify(evidence)) ?? { confidence: 'likely', make: driver.make } };
  }

  async #askWho(ip: string, signal: AbortSignal | undefined, identifying: Identifying): Promise<Evidence> {
    const { clock, drivers, trust, link } = this.#parts;
    const { evidence, failures } = await gatherEvidence(identifying.heardByProbe(link(ip)), new Set(SCAN_PORTS), {
      ...{ clock, families: drivers.families, deadlineMs: ASK_AGAIN_MS, ...(signal && { signal }) },
    });
    const { version, web, whatsminer3, api4028 } = evidence;
    const isSilent = [version, web, whatsminer3, api4028].every((answer) => answer === undefined);
    if (isSilent && failures[0] !== undefined) {
      trust.lost(ip);
      throw failures[0];
    }
    return evidence;
  }

  /** What the device shows without a login is what is known of it from now on. */
  async #meet(ip: string, evidence: Evidence, expected?: string) {
    const { trust, drivers } = this.#parts;
    const likely = await this.#likelyBy(ip, evidence);
    if (likely === undefined) {
      trust.doubt(ip);
      return undefined;
    }
    const { driver } = likely;
    // What it proved a moment ago is not asked for again.
    const isProven = expected === driver.id && trust.isSure(ip, driver.id);
    const identity = isProven ? { ...likely.identity, confidence: 'sure' as const } : likely.identity;
    const before = trust.driverOf(ip, driver.id) ?? driver.id;
    const lookAlikes = await lookAlikesIn(drivers.all, evidence);
    const seen = { identity, evidence, family: driver.id, lookAlikes, isReadByWeb: isReadByWeb(driver) };
    trust.saw(ip, { ...seen, driverId: before });
    return { likely, seen, before };
  }

  /** Where the device gives no proof and no other family is sure of it, the driver that a person named for it. */
  async #likelyBy(ip: string, evidence: Evidence): Promise<DriverMatch | undefined> {
    const { drivers, trust, driverOnRecord } = this.#parts;
    const onRecord = drivers.get(driverOnRecord?.(ip));
    // It recognises nothing for now: another driver would take its miner.
    if (onRecord?.waitsFor?.() !== undefined) return this.matchOf(onRecord.id, evidence);
    const shown = await matchLoaded(drivers.all, evidence);
    if (shown === undefined || shown.identity.confidence === 'sure') return shown;
    return (await this.matchOf(trust.vouchedFor(ip, shown.identity), evidence)) ?? shown;
  }

  /**
   * Families that look like the likely one from outside each have one question. It goes with the login configured for
   * them, else with that of the likely family, whose refusal counts as its own: no device gets a second password for
   * the sake of a question.
   */
  async #resolveLookAlikes(ip: string, likely: DriverMatch, evidence: Evidence, { signal, identifying }: Asking) {
    for (const driver of this.#parts.drivers.all) {
      const { afterLogin } = driver;
      if (driver === likely.driver || afterLogin === undefined || !(await afterLogin.mayBe(evidence))) continue;
      const own = this.#parts.newTarget(ip, likely.driver, knownFrom(likely.identity));
      const link = this.#parts.logins.linkBehindLogin(own, driver);
      if (link === undefined) continue;
      try {
        const answer = await identifying.heard(link).send(afterLogin.ask, { deadlineMs: LOOK_ALIKE_MS, signal });
        const identity = await afterLogin.identify(answer);
        if (identity !== undefined) return { driver, identity };
      } catch (error) {
        if (!(error instanceof PeerError)) throw error;
      }
    }
    return likely;
  }
}

async function lookAlikesIn(drivers: readonly LoadedDriver[], evidence: Evidence): Promise<string[]> {
  const found: string[] = [];
  for (const { id, afterLogin } of drivers) if (await afterLogin?.mayBe(evidence)) found.push(id);
  return found;
}

const isReadByWeb = ({ asks }: LoadedDriver): boolean =>
  Object.values(asks).some((ask) => ask.via === 'http' && (ask.port ?? HTTP_PORT) === HTTP_PORT);
