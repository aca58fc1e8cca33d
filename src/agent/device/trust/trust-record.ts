// What this host remembers of devices: logins that were tried, devices that were met or accepted, passwords that tasks
// have set, restarts that commands caused. One small database, shared by the agent and all commands of this host.
import type { Clock } from '../../../base/clock.ts';
import type { Statements } from '../../../base/storage/sqlite.ts';
import type { Vault } from '../../../base/storage/vault.ts';
import { type Found, passwordsIn } from '../passwords/password-rows.ts';
import { type Attempt, attemptsIn, keepAs } from './record/attempts.ts';
import { commandRestartsIn } from './record/command-restarts.ts';
import { type Decision, decisionsIn, noteDecision } from './record/decisions.ts';
import {
  acceptDevice,
  DEVICE_BY_IP,
  DEVICES,
  deviceTable,
  factsOf,
  type MetDevice,
  PIN_BY_IP,
  PIN_BY_NAME,
  PINS,
  pinTable,
  type StoredPin,
  unmetDevice,
} from './record/rows.ts';
import { TrustDatabase } from './record/trust-database.ts';

export { type Decision, factsOf, type MetDevice, type StoredPin };

/** Where it lies in the state directory. */
export const TRUST_FILE = 'trust.sqlite';

export type TrustRecord = ReturnType<typeof openTrustRecord>;

/**
 * `path` = of the file, or `:memory:`; `vault` encrypts passwords. Never throws: a record that cannot be opened is
 * tried again after half a minute.
 */
export function openTrustRecord(
  path: string,
  clock: Pick<Clock, 'nowMs' | 'monotonicMs' | 'elapsedMs' | 'after'>,
  { hostUptimeMs, vault }: { readonly hostUptimeMs?: () => number; readonly vault?: Vault | undefined } = {},
) {
  const pins = new Map<string, StoredPin | null>();
  const passwords = new Map<string, Found | null | undefined>();
  const attempts = new Map<string, Attempt | null>();
  const database = new TrustDatabase({
    ...{ path, clock, hostUptimeMs },
    onChange() {
      pins.clear();
      attempts.clear();
      passwords.clear();
    },
    // What it said last of accepted devices counts on: a disk that fails must not hide the farm.
    onFailure: () => attempts.clear(),
  });

  const cachedPin = (key: string, query: string, value: string): StoredPin | undefined =>
    database.read((db) => {
      database.refresh(db);
      const cached = pins.get(key);
      if (cached !== undefined) return cached ?? undefined;
      const pin = pinTable.one(db, query, value);
      keepAs(pins, key, pin ?? null);
      return pin;
    }, pins.get(key) ?? undefined);

  /** What a person says of devices. False where nothing could be written. */
  const writePins = (work: (db: Statements) => void): boolean => {
    const isWritten = database.write(work);
    pins.clear();
    return isWritten;
  };

  return {
    path,
    /** Why it cannot be used; undefined while it can. */
    fault: () => database.fault(),
    attempts: attemptsIn(database, attempts),
    commandRestarts: commandRestartsIn(database),
    /** That tasks have set. Without `vault` there are none. */
    passwords: passwordsIn(database, passwords, vault),
    /** What other processes wrote is noticed with the next question. */
    reread: () => database.reread(),
    pinNamed: (name: string) => cachedPin(`name ${name}`, PIN_BY_NAME, name),
    /** The newest that was accepted at this address. */
    pinAt: (ip: string) => cachedPin(`ip ${ip}`, PIN_BY_IP, ip),
    device: (ip: string) =>
      database.met.get(ip) ?? database.read((db) => deviceTable.one(db, DEVICE_BY_IP, ip), undefined),
    devices() {
      database.flush();
      return database.read((db) => deviceTable.all(db, DEVICES), []);
    },
    allPins: () => database.read((db) => pinTable.all(db, PINS), []),
    /** Shown at once, on disk a second later at most. `before` = what the record had of the address. */
    met: (device: MetDevice, before?: MetDevice) => database.met.add(device, before),
    /** Writes the devices that wait. */
    flush: () => database.flush(),
    /** `by` = who decides, where a person does: it is kept for the audit trail. */
    accept: (devices: readonly MetDevice[], vouchedFor?: string, by?: string) =>
      writePins((db) => {
        noteDecision(db, { at: clock.nowMs(), what: 'accepted', by }, devices, vouchedFor);
        for (const device of devices) acceptDevice(db, device, vouchedFor, clock.nowMs());
        database.trim(db, 'pin', devices.length);
      }),
    /** The device that was accepted is at another address now. */
    movePin: ({ name }: Pick<StoredPin, 'name'>, ip: string) =>
      writePins((db) => void db.prepare('UPDATE pin SET ip = ? WHERE name = ?').run(ip, name)),
    /** Accepted ones, and ones that were met: the next scan meets them again. */
    forget: (
      accepted: readonly Pick<StoredPin, 'name' | 'ip'>[],
      met: readonly Pick<MetDevice, 'ip'>[] = [],
      by?: string,
    ) =>
      writePins((db) => {
        noteDecision(db, { at: clock.nowMs(), what: 'forgotten', by }, [...accepted, ...met]);
        for (const { name } of accepted) db.prepare('DELETE FROM pin WHERE name = ?').run(name);
        for (const { ip } of [...accepted, ...met]) db.prepare('DELETE FROM device WHERE ip = ?').run(ip);
      }),
    /** Accepts devices by address, as the drivers that a person names, before they were met. */
    vouch: (devices: readonly { readonly ip: string; readonly driver: string }[]) =>
      writePins((db) => {
        for (const { ip, driver } of devices) acceptDevice(db, unmetDevice(ip, driver), driver, clock.nowMs());
        database.trim(db, 'pin', devices.length);
      }),
    decisions: decisionsIn(database, clock),
    close: () => database.close(),
  };
}
