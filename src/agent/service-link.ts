// The line to one service: what is reported goes up, the orders that are its own come down. It knows no miner.
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Secret } from '../base/secrets.ts';
import { VERSION } from '../base/version.ts';
import type { OpsStatusFrame } from '../wire/frames.ts';
import type { ReportRecord } from '../wire/records.ts';
import type { Prove } from './identity-key.ts';
import type { KeyPin } from './orders/contract.ts';
import { createOrderGuard } from './orders/guard.ts';
import { memoryPin } from './orders/pin.ts';
import type { SliceSource, TaskListener } from './uplink/contract.ts';
import { createUplink, type Uplink } from './uplink/uplink.ts';

/** One service to report to. `name` names its cursor in the outbox. */
export type UplinkConfig = {
  readonly name: string;
  readonly url: string;
  readonly agentId: string;
  readonly token: Secret;
  /** Of the key that it was enrolled with. */
  readonly prove?: Prove | undefined;
  readonly allowPlain?: boolean;
  /** The key that the service signs orders with. Absent: learnt anew with each start. */
  readonly pin?: KeyPin;
};

export function createServiceLink(
  { name, url, agentId, token, prove, allowPlain = false, pin = memoryPin() }: UplinkConfig,
  parts: {
    readonly db: DatabaseSync;
    readonly home: string;
    readonly source: SliceSource;
    readonly tasks: TaskListener;
    onOpsStatus(frame: OpsStatusFrame): void;
    emit(record: ReportRecord): void;
    readonly clock: Clock;
    readonly random: () => number;
    readonly log: Log;
  },
): Uplink {
  const { db, clock, log, emit } = parts;
  const orders = createOrderGuard(db, {
    uplink: name,
    agentId,
    pin,
    clock,
    log,
    audit: (event) => emit({ kind: 'event', at: new Date(clock.nowMs()).toISOString(), ...event }),
  });
  const link = createUplink({
    ...parts,
    name,
    url,
    allowPlain,
    credentials: { agentId, token, prove },
    version: VERSION,
    orders,
    onState: ({ phase, lastError }) => log.info({ uplink: name, phase, lastError }, 'uplink'),
  });
  return {
    ...link,
    async stop() {
      await link.stop();
      orders.stop();
    },
  };
}
