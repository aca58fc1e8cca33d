// The rows of the trust record: devices as they were met, and devices as a person accepted them. Columns are the keys
// of a schema in snake case.
import { z } from 'zod';
import type { Statements } from '../../../../base/storage/sqlite.ts';
import { identitySchema } from '../../../../driver/contract.ts';
import { type DeviceFacts, pinKeyOf, WITHHELD } from '../rules.ts';
import { SEEN_TIME_STEP } from './seen-time.ts';

export const TRUST_STEPS = [
  `CREATE TABLE attempt (who TEXT PRIMARY KEY, family TEXT NOT NULL, is_accepted INTEGER NOT NULL, at INTEGER NOT NULL) STRICT;
   CREATE TABLE device (
     ip TEXT PRIMARY KEY, family TEXT NOT NULL, driver TEXT NOT NULL, confidence TEXT NOT NULL, model TEXT, realm TEXT, network_mac TEXT,
     mac TEXT, serial_number TEXT, tls_key TEXT, why TEXT, is_covered INTEGER NOT NULL, since_ms INTEGER NOT NULL, seen_at_ms INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE pin (
     name TEXT PRIMARY KEY, ip TEXT NOT NULL, family TEXT NOT NULL, model TEXT, realm TEXT, network_mac TEXT, mac TEXT, serial_number TEXT,
     tls_key TEXT, is_vouched_for INTEGER NOT NULL, accepted_at_ms INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX pin_by_ip ON pin (ip);
   CREATE TABLE password (
     name TEXT PRIMARY KEY, user TEXT NOT NULL, current TEXT NOT NULL, is_set INTEGER NOT NULL, next TEXT
   ) STRICT;
   CREATE TABLE command_restart (who TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT;
   ${SEEN_TIME_STEP}`,
  'CREATE TABLE decision (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, what TEXT NOT NULL, by TEXT NOT NULL, detail TEXT NOT NULL) STRICT;',
];

/** Deletes the oldest rows beyond so many. */
export const TRIM = {
  attempt: 'DELETE FROM attempt WHERE rowid IN (SELECT rowid FROM attempt ORDER BY at DESC LIMIT -1 OFFSET ?)',
  device: 'DELETE FROM device WHERE rowid IN (SELECT rowid FROM device ORDER BY seen_at_ms DESC LIMIT -1 OFFSET ?)',
  command_restart:
    'DELETE FROM command_restart WHERE rowid IN (SELECT rowid FROM command_restart ORDER BY at DESC LIMIT -1 OFFSET ?)',
  pin: 'DELETE FROM pin WHERE rowid IN (SELECT rowid FROM pin ORDER BY accepted_at_ms DESC LIMIT -1 OFFSET ?)',
} as const;

export const flag = z.int().transform((value) => value !== 0);
const nullable = z.string().nullable();

/** What a device shows before a login, null where it shows nothing. */
const shownShape = {
  ip: z.string(),
  family: z.string(),
  model: nullable,
  realm: nullable,
  networkMac: nullable,
  mac: nullable,
  serialNumber: nullable,
  tlsKey: nullable,
};

const deviceSchema = z.object({
  ...shownShape,
  driver: z.string(),
  confidence: identitySchema.shape.confidence,
  /** Why it gets no login; null when it may get one or needs none. */
  why: z.enum(WITHHELD).nullable(),
  /** A configured login is for it. */
  isCovered: flag,
  sinceMs: z.number(),
  seenAtMs: z.number(),
});
/** A device as it was met. */
export type MetDevice = z.output<typeof deviceSchema>;

const pinSchema = z.object({ ...shownShape, name: z.string(), isVouchedFor: flag, acceptedAtMs: z.number() });
export type StoredPin = z.output<typeof pinSchema>;

/** `columns` for an insert, `asKeys` for a select, `marks` for the values. */
function columnsOf(schema: z.ZodObject) {
  const keys = Object.keys(schema.shape);
  const columns = keys.map((key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  const asKeys = keys.map((key, index) => `${columns[index]} AS ${key}`).join();
  return [columns.join(), asKeys, columns.map(() => '?').join()] as const;
}

const [DEVICE_COLUMNS, DEVICE_AS_KEYS, DEVICE_MARKS] = columnsOf(deviceSchema);
const [PIN_COLUMNS, PIN_AS_KEYS, PIN_MARKS] = columnsOf(pinSchema);

export const DEVICE_BY_IP = `SELECT ${DEVICE_AS_KEYS} FROM device WHERE ip = ?`;
export const DEVICES = `SELECT ${DEVICE_AS_KEYS} FROM device ORDER BY since_ms, ip`;
export const PIN_BY_NAME = `SELECT ${PIN_AS_KEYS} FROM pin WHERE name = ?`;
export const PIN_BY_IP = `SELECT ${PIN_AS_KEYS} FROM pin WHERE ip = ? ORDER BY accepted_at_ms DESC LIMIT 1`;
export const PINS = `SELECT ${PIN_AS_KEYS} FROM pin ORDER BY accepted_at_ms, ip`;
const PUT_DEVICE = `INSERT OR REPLACE INTO device (${DEVICE_COLUMNS}) VALUES (${DEVICE_MARKS})`;
const PUT_PIN = `INSERT OR REPLACE INTO pin (${PIN_COLUMNS}) VALUES (${PIN_MARKS})`;

function tableOf<S extends z.ZodObject>(schema: S, insert: string) {
  const keys = Object.keys(schema.shape);
  return {
    one(db: Statements, query: string, value: string): z.output<S> | undefined {
      const row = db.prepare(query).get(value);
      return row === undefined ? undefined : schema.parse(row);
    },
    all(db: Statements, query: string): z.output<S>[] {
      const rows = db.prepare(query).all();
      return rows.map((row) => schema.parse(row));
    },
    put(db: Statements, row: z.output<S>): void {
      const values: Readonly<Record<string, unknown>> = row;
      db.prepare(insert).run(...keys.map((key) => columnValue(values[key])));
    },
  };
}

function columnValue(value: unknown): string | number | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

export const deviceTable = tableOf(deviceSchema, PUT_DEVICE);
export const pinTable = tableOf(pinSchema, PUT_PIN);

/** Accepts a device. `vouchedFor` = the driver that the person names for it. */
export function acceptDevice(db: Statements, device: MetDevice, vouchedFor: string | undefined, nowMs: number): void {
  const { ip, model, realm, networkMac, mac, serialNumber, tlsKey } = device;
  const family = vouchedFor ?? device.family;
  // A pin of the address alone was of another device, or of this one before it showed more. Pins by name may have
  // moved: they stay.
  db.prepare('DELETE FROM pin WHERE name = ?').run(`ip:${ip}`);
  pinTable.put(db, {
    ...{ name: pinKeyOf(ip, factsOf(device)), ip, family, model, realm, networkMac, mac, serialNumber, tlsKey },
    ...{ isVouchedFor: vouchedFor !== undefined, acceptedAtMs: nowMs },
  });
  db.prepare('UPDATE device SET why = NULL, family = ? WHERE ip = ?').run(family, ip);
}

/** A device that was not met yet. */
export const unmetDevice = (ip: string, driver: string): MetDevice => ({
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
