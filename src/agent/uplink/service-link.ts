// The connection to one service: reports go up, the service's own tasks come down. It knows no miner.
import type { DatabaseSync } from 'node:sqlite';
import { VERSION } from '../../base/version.ts';
import type { ReportRecord } from '../../wire/records.ts';
import type { LinkParts } from './connection.ts';
import type { Credentials } from './enrolment/credentials.ts';
import { createMessageGuard } from './signatures/message-guard.ts';
import { createUplink, type Uplink } from './uplink.ts';

/** One service to report to. `name` names its cursor in the outbox. */
export type UplinkConfig = Pick<Credentials, 'url' | 'agentId' | 'token' | 'prove' | 'pin'> & {
  readonly name: string;
  readonly allowPlain?: boolean;
};

export function createServiceLink(
  { name, url, pin, allowPlain = false, ...credentials }: UplinkConfig,
  parts: Omit<LinkParts, 'credentials' | 'version' | 'messageGuard'> & {
    readonly db: DatabaseSync;
    emit(record: ReportRecord): void;
    readonly random: () => number;
  },
): Uplink {
  const { db, clock, log, emit } = parts;
  const messageGuard = createMessageGuard(db, {
    uplink: name,
    agentId: credentials.agentId,
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
    credentials,
    version: VERSION,
    messageGuard,
    onState: ({ phase, lastError }) => log.info({ uplink: name, phase, lastError }, 'uplink'),
  });
  return {
    ...link,
    async stop() {
      await link.stop();
      messageGuard.stop();
    },
  };
}
