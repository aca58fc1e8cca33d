// Stage two of a scan: who answers at an address, and everything that it reports. It finds no addresses and keeps no
// registry.
import type { Clock } from '../../base/clock.ts';
import { PeerError } from '../../base/errors.ts';
import type { Evidence } from '../../driver/contract.ts';
import { type DriverMatch, gatherEvidence, IDENTIFY_DEADLINE_MS } from '../../driver/identify.ts';
import type { DriverSet } from '../../driver/load/driver-set.ts';
import type { VisitOutcome } from '../../driver/visit/visit.ts';
import type { DeviceMutex } from '../../transport/limits/device-mutex.ts';
import type { ProbeLink } from '../../transport/request.ts';
import type { Identification } from './identification.ts';
import type { MinerTarget } from './logins.ts';
import type { Identifying, LastVisit, Questions } from './questions.ts';
import type { Recognised, RecognisedMiner } from './recognised.ts';
import { knownFrom, type NewTarget } from './targets.ts';
import type { DeviceTrust } from './trust/device-trust.ts';

/** A visit that follows identification has what is left of its time, and at least this long. */
const LEAST_VISIT_MS = 2_000;

type RecognitionParts = {
  readonly clock: Clock;
  readonly settings: { readonly poll: { readonly deadline: number } };
  readonly deviceMutex: Pick<DeviceMutex, 'run'>;
  readonly trust: Pick<DeviceTrust, 'reread'>;
  readonly drivers: DriverSet;
  readonly questions: Questions;
  readonly identification: Identification;
  readonly newTarget: NewTarget;
  readonly link: (ip: string) => ProbeLink;
  readonly visit: (target: MinerTarget, signal: AbortSignal, limits: VisitLimits) => Promise<VisitOutcome>;
};
type VisitLimits = { readonly deadlineMs: number; readonly identifying: Identifying };

type Asked = {
  readonly ip: string;
  readonly openPorts: ReadonlySet<number>;
  readonly signal: AbortSignal;
  readonly isLastTry: boolean;
  readonly identifying: Identifying;
  /** The newest visit, where no person waits and it was a moment ago. */
  readonly lastVisit: () => LastVisit | undefined;
};

export class Recognition {
  readonly #parts: RecognitionParts;

  constructor(parts: RecognitionParts) {
    this.#parts = parts;
  }

  /**
   * Throws only CancelledError, never for what the peer does. `isLastTry` = no other try follows: a slow device gets
   * more time. `isGentle` = no person waits for it: no recent question and no recent visit is repeated, and what was
   * read then stands. Questions and visit hold the device mutex one after the other, so that a command waits for one of
   * them and not for both.
   */
  async recognise(
    ip: string,
    openPorts: ReadonlySet<number>,
    signal: AbortSignal,
    isLastTry = true,
    isGentle = false,
  ): Promise<Recognised> {
    const { clock, trust, questions, deviceMutex } = this.#parts;
    const endMs = clock.monotonicMs() + IDENTIFY_DEADLINE_MS;
    if (!isGentle) trust.reread();
    const exclusively = <T>(work: () => Promise<T>) => deviceMutex.run(ip, 'scan', signal, work);
    const identifying = questions.identifying(ip, isGentle);
    const lastVisit = () => (isGentle ? questions.visitOf(ip) : undefined);
    const asked = { ip, openPorts, signal, isLastTry: isLastTry || isGentle, identifying, lastVisit };
    const { evidence, match } = await exclusively(() => this.#identify(asked));
    if (match === undefined) return { status: 'unknown', evidence };
    const lasting = await this.#parts.identification.lasting(ip, match, evidence);
    const { driver, identity } = lasting ?? match;
    const found = { target: this.#parts.newTarget(ip, driver, knownFrom(identity)), identity, evidence };
    if (lasting === undefined) return { ...found, status: 'likely' };
    try {
      return { ...found, ...(await exclusively(() => this.#visit(asked, found.target, endMs))) };
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      return { ...found, status: statusOf(error.code === 'peer.auth') };
    }
  }

  async #identify({ ip, openPorts, signal, isLastTry, identifying, lastVisit }: Asked): Promise<{
    readonly evidence: Evidence;
    readonly match?: DriverMatch | undefined;
  }> {
    const { clock, drivers, identification, link } = this.#parts;
    const last = lastVisit();
    const expected = last?.status === 'failed' ? undefined : last?.driverId;
    const { evidence, failures } = await gatherEvidence(identifying.heardByProbe(link(ip)), openPorts, {
      ...{ clock, families: drivers.families, signal, expected, isLastTry },
    });
    if (expected !== undefined && (failures.length > 0 || (await identification.isShownAs(ip, evidence, expected))))
      return { evidence, match: await identification.matchOf(expected, evidence) };
    // Half of the answers may name the wrong family.
    if (identifying.hasSpared) return { evidence };
    return { evidence, match: await identification.selectDriver(ip, evidence, { signal, expected, identifying }) };
  }

  async #visit(
    { signal, identifying, lastVisit }: Asked,
    target: MinerTarget,
    endMs: number,
  ): Promise<Pick<RecognisedMiner, 'status' | 'outcome'>> {
    const { clock, settings, visit } = this.#parts;
    const last = lastVisit();
    if (last?.driverId === target.driver.id) return { status: statusOf(last.status === 'login_refused') };
    const leftMs = Math.max(LEAST_VISIT_MS, endMs - clock.monotonicMs() - LEAST_VISIT_MS);
    const outcome = await visit(target, signal, { deadlineMs: Math.min(settings.poll.deadline, leftMs), identifying });
    return { status: statusOf(outcome.isLoginRefused), outcome };
  }
}

const statusOf = (isLoginRefused: boolean): RecognisedMiner['status'] =>
  isLoginRefused ? 'login_refused' : 'identified';
