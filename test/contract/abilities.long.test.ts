// Every ability of every driver on simulated devices of each of its families: accepted, refused, lied about, and its
// answer lost. And what a family has not is refused with no order on the wire. What cannot be shown stands, with its
// reason, in ability-exceptions.ts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import type { Device, Truth } from '../../fixtures/farm/farm.ts';
import { FAMILY_NAMES } from '../../fixtures/farm/mix.ts';
import { PeerError } from '../../src/base/errors.ts';
import { ABILITY_NAMES, type Ability, type AbilityName, type ActResult } from '../../src/driver/contract.ts';
import type { Reading } from '../../src/model/reading.ts';
import { CANNOT_SHOW, CASES, type Case, DEVICE_DECIDES, LACKING, NOT_OF_FAMILY } from './ability-exceptions.ts';
import {
  type AbilityFarm,
  abilityFarm,
  KINDS,
  type Kind,
  mayChange,
  soon,
  type WatchedLink,
  withFault,
} from './ability-farm.ts';
import { type Order, ordersFor, VERSION } from './ability-orders.ts';

const PER_KIND = 56;
/** More than any ability sends. */
const MOST_REQUESTS = 16;

let site: AbilityFarm;
beforeAll(async () => {
  site = await abilityFarm(PER_KIND);
});
afterAll(() => site.stop());

function abilityOf({ driver }: Kind, name: AbilityName): Ability {
  const ability = driver.abilities[name];
  if (ability === undefined) throw new Error(`${driver.id} has no ${name}`);
  return ability;
}

type Outcome = ActResult | PeerError;

/** What becomes of an order; an error that is no PeerError is a defect. */
async function tell(kind: Kind, name: AbilityName, order: Order, link: WatchedLink): Promise<Outcome> {
  const ability = abilityOf(kind, name);
  const known = await site.known(kind);
  try {
    return await ability.act(link, ability.params.parse(order.params), known, order.image);
  } catch (error) {
    if (error instanceof PeerError) return error;
    throw error;
  }
}

const isRefusal = (outcome: Outcome): outcome is PeerError => outcome instanceof PeerError;
/** Longer than simulated devices wait before they go. */
const RESTART_SEEN_MS = 150;
const wait = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

function expectUntouched(device: Device, before: Truth): void {
  expect({ ...device.truth(), reboots: device.reboots }).toEqual({ ...before, reboots: 0 });
}

/** The device did what it was told, and its readings show it where the ability knows what to look for. */
async function prove(kind: Kind, name: AbilityName, order: Order, device: Device, told: ActResult, before: Truth) {
  const { shows } = abilityOf(kind, name);
  if (name === 'log') return expect(told.kind === 'accepted' ? told.log : undefined).toMatch(/\w/);
  if (name === 'reboot') return soon(() => expect(device.reboots).toBe(1));
  if (name === 'firmware') {
    await soon(() => expect(device.reboots).toBeGreaterThanOrEqual(1));
    return soon(() => expect(device.isUp).toBe(true));
  }
  if (shows === undefined) {
    // What nobody can see is accepted and no more.
    if (name === 'light' && device.truth().light_on === null) return;
    return soon(() => expect(device.truth()).not.toEqual(before));
  }
  return soon(async () => expect(shows(await site.look(kind, device), order.params)).toBe(true));
}

/** Undefined = the device has not the ability, and nothing has reached it that could have changed anything. */
async function accepted(kind: Kind, name: AbilityName, order: Order): Promise<true | undefined> {
  const device = site.take(kind);
  const before = device.truth();
  const told = await tell(kind, name, order, site.link(device));
  if (!isRefusal(told)) {
    await prove(kind, name, order, device, told, before);
    return true;
  }
  const mayDecide = DEVICE_DECIDES.has(`${kind.family} ${name}`);
  expect(mayDecide ? ['peer.unsupported', 'peer.rejected'] : ['peer.unsupported']).toContain(told.code);
  expectUntouched(device, before);
  site.giveBack(kind, device);
  return undefined;
}

const NOT_TAKEN = 'no model of the family takes the order';
type Carrier = { readonly kind: Kind; readonly order: Order };
const carriers = new Map<string, Promise<Carrier>>();

/** The first model of the family that takes an order, and that order. All other cases are shown on it. */
function carrierOf(family: string, name: AbilityName): Promise<Carrier> {
  const search = async () => {
    for (const kind of KINDS.filter((each) => each.family === family)) {
      for (const order of ordersFor(name, kind)) if (await accepted(kind, name, order)) return { kind, order };
    }
    throw new Error(`${NOT_TAKEN}: ${family} ${name}`);
  };
  const found = carriers.get(`${family} ${name}`) ?? search();
  carriers.set(`${family} ${name}`, found);
  return found;
}

/** Some model of the family says no to the wrong password, or while orders are switched off, and does nothing. */
async function refused(carrier: Carrier, name: AbilityName): Promise<void> {
  const { family } = carrier.kind;
  const others = KINDS.filter((kind) => kind.family === family && kind !== carrier.kind);
  for (const kind of [carrier.kind, ...others]) if ((await refusals({ ...carrier, kind }, name)).length > 0) return;
  throw new Error(`no ${family} refuses ${name}`);
}

async function refusals({ kind, order }: Carrier, name: AbilityName): Promise<readonly string[]> {
  const codes: string[] = [];
  for (const fault of ['wrong-password', 'write-api-off'] as const) {
    const device = site.take(kind);
    const before = device.truth();
    const link = site.link(device);
    const told = await withFault(device, fault, () => tell(kind, name, order, link));
    if (!isRefusal(told)) continue;
    expect(['peer.auth', 'peer.permission', 'peer.rejected', 'peer.unsupported'], fault).toContain(told.code);
    expect(told.wasSent, fault).not.toBe(true);
    expectUntouched(device, before);
    site.giveBack(kind, device);
    codes.push(told.code);
  }
  return codes;
}

/**
 * The device says yes and does nothing: the driver notices, or what the core reads afterwards says so. Some restart all
 * the same.
 */
async function liedAbout({ kind, order }: Carrier, name: AbilityName): Promise<void> {
  const device = site.take(kind);
  const { shows } = abilityOf(kind, name);
  await withFault(device, name === 'reboot' ? 'ignores-reboot' : 'ignores-writes', async () => {
    const told = await tell(kind, name, order, site.link(device));
    if (isRefusal(told)) return expect(told).toMatchObject({ code: 'peer.rejected' });
    if (name === 'reboot' || name === 'firmware') await wait(RESTART_SEEN_MS);
    if (name === 'reboot' || (name === 'firmware' && device.reboots === 0)) {
      expect([device.reboots, device.isUp]).toEqual([0, true]);
      return;
    }
    // The core compares the version that a task names with the one that runs.
    const seen = (reading: Reading) =>
      shows === undefined && name === 'firmware' ? reading.firmwareVersion === VERSION : shows?.(reading, order.params);
    if (shows === undefined && name !== 'firmware') throw new Error(`nothing shows after ${kind.driver.id} ${name}`);
    await soon(async () => expect(seen(await site.look(kind, device))).toBe(false));
  });
}

/**
 * Whichever answer is lost: what may have been done is never called a failure, and what is called one has not been
 * done.
 */
async function lostReply({ kind, order }: Carrier, name: AbilityName): Promise<void> {
  let settled = 0;
  for (let place = 0; place < MOST_REQUESTS; place++) {
    const device = site.take(kind);
    const before = device.truth();
    const link = site.link(device, place);
    const told = await tell(kind, name, order, link);
    if (isRefusal(told)) {
      expect(told.wasSent).not.toBe(true);
      expectUntouched(device, before);
    } else if (told.kind === 'lost-reply') settled++;
    else {
      await prove(kind, name, order, device, told, before);
      // Some look again by themselves and find it done.
      const missed = link.sent[place];
      if (missed !== undefined && mayChange(kind.driver, missed)) settled++;
    }
    if (link.sent.length <= place) break;
  }
  expect(settled).toBeGreaterThan(0);
}

const work: Readonly<Record<Case, (carrier: Carrier, name: AbilityName) => Promise<void>>> = {
  accepted: () => Promise.resolve(),
  refused,
  'lied about': liedAbout,
  'lost reply': lostReply,
};

const cells = FAMILY_NAMES.flatMap((family) => {
  const driver = KINDS.find((kind) => kind.family === family)?.driver;
  return ABILITY_NAMES.flatMap((name) => {
    const ability = driver?.abilities[name];
    if (driver === undefined || ability === undefined) return [];
    const cases = CASES.filter((each) => {
      if (`${family} ${name}` in NOT_OF_FAMILY) return each === 'accepted';
      // What only reads is simply not had when its answer is lost, and there is no effect to lie about.
      return ability.effect !== 'read-only' || each === 'accepted' || each === 'refused';
    });
    return cases.map((each) => ({ family, name, each }));
  });
});

/** What is listed as impossible must be so: else the row is to be deleted. */
async function judge(family: string, name: AbilityName, each: Case, attempt: () => Promise<unknown>): Promise<void> {
  const row = `${family} ${name}`;
  if (row in NOT_OF_FAMILY) await expect(attempt(), 'this row is not needed').rejects.toThrow(NOT_TAKEN);
  else if (`${row} ${each}` in CANNOT_SHOW) await expect(attempt(), 'this row is not needed').rejects.toThrow();
  else await attempt();
}

describe.concurrent('on simulated devices', { timeout: 60_000 }, () => {
  test.each(cells)('$family $name: $each', async ({ family, name, each }) => {
    const attempt = async () => work[each](await carrierOf(family, name), name);
    await judge(family, name, each, attempt);
  });
});

describe.each(drivers.map((driver) => [driver.id, driver] as const))('%s', (id, driver) => {
  test('has each ability, or there is a reason', () => {
    const lacking = ABILITY_NAMES.filter((name) => driver.abilities[name] === undefined);
    expect(Object.keys(LACKING[id] ?? {}).toSorted()).toEqual(lacking.toSorted());
  });

  test('shows each ability on one of its families at least', () => {
    const families = [...new Set(KINDS.filter((kind) => kind.driver === driver).map(({ family }) => family))];
    for (const name of ABILITY_NAMES.filter((each) => driver.abilities[each] !== undefined))
      expect(
        families.filter((family) => !(`${family} ${name}` in NOT_OF_FAMILY)),
        name,
      ).not.toEqual([]);
  });
});

test('the tables of exceptions name only what there is', () => {
  const known = new Set(cells.flatMap(({ family, name, each }) => [`${family} ${name}`, `${family} ${name} ${each}`]));
  for (const row of [...Object.keys(NOT_OF_FAMILY), ...Object.keys(CANNOT_SHOW)]) expect(known, row).toContain(row);
  const ids = drivers.map(({ id }) => id);
  for (const id of Object.keys(LACKING)) expect(ids).toContain(id);
});
