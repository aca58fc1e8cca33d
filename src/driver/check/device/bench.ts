// A simulated device as the checks use it, and what they need beside it. They know no farm: the caller brings the
// devices of one driver, as many as are asked for.

import { systemClock } from '../../../base/clock.ts';
import { PeerError } from '../../../base/errors.ts';
import type { Reading } from '../../../model/reading.ts';
import type { Truth } from '../../../model/simulated/truth.ts';
import type { MinerLink, MinerRequest } from '../../../transport/request.ts';
import type { Driver, FirmwareImage, Identity, Known } from '../../contract.ts';
import { VisitMemory } from '../../visit/memory.ts';
import { visit } from '../../visit/visit.ts';
import type { ContractData } from '../contract-data.ts';
import { type Problem, problem } from '../finding.ts';

/** One model of a family. */
export type Kind = { readonly family: string; readonly model: string };

/** The faults that the checks switch on. */
export type CheckFault =
  | 'wrong-password'
  | 'write-api-off'
  | 'ignores-writes'
  | 'ignores-reboot'
  | 'keeps-password'
  | 'sessions-end'
  | StateFault;
export type StateFault =
  | 'board-dead'
  | 'fan-stopped'
  | 'hot'
  | 'low-hashrate'
  | 'pool-dead'
  | 'psu-fault'
  | 'vendor-error'
  | 'heat-stop';

export type CheckedDevice = {
  readonly ip: string;
  readonly isUp: boolean;
  readonly reboots: number;
  /** What opens it now. */
  readonly login: { readonly user: string; readonly password: string } | undefined;
  truth(): Truth;
  setFault(name: CheckFault, isOn: boolean, value?: string | number): void;
  setMode(mode: 'sleep' | 'low' | 'normal' | 'high'): void;
};

/** Another password than that of now, and what is told when the device lets it in. */
export type Trial = { readonly password: string; readonly onTaken: () => void };

export type Bench = {
  readonly kinds: readonly Kind[];
  /** One as it left the factory. */
  take(kind: Kind): CheckedDevice;
  /** It is still as it was: it may be taken again. */
  giveBack(kind: Kind, device: CheckedDevice): void;
  /** What the shared questions say of it; throws where this driver is not chosen. */
  identify(kind: Kind, device: CheckedDevice): Promise<Identity>;
  /** The same of one of the kind, as `read` gets it. */
  known(kind: Kind): Promise<Known>;
  /** With the login of now. Sessions are kept per device, whatever link they were made over. */
  link(device: CheckedDevice, trial?: Trial): MinerLink;
  /** A firmware file of that form, which makes a device of the family run `version`. */
  file(kind: Kind, form: string | undefined, version: string): FirmwareImage;
  /** How long something may take to show. */
  readonly patienceMs: number;
};

export type DeviceSubject = {
  readonly driver: Driver;
  readonly folder: string;
  readonly exceptions: ContractData;
  readonly bench: Bench;
};

/** Ends a check with what it found. */
export class Found extends Error {
  readonly problem: Problem;
  constructor(seen: string, next: string) {
    super(seen);
    this.name = 'Found';
    this.problem = problem(seen, next);
  }
}

/** What a proxy says, or a device that has run out of memory. */
const NONSENSE = '<html><body>502 Bad Gateway</body></html>';

export type WatchedLink = MinerLink & { readonly sent: MinerRequest[] };
/** What becomes of the answer to the nth request, after the device has heard and answered it. */
export type Mishap = { readonly nth: number; readonly answer: 'lost' | 'nonsense' };

/** Notes what goes over it. */
export function watched(link: MinerLink, mishap?: Mishap): WatchedLink {
  const sent: MinerRequest[] = [];
  return {
    ip: link.ip,
    sent,
    async send(request, limits) {
      const place = sent.push(request) - 1;
      const answer = await link.send(request, limits);
      if (place !== mishap?.nth) return answer;
      if (mishap.answer === 'nonsense') return NONSENSE;
      throw new PeerError('peer.reset', 'lose an answer', 'soon', undefined, { wasSent: true });
    },
  };
}

const VISIT_MS = 20_000;
const RHYTHMS = { slowMs: 300_000, staticMs: 3_600_000 } as const;

/** All that it reads of the device, as at a first visit; `memory` = as at a later one. */
export async function look(
  { driver, bench }: DeviceSubject,
  kind: Kind,
  device: CheckedDevice,
  memory = new VisitMemory(),
  link = bench.link(device),
): Promise<{ readonly reading: Reading; readonly unparsable: readonly string[] }> {
  const { reading, unparsable } = await visit({
    // No pauses: they are the devices' need, not the check's.
    driver: { ...driver, quirks: {} },
    known: await bench.known(kind),
    link,
    memory,
    rhythms: RHYTHMS,
    clock: systemClock,
    deadlineMs: VISIT_MS,
  });
  return { reading, unparsable };
}

export async function withFault<T>(device: CheckedDevice, fault: CheckFault, work: () => Promise<T>): Promise<T> {
  device.setFault(fault, true);
  try {
    return await work();
  } finally {
    device.setFault(fault, false);
  }
}

const EVERY_MS = 20;

/** Until it holds: undefined, or why it still does not when the patience is over. Devices may be away for a moment. */
export async function until(patienceMs: number, holds: () => boolean | Promise<boolean>): Promise<boolean> {
  const endMs = systemClock.monotonicMs() + patienceMs;
  for (;;) {
    const isSo = await Promise.resolve()
      .then(holds)
      .catch((error: unknown) => {
        if (error instanceof PeerError) return false;
        throw error;
      });
    if (isSo || systemClock.monotonicMs() > endMs) return isSo;
    await systemClock.sleep(EVERY_MS);
  }
}
