// What agent-databases-child.ts promises, and whether it is there: the databases are opened as the agent opens them.
import { join } from 'node:path';
import { openTrustRecord, TRUST_FILE } from '../../src/agent/device/trust/trust-record.ts';
import { createIdentityStore } from '../../src/agent/fleet/identity/storage/store.ts';
import { createOpsStatuses } from '../../src/agent/fleet/ops-status.ts';
import { openDesiredPools } from '../../src/agent/pool-lock/desired-pools.ts';
import { checkAgentTrail } from '../../src/agent/state/audit-check.ts';
import { agentDatabasePath, openAgentDatabase } from '../../src/agent/state/database.ts';
import { openJournal } from '../../src/agent/tasks/queue/journal.ts';
import { filePin } from '../../src/agent/uplink/signatures/key-pin.ts';
import { systemClock } from '../../src/base/clock.ts';
import { renderError } from '../../src/base/errors.ts';
import { type Log, silentLog } from '../../src/base/log.ts';
import { AGENT_MIGRATIONS } from './agent-migrations.ts';

export const PIN_FILE = 'service.key.json';
export const keyOf = (number: number) => `0198a7a2-0000-7000-8000-${String(number).padStart(12, '0')}`;
export const whoOf = (round: number) => [`ip:10.1.0.${round}`, `mac:02:00:00:00:00:${String(round).padStart(2, '0')}`];
export const poolsOf = (key: string) => [{ url: 'stratum+tcp://pool.example:3333', user: key, password: 'x' }];
export const deviceOf = (round: number) => ({
  ...{ ip: `10.1.0.${round}`, family: 'antminer', driver: 'antminer-stock', confidence: 'sure' as const },
  ...{ model: 'S19', realm: null, networkMac: null, mac: null, serialNumber: `SN-${1_000 + round}`, tlsKey: null },
  ...{ why: null, isCovered: true, sinceMs: 1, seenAtMs: 1 },
});

type Stored = ReturnType<typeof open>;

function open(folder: string) {
  const damaged: string[] = [];
  const log: Log = { ...silentLog, error: (_fields, message) => void damaged.push(message) };
  const path = agentDatabasePath(folder);
  const db = openAgentDatabase(path, AGENT_MIGRATIONS, log);
  return {
    ...{ db, path, damaged },
    journal: openJournal(db),
    desired: openDesiredPools(db),
    opsStatuses: createOpsStatuses(db, ['farm'], log),
    miners: new Map(
      createIdentityStore(db)
        .load()
        .map((entry) => [entry.key, entry]),
    ),
    trust: openTrustRecord(join(folder, TRUST_FILE), systemClock),
    pin: filePin(join(folder, PIN_FILE)),
    /** Of the first row; undefined when there is none. */
    value: (sql: string, ...values: string[]) => Object.values(db.prepare(sql).get(...values) ?? {})[0],
  };
}

/** What of it is not there. A promise that a later one takes back is not looked for. */
export function missingIn(folder: string, promised: readonly string[]): readonly string[] {
  let stored: Stored;
  try {
    stored = open(folder);
  } catch (error) {
    return [renderError(error)];
  }
  try {
    const isForgotten = new Set(promised.flatMap((what) => /^forgetting (.*)$/.exec(what)?.[1] ?? []));
    const lost = promised.filter((what) => !isThere(stored, what, isForgotten));
    const fault = stored.trust.fault();
    return [...stored.damaged, ...(fault === undefined ? [] : [fault]), ...lost];
  } finally {
    stored.trust.close();
    stored.db.close();
  }
}

function isThere(stored: Stored, promised: string, isForgotten: ReadonlySet<string>): boolean {
  const [kind, one = '', other = ''] = promised.split(' ');
  const { journal, desired, trust, miners, value } = stored;
  const lastLogin = () => trust.attempts.last(whoOf(Number(one)), deviceOf(Number(one)).family);
  switch (kind) {
    case 'instance':
      return value('SELECT id FROM instance_id') === one;
    case 'pinned':
      return stored.pin.read() === one;
    case 'received':
      return journal.get(one) !== undefined;
    case 'admitted':
      return Number(value('SELECT seq FROM admitted_messages')) >= Number(one);
    // It would be sent to the miner once more.
    case 'acted':
      return typeof value('SELECT started_ms FROM tasks_journal WHERE miner_key = ?', one) === 'number';
    case 'ended': {
      const row = journal.get(one);
      const isKept = row?.startedMs === null || desired.get(row?.minerKey ?? '')?.isLocked === true;
      return row?.state === 'final' && row.status === other && isKept;
    }
    case 'tried':
      return lastLogin() === 'refused' || lastLogin() === 'accepted';
    case 'welcome':
      return lastLogin() === 'accepted';
    case 'trusted':
      return trust.pinAt(one) !== undefined || isForgotten.has(one);
    case 'forgetting':
      return true;
    case 'forgotten':
      return trust.pinAt(one) === undefined;
    case 'restarted':
      return trust.commandRestarts.of(whoOf(Number(one)), 0).length > 0;
    case 'named':
      return miners.get(one)?.ip === other;
    case 'state':
      return Number(value("SELECT body ->> 'round' FROM miner_state WHERE key = ?", one)) >= Number(other);
    case 'out':
      return stored.opsStatuses.isOutOfOperation(one);
    case 'time':
      return Number(value('SELECT elapsed_ms FROM agent_clock')) >= Number(one);
    case 'head': {
      const { problem } = checkAgentTrail(stored.path, undefined, { seq: Number(one), hash: other });
      return problem === undefined;
    }
    default:
      throw new Error(`nothing is known of the promise '${promised}'`);
  }
}
