// Checks of each ability on simulated devices: done when it is accepted; refused with the wrong password, and where
// writing is switched off; found out when the device says yes and does nothing; and never called a failure where only
// the answer was lost.
import { z } from 'zod';
import { PeerError } from '../../../base/errors.ts';
import type { Reading } from '../../../model/reading.ts';
import type { Truth } from '../../../model/simulated/truth.ts';
import { ABILITY_NAMES, type Ability, type AbilityName, type ActResult } from '../../contract.ts';
import { COMMAND_CASES, type CommandCase, type FamilyData } from '../contract-data.ts';
import { type Check, type Problem, problem, shown } from '../finding.ts';
import {
  type CheckedDevice,
  type CheckFault,
  type DeviceSubject,
  Found,
  type Kind,
  look,
  type Mishap,
  until,
  watched,
  withFault,
} from './bench.ts';
import { type Command, commandsFor, NEW_PASSWORD, VERSION } from './command.ts';
import { mayChange } from './may-change.ts';
import { mustOpen } from './password.ts';

/** More than any ability sends. */
const MOST_REQUESTS = 16;
/** Longer than simulated devices wait before they go. */
const RESTART_SEEN_MS = 150;

const actResult = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('accepted'), note: z.string().exactOptional(), log: z.string().exactOptional() }),
  z.looseObject({ kind: z.literal('lost-reply') }),
]);

type Outcome = ActResult | PeerError;
const isRefusal = (outcome: Outcome): outcome is PeerError => outcome instanceof PeerError;

type Carrier = { readonly kind: Kind; readonly command: Command };

/** What one ability of one family owes in one case. */
export type Cell = { readonly family: string; readonly name: AbilityName; readonly each: CommandCase };

/** The commands of one driver. Keeps which model of a family carries out which command. */
export class CommandChecks {
  readonly #subject: DeviceSubject;
  readonly #carriers = new Map<string, Promise<Carrier>>();

  constructor(subject: DeviceSubject) {
    this.#subject = subject;
  }

  cells(): readonly Cell[] {
    const { bench, driver } = this.#subject;
    const families = [...new Set(bench.kinds.map(({ family }) => family))];
    return families.flatMap((family) =>
      ABILITY_NAMES.flatMap((name) => {
        const ability = driver.abilities[name];
        if (ability === undefined) return [];
        const isLacking = this.#data(family).lacks?.[name] !== undefined;
        return COMMAND_CASES.filter((each) => {
          if (isLacking) return each === 'accepted';
          if (each === 'wrong password' && driver.login.kind === 'none') return false;
          if (each === 'session ended')
            return ability.effect === 'repeatable' && ['session', 'token'].includes(driver.login.kind);
          // What only reads goes on where writing is off; it is simply not had when its answer is lost.
          return ability.effect !== 'read-only' || each === 'accepted' || each === 'wrong password';
        }).map((each) => ({ family, name, each }));
      }),
    );
  }

  /** What is listed as impossible must be so: else the row is to be deleted. */
  async problemsOf({ family, name, each }: Cell): Promise<readonly Problem[]> {
    const { lacks, cannotShow } = this.#data(family);
    const place = `${this.#subject.folder}/contract.data.ts: \`families.${family}`;
    const [isLacking, isExcused] = [lacks?.[name] !== undefined, cannotShow?.[name]?.[each] !== undefined];
    const found = await this.#attempt(family, name, each);
    if (isLacking && found?.isNotTaken !== true)
      return [problem(`${family} has ${name}, and is excused from it`, `delete ${place}.lacks.${name}\``)];
    if (isExcused && found === undefined)
      return [problem(`${family} ${name} ${each} can be shown`, `delete ${place}.cannotShow.${name}\``)];
    if (isLacking || isExcused || found === undefined) return [];
    const seen = `${family} ${name}, ${each}: ${found.problem.seen}`;
    return [problem(seen, `${found.problem.next}; if it cannot be: ${place}.cannotShow.${name}\`, with the reason`)];
  }

  async #attempt(family: string, name: AbilityName, each: CommandCase) {
    try {
      const carrier = await this.#carrierOf(family, name);
      await this.#work[each](carrier, name);
      return undefined;
    } catch (error) {
      if (error instanceof Found) return { problem: error.problem, isNotTaken: error instanceof NotTaken };
      throw error;
    }
  }

  readonly #work: Readonly<Record<CommandCase, (carrier: Carrier, name: AbilityName) => Promise<void>>> = {
    accepted: () => Promise.resolve(),
    'wrong password': (carrier, name) => this.#refused(carrier, name, 'wrong-password'),
    'writing off': (carrier, name) => this.#refused(carrier, name, 'write-api-off'),
    'session ended': (carrier, name) => this.#sessionEnded(carrier, name),
    'done nothing': (carrier, name) => this.#doneNothing(carrier, name),
    'lost reply': (carrier, name) => this.#lostReply(carrier, name),
    'nonsense reply': (carrier, name) => this.#nonsenseReply(carrier, name),
  };

  #data(family: string): FamilyData {
    return this.#subject.exceptions.families?.[family] ?? {};
  }

  #ability(name: AbilityName): Ability {
    const ability = this.#subject.driver.abilities[name];
    if (ability === undefined)
      throw new Found(`it has no ${name}`, `add it to \`abilities\` in ${this.#subject.folder}`);
    return ability;
  }

  #found(seen: string, what: string): Found {
    return new Found(seen, `${what} in the ability of ${this.#subject.folder}`);
  }

  /** What becomes of a command; an error that is no PeerError is a defect. */
  async #act(
    kind: Kind,
    name: AbilityName,
    { params, image }: Command,
    link: ReturnType<typeof watched>,
  ): Promise<Outcome> {
    const ability = this.#ability(name);
    const known = await this.#subject.bench.known(kind);
    try {
      const result: unknown = await ability.act(link, ability.params.parse(params), known, image);
      const checked = actResult.safeParse(result);
      if (checked.success) return checked.data;
      throw this.#found(`it ends with ${shown(result)}`, 'return accepted or lost-reply, or throw a PeerError');
    } catch (error) {
      if (error instanceof PeerError) return error;
      if (error instanceof Found) throw error;
      throw this.#found(`it threw ${String(error)}`, 'throw PeerError only');
    }
  }

  #link(device: CheckedDevice, mishap?: Mishap) {
    return watched(this.#subject.bench.link(device), mishap);
  }

  #untouched(device: CheckedDevice, before: Before, outcome: PeerError): void {
    const isSame =
      JSON.stringify(device.truth()) === JSON.stringify(before.truth) &&
      device.login?.password === before.password &&
      device.reboots === 0;
    if (!isSame)
      throw this.#found(
        `it failed with ${outcome.code}, and the device has changed`,
        'call no failure what may have been done',
      );
  }

  /** The device did what it should, and its readings show it where the ability knows what to look for. */
  async #prove(
    kind: Kind,
    name: AbilityName,
    command: Command,
    device: CheckedDevice,
    result: ActResult,
    before: Before,
  ) {
    const { shows } = this.#ability(name);
    const { patienceMs } = this.#subject.bench;
    const wanted = async (what: string, holds: () => boolean | Promise<boolean>) => {
      if (!(await until(patienceMs, holds)))
        throw this.#found(
          `it was accepted, and ${what}`,
          'send what the device needs for it, and take only its yes for one',
        );
    };
    const rebooted = () => device.reboots >= 1;
    if (name === 'log') {
      const log = result.kind === 'accepted' ? (result.log ?? '') : '';
      return wanted('there is no log', () => /\w/.test(log));
    }
    if (name === 'reboot') return wanted('the device did not restart once', () => device.reboots === 1);
    if (name === 'firmware') return wanted('the device did not come back', () => rebooted() && device.isUp);
    if (name === 'password') return mustOpen(this.#subject, kind, device, { now: NEW_PASSWORD, not: before.password });
    const isChanged = () => JSON.stringify(device.truth()) !== JSON.stringify(before.truth);
    // What does not show is accepted and no more.
    if (shows === undefined && name === 'light' && device.truth().light_on === null) return;
    if (shows === undefined) return wanted('nothing changed', isChanged);
    await wanted('`shows` does not say so of a later reading', async () => {
      const { reading } = await look(this.#subject, kind, device);
      return shows(reading, command.params) === true;
    });
  }

  /** False = the device has not the ability, and nothing has reached it that could have changed anything. */
  async #accepted(kind: Kind, name: AbilityName, command: Command): Promise<boolean> {
    const { bench } = this.#subject;
    const device = bench.take(kind);
    const before = beforeOf(device);
    const link = this.#link(device);
    const outcome = await this.#act(kind, name, command, link);
    if (!isRefusal(outcome)) {
      await this.#prove(kind, name, command, device, outcome, before);
      return true;
    }
    const mayDecide = this.#data(kind.family).deviceRefuses?.includes(name) === true;
    const codes = mayDecide ? ['peer.unsupported', 'peer.rejected'] : ['peer.unsupported'];
    if (!codes.includes(outcome.code))
      throw this.#found(
        `${kind.model} refuses ${shown(command.params)} with ${outcome.code}`,
        `refuse with ${codes.join(' or ')}`,
      );
    this.#untouched(device, before, outcome);
    bench.giveBack(kind, device);
    return false;
  }

  /** The first model of the family that takes a command, and that command. All other cases are shown on it. */
  #carrierOf(family: string, name: AbilityName): Promise<Carrier> {
    const search = async () => {
      const { bench } = this.#subject;
      const kinds = bench.kinds.filter((each) => each.family === family);
      for (const kind of kinds) {
        const commands = commandsFor(name, this.#data(family), (form) => bench.file(kind, form, VERSION));
        for (const command of commands) if (await this.#accepted(kind, name, command)) return { kind, command };
      }
      const { folder } = this.#subject;
      throw new NotTaken(
        `no model of the family takes it`,
        `name one that it takes in \`families.${family}.commands\` of ${folder}/contract.data.ts`,
      );
    };
    const key = `${family} ${name}`;
    const carrier = this.#carriers.get(key) ?? search();
    this.#carriers.set(key, carrier);
    return carrier;
  }

  /** Some model of the family says no, in this case, and does nothing. */
  async #refused(
    { kind, command }: Carrier,
    name: AbilityName,
    fault: 'wrong-password' | 'write-api-off',
  ): Promise<void> {
    const { bench } = this.#subject;
    const others = bench.kinds.filter((each) => each.family === kind.family && each !== kind);
    let last = '';
    for (const each of [kind, ...others]) {
      const device = bench.take(each);
      const before = beforeOf(device);
      const link = this.#link(device);
      const outcome = await withFault(device, fault, () => this.#act(each, name, command, link));
      if (!isRefusal(outcome)) {
        last = outcome.kind;
        continue;
      }
      if (!REFUSALS[fault].includes(outcome.code))
        throw this.#found(`it ends with ${outcome.code}`, `end with ${REFUSALS[fault].join(', ')}`);
      if (outcome.wasSent === true)
        throw this.#found('it is refused, and called sent', 'leave `wasSent` out of a refusal');
      this.#untouched(device, before, outcome);
      return bench.giveBack(each, device);
    }
    throw this.#found(`the device says no, and it says ${last}`, 'take only the yes of the device for one');
  }

  /** The device forgets who was logged in: the next command logs in anew. */
  async #sessionEnded({ kind, command }: Carrier, name: AbilityName): Promise<void> {
    const { bench } = this.#subject;
    const device = bench.take(kind);
    for (const which of ['first', 'next']) {
      const outcome = await this.#act(kind, name, command, this.#link(device));
      if (isRefusal(outcome))
        throw this.#found(
          `the ${which} command ends with ${outcome.code}`,
          'let `isRefused` of the session know how the device says that it has ended,',
        );
      await until(bench.patienceMs, () => device.isUp);
      device.setFault('sessions-end', true);
      device.setFault('sessions-end', false);
    }
  }

  /**
   * The device says yes and does nothing: the driver notices, or what the core reads afterwards says so. Some restart
   * all the same.
   */
  async #doneNothing({ kind, command }: Carrier, name: AbilityName): Promise<void> {
    const { bench } = this.#subject;
    const device = bench.take(kind);
    const { shows } = this.#ability(name);
    const old = device.login?.password;
    await withFault(device, IGNORES[name] ?? 'ignores-writes', async () => {
      const outcome = await this.#act(kind, name, command, this.#link(device));
      if (isRefusal(outcome)) {
        if (outcome.code === 'peer.rejected') return;
        throw this.#found(`it ends with ${outcome.code}`, 'end with peer.rejected where it sees for itself');
      }
      if (name === 'password') return mustOpen(this.#subject, kind, device, { now: old, not: NEW_PASSWORD });
      if (name === 'reboot' || name === 'firmware') await until(RESTART_SEEN_MS, () => device.reboots > 0);
      if (device.reboots === 0 && (name === 'reboot' || name === 'firmware')) return;
      // The core compares the version that a task names with the one that runs.
      const isVersion = shows === undefined && name === 'firmware';
      const seen = (reading: Reading) =>
        isVersion ? reading.firmwareVersion === VERSION : shows?.(reading, command.params);
      if (shows === undefined && !isVersion) throw this.#found('nothing shows that it was not done', 'add `shows`');
      const isSeen = await until(
        bench.patienceMs,
        async () => seen((await look(this.#subject, kind, device)).reading) === false,
      );
      if (!isSeen)
        throw this.#found(
          '`shows` does not say that it was not done',
          'compare the reading with the params in `shows`',
        );
    });
  }

  /**
   * Whichever answer is lost: what may have been done is never called a failure, and what is called one has not been
   * done.
   */
  async #lostReply({ kind, command }: Carrier, name: AbilityName): Promise<void> {
    const { bench, driver } = this.#subject;
    let settled = 0;
    for (let place = 0; place < MOST_REQUESTS; place++) {
      const device = bench.take(kind);
      const before = beforeOf(device);
      const link = this.#link(device, { nth: place, answer: 'lost' });
      const outcome = await this.#act(kind, name, command, link);
      if (isRefusal(outcome)) {
        if (outcome.wasSent === true)
          throw this.#found(`answer ${place} is lost: ${outcome.code}, called sent`, 'return lost-reply');
        this.#untouched(device, before, outcome);
      } else if (outcome.kind === 'lost-reply') settled++;
      else {
        await this.#prove(kind, name, command, device, outcome, before);
        // Some look again by themselves and find it done.
        const missed = link.sent[place];
        if (missed !== undefined && mayChange(driver, missed)) settled++;
      }
      if (link.sent.length <= place) break;
    }
    if (settled === 0)
      throw this.#found('no lost answer is called lost', 'return lost-reply where the answer to a command is lost');
  }

  /** Whichever answer makes no sense: it is no failure that nothing was sent, where something has been done. */
  async #nonsenseReply({ kind, command }: Carrier, name: AbilityName): Promise<void> {
    for (let nth = 0; nth < MOST_REQUESTS; nth++) {
      const device = this.#subject.bench.take(kind);
      const before = beforeOf(device);
      const link = this.#link(device, { nth, answer: 'nonsense' });
      const outcome = await this.#act(kind, name, command, link);
      if (isRefusal(outcome) && outcome.wasSent !== true) this.#untouched(device, before, outcome);
      if (link.sent.length <= nth) break;
    }
  }
}

type Before = { readonly truth: Truth; readonly password: string | undefined };
const beforeOf = (device: CheckedDevice): Before => ({ truth: device.truth(), password: device.login?.password });

/** The fault of devices that say yes and do nothing. */
const IGNORES: Readonly<Partial<Record<AbilityName, CheckFault>>> = {
  reboot: 'ignores-reboot',
  password: 'keeps-password',
};

/** None of the usual commands is taken. */
class NotTaken extends Found {}

const REFUSALS: Readonly<Record<'wrong-password' | 'write-api-off', readonly string[]>> = {
  // Some devices say the same to a wrong password and to a command that is not allowed.
  'wrong-password': ['peer.auth', 'peer.permission'],
  'write-api-off': ['peer.auth', 'peer.permission', 'peer.rejected', 'peer.unsupported'],
};

export const commands: Check<DeviceSubject> = {
  name: 'device-commands',
  owes: 'each ability: done, refused in both ways, found out when nothing was done, and no failure where an answer is lost',
  async run(subject) {
    const checks = new CommandChecks(subject);
    const found: Problem[] = [];
    for (const cell of checks.cells()) found.push(...(await checks.problemsOf(cell)));
    return found;
  },
};
