// Finds the miners that a request names, among those that the agent knows and at addresses that were put up since the
// last scan.
import pLimit from 'p-limit';
import type { Clock } from '../../../base/clock.ts';
import { parseIpv4 } from '../../../base/net/ipv4.ts';
import { SCAN_PORTS } from '../../../driver/identify.ts';
import type { DeviceClient } from '../../device/device-client.ts';
import { noMiner } from '../../device/recognised.ts';
import { type Named, namedMiners } from '../../fleet/miner-selectors.ts';
import type { Scanning } from '../../scan/scanning.ts';

import type { AgentBoard } from './board.ts';

export const RECOGNISED_AT_ONCE = 32;

export type NamedMinersParts = {
  readonly client: Pick<DeviceClient, 'recognise'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** As the agent knows them now. */
  readonly miners: AgentBoard['miners'];
  readonly scanning: Pick<Scanning, 'takeIn'>;
  readonly mayReach: (ip: string) => boolean;
};

export class NamedMiners {
  readonly #parts: NamedMinersParts;

  constructor(parts: NamedMinersParts) {
    this.#parts = parts;
  }

  /** Among those that are known. Throws RefusedError for words that are none. */
  known(names: readonly string[]): Named {
    const { miners, clock } = this.#parts;
    return namedMiners(names, miners(), clock.nowMs());
  }

  /** As `known`, after a look at the addresses where none is known. */
  async find(names: readonly string[], signal: AbortSignal): Promise<Named> {
    const named = this.known(names);
    const strangers = named.unknown
      .map(({ name }) => name)
      .filter((text) => parseIpv4(text) !== undefined && this.#parts.mayReach(text));
    if (strangers.length === 0) return named;
    const reasons = await this.meet(strangers, signal);
    const { miners, unknown } = this.known(names);
    return {
      miners,
      unknown: unknown.map(({ name, reason }) => ({ name, reason: reasons.get(name) ?? reason })),
    };
  }

  /** Miners at these addresses are known afterwards. Returns why the others are none. */
  async meet(ips: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const { client, scanning } = this.#parts;
    const recognising = pLimit(RECOGNISED_AT_ONCE);
    const reasons = new Map<string, string>();
    const meetOne = (ip: string) =>
      recognising(async () => {
        const found = await client.recognise(ip, new Set(SCAN_PORTS), signal);
        if (found.status === 'likely') reasons.set(ip, noMiner(ip, found));
        await scanning.takeIn(ip, found);
      });
    await Promise.all(ips.map(meetOne));
    return reasons;
  }
}
