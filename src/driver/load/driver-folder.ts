// The drivers of a folder: finds them, runs them in one process, and starts that again when one of them ended it. The
// one that did waits, longer each time; the others go on. It decides nothing about miners.
import type { Clock } from '../../base/clock.ts';
import { BugError, CancelledError, PeerError, renderError } from '../../base/errors.ts';
import { type Log, oncePerMinute } from '../../base/log.ts';
import { doublingMs } from '../../base/time/backoff.ts';
import { ABILITY_NAMES, type AbilityName } from '../../model/tasks/task-kinds.data.ts';
import { type Candidate, type Found, findCandidates, type Refusal, whyNotNow } from './candidates.ts';
import { writeKitTypes } from './kit-types.ts';
import type { LoadedDriver } from './loaded-driver.ts';
import { type ChildCommand, ownCommand } from './process/child-command.ts';
import { DriverProcess, DriverThrew, type Message, ProcessEnded } from './process/driver-process.ts';
import { Acting } from './remote/acting.ts';
import { type Described, describedSchema, misfitOf } from './remote/described.ts';
import { folderDriver, type Remote, waiting } from './remote/folder-driver.ts';

/** Of one driver; by its id in the configuration. */
export type DriverSettings = { readonly replace: boolean; readonly allow: readonly AbilityName[] };

export type FolderOptions = {
  /** Undefined = there is none. Read with each load. */
  readonly folder: () => string | undefined;
  readonly settings: () => Readonly<Record<string, DriverSettings>>;
  readonly builtIn: readonly LoadedDriver[];
  readonly clock: Clock;
  readonly log: Log;
  /** Whether each load brings the type file for editors up to date, where it can. */
  readonly writesTypes?: boolean;
  /** What is started; absent = this program. */
  readonly command?: ChildCommand;
};

/** `commands` = what the driver can do; `allowed` = what of it the configuration allows. */
export type FolderEntry = {
  readonly id: string;
  readonly origin: string;
  readonly covers: LoadedDriver['covers'];
  readonly commands: readonly AbilityName[];
  readonly allowed: readonly AbilityName[];
};

/**
 * What is wrong with a driver now. `waitsMs` = until its next try, since it ended its process or cannot be loaded
 * again; undefined = it is in use, and breaks where the reason says: what it should have answered is lost.
 */
export type DriverFault = {
  readonly id: string;
  readonly origin: string;
  readonly reason: string;
  readonly waitsMs: number | undefined;
};

const NOTHING: Found = { candidates: [], refused: [] };
const PAUSE = { baseMs: 5_000, capMs: 15 * 60_000 } as const;
/** A fault so long after the one before is a first one. */
const FORGOTTEN_MS = 60 * 60_000;
/** Others may end the process before a call has its turn. */
const MOST_TRIES = 4;

type Slot = {
  readonly broke: (error: unknown) => void;
  readonly candidate: Candidate;
  failures: number;
  failedMs: number;
  untilMs: number;
  reason: string | undefined;
  /** What is wrong with each of its functions, until that answers again. */
  readonly broken: Map<string, string>;
};

export class DriverFolder {
  readonly #options: FolderOptions;
  readonly #acting: Acting;
  #slots = new Map<string, Slot>();
  #entries: readonly FolderEntry[] = [];
  #refused: readonly Refusal[] = [];
  #process: DriverProcess | undefined;
  #loaded = new Map<string, Promise<unknown>>();
  /** Of the process itself, which may not start at all. */
  #starts = { failures: 0, untilMs: 0 };
  #folder = '';
  #isOpen = false;
  /** How often it was closed: a load that was under way then starts nothing. */
  #closed = 0;
  /** What the newest load found and gave. */
  #last: { readonly key: string; readonly drivers: readonly LoadedDriver[] } | undefined;

  constructor(options: FolderOptions) {
    this.#options = options;
    this.#acting = new Acting(options.clock, (id, message) => this.#send(id, message));
  }

  /** In the order of the folder: which drivers it gives. */
  entries = (): readonly FolderEntry[] => this.#entries;

  refused = (): readonly Refusal[] => this.#refused;

  faults(): DriverFault[] {
    const nowMs = this.#options.clock.monotonicMs();
    return [...this.#slots.values()].flatMap(
      ({ candidate: { id, origin }, reason, untilMs, broken }): DriverFault[] => {
        if (reason !== undefined) return [{ id, origin, reason, waitsMs: Math.max(0, untilMs - nowMs) }];
        const [first] = broken;
        return first === undefined
          ? []
          : [{ id, origin, reason: `breaks in ${first[0]}: ${first[1]}`, waitsMs: undefined }];
      },
    );
  }

  /**
   * Loads what lies in the folder now, in a new process; what is unchanged and well stays as it is. Gives all drivers:
   * those of the program, without what the folder replaces, then those of the folder. Never throws: what cannot be
   * loaded is refused, with the reason.
   */
  async load(): Promise<readonly LoadedDriver[]> {
    const { folder, builtIn, log, settings, writesTypes = false } = this.#options;
    const closed = this.#closed;
    this.#folder = folder() ?? '';
    if (writesTypes && this.#folder !== '') writeKitTypes(this.#folder);
    const found = this.#folder === '' ? NOTHING : await findCandidates(this.#folder);
    const key = JSON.stringify([found, settings()]);
    if (this.#last?.key === key && this.faults().length === 0) return this.#last.drivers;
    await this.#end();
    if (closed !== this.#closed) return builtIn;
    this.#isOpen = true;
    const refused = [...found.refused];
    const drivers: LoadedDriver[] = [];
    const entries: FolderEntry[] = [];
    for (const candidate of found.candidates) {
      const { id, origin } = candidate;
      const outcome = this.#nameTaken(id) ?? (await this.#loadFirst(candidate, drivers));
      if (typeof outcome === 'string') {
        this.#slots.delete(id);
        refused.push({ id, origin, reason: outcome });
        continue;
      }
      drivers.push(outcome.driver);
      entries.push(outcome.entry);
      log.info({ driver: id, file: origin, allowed: outcome.entry.allowed }, 'a driver of the folder is in use');
    }
    for (const { id, origin, reason } of refused) log.warn({ driver: id, file: origin, reason }, 'a driver is refused');
    this.#entries = entries;
    this.#refused = refused;
    const all = [...builtIn.filter(({ id }) => !entries.some((entry) => entry.id === id)), ...drivers];
    if (closed === this.#closed) this.#last = { key, drivers: all };
    return all;
  }

  /** Ends its process; none is started before the next load. */
  async close(): Promise<void> {
    this.#isOpen = false;
    this.#closed++;
    await this.#end();
  }

  async #end(): Promise<void> {
    this.#slots = new Map();
    this.#last = undefined;
    const process = this.#process;
    process?.kill('was ended');
    await process?.gone;
  }

  #nameTaken(id: string): string | undefined {
    const isTaken = this.#options.builtIn.some((driver) => driver.id === id);
    return isTaken && this.#settingsOf(id).replace === false
      ? `the program has a driver of this id: give it another one, or set drivers.${id}.replace: true`
      : undefined;
  }

  #settingsOf(id: string): DriverSettings {
    return this.#options.settings()[id] ?? { replace: false, allow: [] };
  }

  async #loadFirst(candidate: Candidate, others: readonly LoadedDriver[]) {
    const { id, origin } = candidate;
    const { clock, log } = this.#options;
    const told = oncePerMinute(clock, (error) =>
      log.error({ driver: id, file: origin, cause: renderError(error) }, 'a driver broke'),
    );
    const broke = (error: unknown) => {
      // While it waits, that is known.
      if (!(error instanceof PeerError)) told(error);
    };
    const slot: Slot = {
      broke,
      candidate,
      failures: 0,
      failedMs: Number.NEGATIVE_INFINITY,
      untilMs: 0,
      reason: undefined,
      broken: new Map(),
    };
    this.#slots.set(id, slot);
    try {
      await this.#running();
      const description = await this.#ensureLoaded(slot);
      const remote = this.#remote(slot);
      const { data, error } = describedSchema(remote.call).safeParse(description);
      if (error !== undefined) return misfitOf(error);
      const misfit = this.#misfitOf(data, candidate, others);
      if (misfit !== undefined) return misfit;
      const { allow } = this.#settingsOf(id);
      const driver = folderDriver(data, { origin, remote, allow });
      const commands = namesOf(data.abilities);
      const allowed = namesOf(driver.abilities);
      return { driver, entry: { id, origin, covers: data.covers, commands, allowed } };
    } catch (error) {
      return renderError(error);
    }
  }

  #misfitOf({ id, families = [] }: Described, candidate: Candidate, others: readonly LoadedDriver[]) {
    if (id !== candidate.id) return `its id is '${id}': it must be called as its file, '${candidate.id}'`;
    const known = [...this.#options.builtIn, ...others].filter((other) => other.id !== id);
    for (const family of families) {
      const other = known.find((each) => each.families?.some((one) => one.id === family.id));
      if (other !== undefined) return `its family '${family.id}' is one of driver ${other.id}`;
    }
    return undefined;
  }

  #remote(slot: Slot): Remote {
    const { id } = slot.candidate;
    return {
      call: (fn, args) => this.#call(slot, { kind: 'call', id, fn, args: [...args] }),
      claim: (text) => this.#call(slot, { kind: 'claim', id, text }),
      prove: (answers) => this.#call(slot, { kind: 'prove', id, answers }),
      act: async (call) => {
        const image = call.image && { name: call.image.name, sha256: call.image.sha256, size: call.image.bytes.size };
        return this.#acting.run(id, call, ({ act, ip }) => {
          const { ability, fn, params, known } = call;
          return this.#call(slot, { kind: 'act', id, act, ip, ability, fn, params, known, ...(image && { image }) }, 1);
        });
      },
      waitsFor: () => this.#waitsFor(slot),
      unfit: (fn) => slot.broken.set(fn, 'its answer is none'),
      broke: slot.broke,
    };
  }

  #waitsFor({ candidate, reason, untilMs }: Slot): string | undefined {
    if (this.#slots.get(candidate.id)?.candidate !== candidate) return 'it is no longer in use';
    const { clock } = this.#options;
    if (reason !== undefined && untilMs > clock.monotonicMs()) return reason;
    return this.#starts.untilMs > clock.monotonicMs() ? 'the process of the folder drivers does not start' : undefined;
  }

  /** Throws PeerError while the driver waits, BugError where it breaks. */
  async #call(slot: Slot, message: Message, tries = MOST_TRIES): Promise<unknown> {
    const { id } = slot.candidate;
    for (let tried = 1; ; tried++) {
      const why = this.#waitsFor(slot);
      if (why !== undefined) throw waiting(id, why);
      try {
        await this.#running();
        await this.#ensureLoaded(slot);
        const answer = await this.#send(id, message);
        slot.reason = undefined;
        slot.broken.delete(nameOf(message));
        return answer;
      } catch (error) {
        const isOfOther = error instanceof ProcessEnded && error.driver !== id;
        if (isOfOther && tried < tries) continue;
        if (error instanceof DriverThrew) slot.broken.set(nameOf(message), error.message);
        if (error instanceof DriverThrew) throw new BugError(`call ${nameOf(message)} of driver ${id}`, error);
        throw new BugError(`call driver ${id}, which failed`, error);
      }
    }
  }

  /** To the process as it runs. `id` may be that of a driver that is loaded already, and no other. */
  #send(id: string, message: Message): Promise<unknown> {
    const running = this.#process;
    return running === undefined
      ? Promise.reject(new ProcessEnded('the process of the folder drivers is gone', undefined))
      : running.send(id, message);
  }

  async #running(): Promise<void> {
    const { clock, command = ownCommand() } = this.#options;
    if (!this.#isOpen) throw new CancelledError('start the process of the folder drivers');
    if (this.#process === undefined) {
      this.#loaded = new Map();
      const process: DriverProcess = new DriverProcess({
        ...{ clock, command, folder: this.#folder },
        onMessage: (message) => this.#acting.take(message),
        onEnd: (ended) => this.#onEnd(process, ended),
      });
      this.#process = process;
    }
    await this.#process.ready;
    this.#starts = { failures: 0, untilMs: 0 };
  }

  #ensureLoaded({ candidate }: Slot): Promise<unknown> {
    const { id, path } = candidate;
    const known = this.#loaded.get(id);
    if (known !== undefined) return known;
    const loading = whyNotNow(candidate).then((doubt) => {
      if (doubt !== undefined) throw new Error(doubt);
      return this.#send(id, { kind: 'load', id, path });
    });
    this.#loaded.set(id, loading);
    loading.catch((error: unknown) => {
      if (error instanceof ProcessEnded) return;
      this.#loaded.delete(id);
      this.#fail(id, renderError(error));
    });
    return loading;
  }

  #onEnd(process: DriverProcess, ended: ProcessEnded): void {
    if (this.#process === process) this.#process = undefined;
    this.#acting.lost();
    const { clock, log } = this.#options;
    if (ended.driver !== undefined) this.#fail(ended.driver, ended.message);
    if (ended.driver !== undefined || this.#slots.size === 0) return;
    const { failures } = this.#starts;
    this.#starts = { failures: failures + 1, untilMs: clock.monotonicMs() + doublingMs(failures, PAUSE) };
    log.error({ cause: ended.message }, 'the process of the folder drivers ended');
  }

  /** The driver waits: its miners do, and no others. */
  #fail(id: string, reason: string): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    const { clock, log } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - slot.failedMs > FORGOTTEN_MS) slot.failures = 0;
    const pauseMs = doublingMs(slot.failures, PAUSE);
    slot.failures++;
    slot.failedMs = nowMs;
    slot.untilMs = nowMs + pauseMs;
    slot.reason = reason;
    const { origin } = slot.candidate;
    log.error(
      { driver: id, file: origin, reason, pauseMs, inARow: slot.failures },
      'a driver is ended: its miners wait',
    );
  }
}

const namesOf = (abilities: Readonly<Partial<Record<AbilityName, unknown>>>): AbilityName[] =>
  ABILITY_NAMES.filter((name) => abilities[name] !== undefined);

const nameOf = (message: Message): string => ('fn' in message ? message.fn : message.kind);
