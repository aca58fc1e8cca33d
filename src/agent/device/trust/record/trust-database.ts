// The database of the trust record: opened when it is first asked for, and again half a minute after a failure. When
// the disk refuses writes, it still reads. It never throws for the disk: `fault` says what is wrong.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../../../base/clock.ts';
import { renderError } from '../../../../base/errors.ts';
import { diskFault } from '../../../../base/storage/disk-fault.ts';
import { openSqlite, preparedOnce, SMALL_CACHE, type Statements, transact } from '../../../../base/storage/sqlite.ts';
import { createMetDevices } from './met-devices.ts';
import { deviceTable, type MetDevice, TRIM, TRUST_STEPS } from './rows.ts';
import { createSeenTime, type SeenTime } from './seen-time.ts';

/** Rows of each table: twice the largest farm. The oldest are deleted, after every `TRIM_EVERY` new rows. */
const MAX_ROWS = 50_000;
const TRIM_EVERY = 1_000;
/** How often to look for what other processes wrote. */
const FRESH_MS = 1_000;
/** Pause after a failure to open or to write. */
const RETRY_MS = 30_000;

type Options = {
  /** Of the file, or `:memory:`. */
  readonly path: string;
  readonly clock: Pick<Clock, 'monotonicMs' | 'elapsedMs' | 'after'>;
  readonly hostUptimeMs: (() => number) | undefined;
  /** Another process has written, or the database was opened again: nothing that was read before is certain. */
  readonly onChange: () => void;
  /** The database cannot be used any more. */
  readonly onFailure: () => void;
};

export class TrustDatabase {
  readonly seenTime: SeenTime;
  /** Devices that wait to be written: each write takes them along. */
  readonly met;
  readonly #options: Options;
  #db: DatabaseSync | undefined;
  #statements: Statements | undefined;
  #fault: string | undefined;
  #failedMs: number | undefined;
  /** When the disk last refused a write, while it can still be read. */
  #writeRefusedMs: number | undefined;
  #isClosed = false;
  #refreshedMs = Number.NEGATIVE_INFINITY;
  #dataVersion: unknown;
  readonly #untrimmed = { attempt: TRIM_EVERY, device: TRIM_EVERY, command_restart: TRIM_EVERY, pin: TRIM_EVERY };

  constructor(options: Options) {
    this.#options = options;
    this.seenTime = createSeenTime(options.clock, options.hostUptimeMs);
    this.met = createMetDevices<MetDevice>(options.clock, {
      put: deviceTable.put,
      writeAll: () => this.write(() => {}),
    });
  }

  /** Why it cannot be used or written; undefined while it can. */
  fault(): string | undefined {
    this.#open();
    // Changes nothing, and still has to be written.
    if (this.#writeRefusedMs !== undefined)
      this.write((db) => void db.prepare('UPDATE seen_time SET seen_ms = seen_ms').run());
    return this.#fault;
  }

  /** False for a while after the disk refused a write. */
  canWrite(): boolean {
    return !this.#isPausing(this.#writeRefusedMs);
  }

  /** `otherwise` where the database cannot be used. */
  read<T>(work: (db: Statements) => T, otherwise: T): T {
    const db = this.#open();
    if (db === undefined) return otherwise;
    try {
      return work(db);
    } catch (error) {
      this.#fail(error);
      return otherwise;
    }
  }

  /** One transaction. False where the disk refused, or another process writes for long: nothing was written. */
  write(work: (db: Statements) => void): boolean {
    const isWritten = this.read((db) => this.#transact(db, work), false);
    this.met.written(isWritten);
    return isWritten;
  }

  /** Takes notice of what other processes wrote. */
  refresh(db: Statements): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - this.#refreshedMs < FRESH_MS) return;
    this.#refreshedMs = nowMs;
    const version = db.prepare('PRAGMA data_version').get()?.data_version;
    if (version !== this.#dataVersion) this.#options.onChange();
    this.#dataVersion = version;
    this.seenTime.keep(db);
  }

  /** The next `refresh` looks at once. */
  reread(): void {
    this.#refreshedMs = Number.NEGATIVE_INFINITY;
  }

  /** Part of a write that added `rows` to the table. */
  trim(db: Statements, table: keyof typeof TRIM, rows: number): void {
    this.#untrimmed[table] += rows;
    if (this.#untrimmed[table] < TRIM_EVERY) return;
    this.#untrimmed[table] = 0;
    db.prepare(TRIM[table]).run(MAX_ROWS);
  }

  /** Writes the devices that wait. */
  flush(): void {
    if (!this.met.isEmpty()) this.write(() => {});
  }

  close(): void {
    this.flush();
    this.#isClosed = true;
    this.#release();
  }

  #isPausing(sinceMs: number | undefined): boolean {
    return sinceMs !== undefined && this.#options.clock.monotonicMs() - sinceMs < RETRY_MS;
  }

  #open(): Statements | undefined {
    if (this.#statements !== undefined || this.#isClosed || this.#isPausing(this.#failedMs)) return this.#statements;
    const { path } = this.#options;
    try {
      if (path !== ':memory:' && !existsSync(dirname(path))) throw new Error('its folder does not exist');
      this.#db = openSqlite(path, [{ owner: 'trust', steps: TRUST_STEPS }]);
      this.#db.exec(SMALL_CACHE);
      this.#statements = preparedOnce(this.#db);
      this.#fault = undefined;
      this.#writeRefusedMs = undefined;
      this.#options.onChange();
    } catch (error) {
      this.#fail(error);
    }
    return this.#statements;
  }

  #fail(error: unknown): void {
    this.#noteFault(error);
    this.#failedMs = this.#options.clock.monotonicMs();
    this.#release();
    this.#options.onFailure();
    this.seenTime.forget();
  }

  #transact(db: Statements, work: (db: Statements) => void): boolean {
    if (this.#db === undefined || !this.canWrite()) return false;
    try {
      transact(this.#db, () => {
        this.trim(db, 'device', this.met.write(db));
        work(db);
      });
    } catch (error) {
      if (diskFault(error) === 'the file is damaged') throw error;
      this.#writeRefusedMs = this.#options.clock.monotonicMs();
      this.#noteFault(error);
      return false;
    }
    if (this.#writeRefusedMs !== undefined) this.#fault = undefined;
    this.#writeRefusedMs = undefined;
    return true;
  }

  #noteFault(error: unknown): void {
    this.#fault = `${this.#options.path}: ${renderError(error)}`;
  }

  #release(): void {
    this.#db?.close();
    this.#db = undefined;
    this.#statements = undefined;
  }
}
