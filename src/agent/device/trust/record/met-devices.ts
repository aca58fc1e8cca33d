// Devices that were met and are not on disk yet. Each write waits for the disk, and a first scan meets a whole farm: so
// they are written together, at most a second later. A process that is killed before that meets them again.
import type { Cancel, Clock } from '../../../../base/clock.ts';
import type { Statements } from '../../../../base/storage/sqlite.ts';

const WRITE_EVERY_MS = 1_000;
const WRITE_AT = 500;
/** While the disk refuses. The oldest are dropped: they are met again. */
const MAX_WAITING = 50_000;

/** `why` = why it gets no login, which changes when a person accepts it. */
type Noted = { readonly ip: string; readonly why: string | null };
type Waiting<D> = { readonly device: D; readonly before: D | undefined };

export function createMetDevices<D extends Noted>(
  clock: Pick<Clock, 'after'>,
  { put, writeAll }: { put(db: Statements, device: D): void; writeAll(): void },
) {
  const waiting = new Map<string, Waiting<D>>();
  let timer: Cancel | undefined;

  return {
    isEmpty: () => waiting.size === 0,
    /** The newest of this address that waits. */
    get: (ip: string): D | undefined => waiting.get(ip)?.device,
    /** `before` = what the record had of the address when it was met. */
    add(device: D, before: D | undefined): void {
      const earlier = waiting.get(device.ip);
      waiting.delete(device.ip);
      waiting.set(device.ip, { device, before: earlier === undefined ? before : earlier.before });
      const [oldest] = waiting.size > MAX_WAITING ? waiting.keys() : [];
      if (oldest !== undefined) waiting.delete(oldest);
      if (waiting.size >= WRITE_AT && waiting.size % WRITE_AT === 0) writeAll();
      else timer ??= clock.after(WRITE_EVERY_MS, writeAll, { unref: true });
    },
    /**
     * Part of a transaction; gives how many there were. What another process wrote of a device since it was met stays.
     */
    write(db: Statements): number {
      const select = db.prepare('SELECT why FROM device WHERE ip = ?');
      for (const { device, before } of waiting.values())
        if (select.get(device.ip)?.why === before?.why) put(db, device);
      return waiting.size;
    },
    /** Called after each write: they are on disk, or the disk refused. */
    written(isOnDisk: boolean): void {
      timer?.();
      timer = undefined;
      if (isOnDisk) waiting.clear();
    },
  };
}
