// What this host remembers of devices, in one small database beside the agent's state: attempts with logins, devices that were met, devices that a person
// accepted, and restarts that commands ordered. The agent and all commands of this host share it. Where it cannot be read, no more is known than what is in memory; where it
// cannot be written, nothing is added. `fault` says why.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { renderError } from '../../../base/errors.ts';
import { diskFault } from '../../../base/storage/disk-fault.ts';
import { openSqlite, preparedOnce, transact } from '../../../base/storage/sqlite.ts';
import { identitySchema } from '../../../driver/contract.ts';
import { type Attempt, attemptsIn, flag, keepAs } from './record/attempts.ts';
import { createMetDevices } from './record/met-devices.ts';
import { ORDERED_RESTARTS_STEP, orderedRestartsIn } from './record/ordered-restarts.ts';
import { createSeenTime, SEEN_TIME_STEP } from './record/seen-time.ts';
import { type DeviceFacts, pinKeyOf, WITHHELD } from './rules.ts';

/** Where it lies in the state directory. */
export const TRUST_FILE = 'trust.sqlite';

/** Rows of each table; the oldest go first. Twice the largest farm. They are looked for when this process has written so many more. */
const MAX_ROWS = 50_000;
const TRIM_EVERY = 1_000;
/** Other processes may have written: that is looked for at most so often. */
const FRESH_MS = 1_000;
/** A record that cannot be opened is tried again after so long. */
const REOPEN_MS = 30_000;

const STEPS = [
  `CREATE TABLE attempt (who TEXT PRIMARY KEY, family TEXT NOT NULL, is_accepted INTEGER NOT NULL, at INTEGER NOT NULL) STRICT;
   CREATE TABLE device (
     ip TEXT PRIMARY KEY, family TEXT NOT NULL, driver TEXT NOT NULL, confidence TEXT NOT NULL, model TEXT, realm TEXT, network_mac TEXT,
     mac TEXT, serial TEXT, tls_key TEXT, why TEXT, is_covered INTEGER NOT NULL, since INTEGER NOT NULL, seen_at INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE pin (
     name TEXT PRIMARY KEY, ip TEXT NOT NULL, family TEXT NOT NULL, model TEXT, realm TEXT, network_mac TEXT, mac TEXT, serial TEXT,
     tls_key TEXT, is_vouched INTEGER NOT NULL, at INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX pin_by_ip ON pin (ip);
   ${ORDERED_RESTARTS_STEP}
   ${SEEN_TIME_STEP}`,
];

/** The oldest go. */
const TRIM = {
  attempt: 'DELETE FROM attempt WHERE rowid IN (SELECT rowid FROM attempt ORDER BY at DESC LIMIT -1 OFFSET ?)',
  device: 'DELETE FROM device WHERE rowid IN (SELECT rowid FROM device ORDER BY seen_at DESC LIMIT -1 OFFSET ?)',
  ordered_restart:
    'DELETE FROM ordered_restart WHERE rowid IN (SELECT rowid FROM ordered_restart ORDER BY at DESC LIMIT -1 OFFSET ?)',
  pin: 'DELETE FROM pin WHERE rowid IN (SELECT rowid FROM pin ORDER BY at DESC LIMIT -1 OFFSET ?)',
} as const;

const nullable = z.string().nullable();

const deviceSchema = z
  .object({
    ip: z.string(),
    family: z.string(),
    driver: z.string(),
    confidence: identitySchema.shape.confidence,
    model: nullable,
    realm: nullable,
    network_mac: nullable,
    mac: nullable,
    serial: nullable,
    tls_key: nullable,
    why: z.enum(WITHHELD).nullable(),
    is_covered: flag,
    since: z.number(),
    seen_at: z.number(),
  })
  .transform(({ network_mac: networkMac, serial: serialNumber, is_covered: isCovered, seen_at: seenAtMs, ...row }) => ({
    ...{ ip: row.ip, family: row.family, driver: row.driver, confidence: row.confidence, model: row.model },
    ...{ realm: row.realm, networkMac, mac: row.mac, serialNumber, tlsKey: row.tls_key, why: row.why, isCovered },
    ...{ sinceMs: row.since, seenAtMs },
  }));
/** A device as it was met. `why` = why it gets no login, null when it may get one or needs none; `isCovered` = a configured login is for it. */
export type MetDevice = z.output<typeof deviceSchema>;

const pinSchema = z
  .object({
    name: z.string(),
    ip: z.string(),
    family: z.string(),
    model: nullable,
    realm: nullable,
    network_mac: nullable,
    mac: nullable,
    serial: nullable,
    tls_key: nullable,
    is_vouched: flag,
    at: z.number(),
  })
  .transform(
    ({ network_mac: networkMac, serial: serialNumber, is_vouched: isVouchedFor, at: acceptedAtMs, ...row }) => ({
      ...{
        name: row.name,
        ip: row.ip,
        family: row.family,
        model: row.model,
        realm: row.realm,
        networkMac,
        mac: row.mac,
      },
      ...{ serialNumber, tlsKey: row.tls_key, isVouchedFor, acceptedAtMs },
    }),
  );
export type StoredPin = z.output<typeof pinSchema>;

export type TrustRecord = ReturnType<typeof openTrustRecord>;

/** `path` = of the file, or `:memory:`. Never throws: a record that cannot be opened is tried again after half a minute. */
export function openTrustRecord(
  path: string,
  clock: Pick<Clock, 'nowMs' | 'monotonicMs' | 'elapsedMs' | 'after'>,
  hostUptimeMs?: () => number,
) {
  const seenTime = createSeenTime(clock, hostUptimeMs);
  let db: DatabaseSync | undefined;
  let statements: Statements | undefined;
  let fault: string | undefined;
  let triedMs: number | undefined;
  /** When the disk refused a write last, while it can still be read. */
  let refusedMs: number | undefined;
  let isClosed = false;
  let checkedMs = -Infinity;
  let version: unknown;
  const pins = new Map<string, StoredPin | null>();
  const attempts = new Map<string, Attempt | null>();
  const forgetCache = () => {
    pins.clear();
    attempts.clear();
  };

  const failed = (error: unknown) => {
    fault = `${path}: ${renderError(error)}`;
    triedMs = clock.monotonicMs();
    db?.close();
    db = undefined;
    statements = undefined;
    attempts.clear();
    seenTime.forget();
  };

  const database = (): Statements | undefined => {
    if (statements !== undefined || isClosed) return statements;
    if (triedMs !== undefined && clock.monotonicMs() - triedMs < REOPEN_MS) return undefined;
    try {
      if (path !== ':memory:' && !existsSync(dirname(path))) throw new Error('its folder does not exist');
      db = openSqlite(path, [{ owner: 'trust', steps: STEPS }]);
      statements = preparedOnce(db);
      fault = undefined;
      refusedMs = undefined;
      forgetCache();
    } catch (error) {
      failed(error);
    }
    return statements;
  };

  /** `otherwise` where the record cannot be used. */
  const using = <T>(work: (db: Statements) => T, otherwise: T): T => {
    const open = database();
    if (open === undefined) return otherwise;
    try {
      return work(open);
    } catch (error) {
      failed(error);
      return otherwise;
    }
  };

  /** Takes notice of what other processes wrote. */
  const refresh = (open: Statements) => {
    const nowMs = clock.monotonicMs();
    if (nowMs - checkedMs < FRESH_MS) return;
    checkedMs = nowMs;
    const found = open.prepare('PRAGMA data_version').get()?.data_version;
    if (found !== version) forgetCache();
    version = found;
    seenTime.keep(open);
  };

  /** While the record cannot be read, what it said last counts: a disk that fails must not hide the farm. */
  const cachedPin = (key: string, sql: string, value: string): StoredPin | undefined =>
    using((open) => {
      refresh(open);
      const kept = pins.get(key);
      if (kept !== undefined) return kept ?? undefined;
      const row = open.prepare(sql).get(value);
      const pin = row === undefined ? null : pinSchema.parse(row);
      keepAs(pins, key, pin);
      return pin ?? undefined;
    }, pins.get(key) ?? undefined);

  const isRefused = () => refusedMs !== undefined && clock.monotonicMs() - refusedMs < REOPEN_MS;

  /** With the devices that wait. A disk that takes no more, or another process that writes for long, takes away nothing that is known. */
  const write = (work: (db: Statements) => void): boolean => {
    const isWritten = using((open) => {
      if (db === undefined || isRefused()) return false;
      try {
        transact(db, () => {
          trim(open, 'device', met.write(open));
          work(open);
        });
      } catch (error) {
        if (diskFault(error) === 'the file is damaged') throw error;
        refusedMs = clock.monotonicMs();
        fault = `${path}: ${renderError(error)}`;
        return false;
      }
      if (refusedMs !== undefined) fault = undefined;
      refusedMs = undefined;
      return true;
    }, false);
    met.written(isWritten);
    return isWritten;
  };

  /** What a person says of devices. */
  const writePins = (work: (db: Statements) => void): boolean => {
    const isWritten = write(work);
    pins.clear();
    return isWritten;
  };

  const untrimmed = { attempt: TRIM_EVERY, device: TRIM_EVERY, ordered_restart: TRIM_EVERY, pin: TRIM_EVERY };
  const trim = (open: Statements, table: keyof typeof TRIM, rows: number) => {
    untrimmed[table] += rows;
    if (untrimmed[table] < TRIM_EVERY) return;
    untrimmed[table] = 0;
    open.prepare(TRIM[table]).run(MAX_ROWS);
  };

  const met = createMetDevices(clock, { put: putDevice, writeAll: () => write(() => {}) });
  const flush = () => {
    if (!met.isEmpty()) write(() => {});
  };

  return {
    path,
    /** Why it cannot be used; undefined while it can. */
    fault(): string | undefined {
      database();
      if (refusedMs !== undefined) write(tryWrite);
      return fault;
    },
    attempts: attemptsIn({
      using,
      write,
      trim,
      refresh,
      canWrite: () => !isRefused(),
      kept: attempts,
      seenTime,
    }),
    orderedRestarts: orderedRestartsIn({ using, write, trim, seenTime }),
    pinNamed: (name: string) => cachedPin(`name ${name}`, 'SELECT * FROM pin WHERE name = ?', name),
    /** What other processes wrote is noticed with the next question. */
    reread(): void {
      checkedMs = Number.NEGATIVE_INFINITY;
    },
    /** The newest that was accepted at this address. */
    pinAt: (ip: string) => cachedPin(`ip ${ip}`, 'SELECT * FROM pin WHERE ip = ? ORDER BY at DESC LIMIT 1', ip),
    device: (ip: string) =>
      met.get(ip) ??
      using((open) => {
        const row = open.prepare('SELECT * FROM device WHERE ip = ?').get(ip);
        return row === undefined ? undefined : deviceSchema.parse(row);
      }, undefined),
    devices() {
      flush();
      const sql = 'SELECT * FROM device ORDER BY since, ip';
      return using(
        (open) =>
          open
            .prepare(sql)
            .all()
            .map((row) => deviceSchema.parse(row)),
        [],
      );
    },
    allPins: () =>
      using(
        (open) =>
          open
            .prepare('SELECT * FROM pin ORDER BY at, ip')
            .all()
            .map((row) => pinSchema.parse(row)),
        [],
      ),
    /** It is on disk a second later at most, and told by `device` and `devices` at once. `before` = what the record had of the address. */
    met: (device: MetDevice, before?: MetDevice) => met.add(device, before),
    /** Writes the devices that wait. */
    flush,
    /** False where nothing could be written. */
    accept: (devices: readonly MetDevice[], vouchedFor?: string) =>
      writePins((open) => {
        for (const device of devices) putPin(open, device, vouchedFor, clock.nowMs());
        trim(open, 'pin', devices.length);
      }),
    /** The device that was accepted is at another address now. */
    movePin: ({ name }: Pick<StoredPin, 'name'>, ip: string) =>
      writePins((open) => void open.prepare('UPDATE pin SET ip = ? WHERE name = ?').run(ip, name)),
    forget: (forgotten: readonly Pick<StoredPin, 'name' | 'ip'>[]) =>
      writePins((open) => {
        for (const { name, ip } of forgotten) {
          open.prepare('DELETE FROM pin WHERE name = ?').run(name);
          open.prepare('DELETE FROM device WHERE ip = ?').run(ip);
        }
      }),
    /** Accepts devices by address before they were met, as the drivers that a person names. For devices that show no MAC without a login. */
    vouch: (devices: readonly { readonly ip: string; readonly driver: string }[]) =>
      writePins((open) => {
        for (const { ip, driver } of devices) putPin(open, stranger(ip, driver), driver, clock.nowMs());
        trim(open, 'pin', devices.length);
      }),
    /** The next scan meets them again. */
    forgetDevices: (forgotten: readonly Pick<MetDevice, 'ip'>[]) =>
      write((open) => {
        for (const { ip } of forgotten) open.prepare('DELETE FROM device WHERE ip = ?').run(ip);
      }),
    close() {
      flush();
      isClosed = true;
      db?.close();
      db = undefined;
      statements = undefined;
    },
  };
}

type Statements = Pick<DatabaseSync, 'prepare'>;

/** Changes nothing, and still has to be written. */
const tryWrite = (db: Statements) => void db.prepare('UPDATE seen_time SET seen_ms = seen_ms').run();

function putDevice(db: Statements, device: MetDevice): void {
  db.prepare(
    `INSERT INTO device VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (ip) DO UPDATE SET family = excluded.family,
     driver = excluded.driver, confidence = excluded.confidence, model = excluded.model, realm = excluded.realm,
     network_mac = excluded.network_mac, mac = excluded.mac, serial = excluded.serial, tls_key = excluded.tls_key, why = excluded.why,
     is_covered = excluded.is_covered, since = excluded.since, seen_at = excluded.seen_at`,
  ).run(
    ...[device.ip, device.family, device.driver, device.confidence, device.model, device.realm, device.networkMac],
    ...[device.mac, device.serialNumber, device.tlsKey, device.why],
    ...[device.isCovered ? 1 : 0, device.sinceMs, device.seenAtMs],
  );
}

function putPin(db: Statements, device: MetDevice, vouchedFor: string | undefined, nowMs: number): void {
  const { ip, model, realm, networkMac, mac, serialNumber, tlsKey } = device;
  const name = pinKeyOf(ip, factsOf(device));
  const family = vouchedFor ?? device.family;
  // A device that was accepted by its address alone was another one, or this one before it showed more. Others may have moved, and keep theirs.
  db.prepare('DELETE FROM pin WHERE name = ?').run(`ip:${ip}`);
  db.prepare('INSERT OR REPLACE INTO pin VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
    ...[name, ip, family, model, realm, networkMac, mac, serialNumber, tlsKey, vouchedFor === undefined ? 0 : 1, nowMs],
  );
  db.prepare('UPDATE device SET why = NULL, family = ? WHERE ip = ?').run(family, ip);
}

const stranger = (ip: string, driver: string): MetDevice => ({
  ...{ ip, driver, family: driver, confidence: 'likely', model: null, realm: null, networkMac: null, mac: null },
  ...{ serialNumber: null, tlsKey: null, why: null, isCovered: false, sinceMs: 0, seenAtMs: 0 },
});

export const factsOf = ({ family, confidence, ...device }: MetDevice): DeviceFacts => ({
  ...{ family, confidence },
  realm: device.realm ?? undefined,
  networkMac: device.networkMac ?? undefined,
  mac: device.mac ?? undefined,
  serialNumber: device.serialNumber ?? undefined,
  tlsKey: device.tlsKey ?? undefined,
});
