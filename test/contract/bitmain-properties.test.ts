// What holds for every answer of every simulated device that speaks Bitmain's dialect, whatever it says: under a name
// that is in no table it has no rate but one whose unit an answer proves, and no figure that turns into 0 makes a
// fault, a bad chip or a reading of 0 that nothing can have.
import { beforeAll, describe, expect, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import { type Device, startFarm } from '../../fixtures/farm/farm.ts';
import { FAMILY_NAMES } from '../../fixtures/farm/mix.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { Secret } from '../../src/base/secrets.ts';
import type { Driver, Known } from '../../src/driver/contract.ts';
import type { Reading } from '../../src/model/reading.ts';
import { createTransport } from '../../src/transport/transport.ts';
import { loopback } from '../support/loopback.ts';
import { familyData } from './contract-files.ts';
import { PORTS } from './simulated.ts';

const FAMILIES = FAMILY_NAMES.filter((family) => familyData(family).isBitmain);
const PER_FAMILY = 5;

type Answers = Readonly<Record<string, unknown>>;
type Captured = { readonly name: string; readonly device: Device; readonly driver: Driver; readonly raw: Answers };

async function capture(): Promise<Captured[]> {
  const mix = Object.fromEntries(FAMILIES.map((family) => [family, 1]));
  const farm = await startFarm({
    network: loopback().network,
    miners: FAMILIES.length * PER_FAMILY,
    mix,
    seed: 5,
    freeze: true,
    portMap: PORTS,
  });
  const portMap = new Map(Object.entries(PORTS).map(([from, to]) => [Number(from), to]));
  const transport = createTransport({ clock: systemClock, log: silentLog, portMap });
  try {
    return await Promise.all(
      farm.devices.map(async (device, nth) => {
        const driver = drivers.find(({ id }) => id === device.driver);
        if (driver === undefined) throw new Error(`no driver ${device.driver}`);
        if (nth >= FAMILIES.length * 3) device.setMode('sleep');
        const { ip, login } = device;
        const link = transport.link(ip, login && { user: login.user, password: new Secret(login.password) });
        const raw: Record<string, unknown> = {};
        for (const [name, ask] of Object.entries(driver.asks)) {
          const answer = await link.send(ask).catch(() => undefined);
          if (answer !== undefined) raw[name] = answer;
        }
        return { name: `${device.family} ${device.spec.model} ${nth}`, device, driver, raw };
      }),
    );
  } finally {
    await transport.close();
    await farm.stop();
  }
}

/** Every answer anew, with each leaf as `change` makes it; `path` tells them apart. */
function mapLeaves(value: unknown, change: (leaf: unknown, path: string) => unknown, path = ''): unknown {
  if (Array.isArray(value)) return value.map((entry, nth) => mapLeaves(entry, change, `${path}.${nth}`));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [key, mapLeaves(entry, change, `${path}.${key}`)]),
    );
  return change(value, path);
}

const read = (driver: Driver, raw: unknown, known: Known = {}): Reading =>
  driver.read(typeof raw === 'object' && raw !== null ? { ...raw } : {}, known).reading;

let captured: readonly Captured[] = [];
beforeAll(async () => {
  captured = await capture();
});

test('there are devices of all families, and each tells a rate', () => {
  expect(new Set(captured.map(({ device }) => device.family))).toEqual(new Set(FAMILIES));
  for (const { name, driver, raw } of captured) expect(read(driver, raw), name).toHaveProperty('hashrateHs');
});

describe('under a name that is in no table', () => {
  const renamed = ({ device, raw }: Captured, name: string) =>
    mapLeaves(raw, (leaf) =>
      typeof leaf === 'string' && leaf.includes(device.spec.reportedAs)
        ? leaf.replaceAll(device.spec.reportedAs, name)
        : leaf,
    );

  test.each(['Antminer Q77', 'Antminer S190 Max', 'Q'])('%s: no rate, or the true one', (name) => {
    let withRate = 0;
    for (const one of captured) {
      const reading = read(one.driver, renamed(one, name));
      if (reading.hashrateHs === undefined) continue;
      withRate++;
      const near = (hs: number) => expect.closeTo(hs, -6);
      const before = read(one.driver, one.raw);
      expect(reading.hashrateHs, one.name).toEqual(near(before.hashrateHs ?? Number.NaN));
      // How many chains make a board is known by the model: their sum is the same.
      const sum = ({ boards = [] }: Reading) => boards.reduce((total, { hashrateHs = 0 }) => total + hashrateHs, 0);
      expect(sum(reading), one.name).toEqual(near(sum(before)));
    }
    // Elphapex, Hammer, VolcMiner, MARA and the later Antminers name their units, and 0 is 0 in each.
    expect(withRate).toBeGreaterThan(captured.length / 3);
    expect(withRate).toBeLessThan(captured.length);
  });

  test('that it hashes is told all the same', () => {
    for (const one of captured)
      expect(read(one.driver, renamed(one, 'Antminer Q77')).isMining, one.name).toBe(
        read(one.driver, one.raw).isMining,
      );
  });
});

describe('a figure that turns into 0', () => {
  const isFigure = (leaf: unknown) =>
    typeof leaf === 'number' ? leaf !== 0 : typeof leaf === 'string' && /^[\d.,]+$/.test(leaf) && Number(leaf) !== 0;

  /** What must not come of it: its name, if it did. */
  function invented(before: Reading, after: Reading): string | undefined {
    const codes = new Set(before.errors?.map(({ code }) => code));
    const bad = (reading: Reading) => reading.boards?.reduce((sum, { badChips = 0 }) => sum + badChips, 0) ?? 0;
    const broken = (reading: Reading) => reading.psus?.filter(({ isOk }) => isOk === false).length ?? 0;
    const none = (value: number | undefined) => value === 0;
    const claims: readonly (readonly [boolean, string])[] = [
      [after.errors?.some(({ code }) => !codes.has(code)) === true, 'a fault'],
      [bad(after) > bad(before), 'a bad chip'],
      [broken(after) > broken(before), 'a broken supply'],
      [none(after.tempC) || none(after.inletTempC) || none(after.outletTempC), 'a temperature of 0'],
      [after.boards?.some((board) => none(board.frequencyMhz) || none(board.chipTempMaxC)) === true, 'a board of 0'],
      [none(after.powerW) || none(after.powerLimitW), 'a power of 0'],
      [none(after.expected?.hashrateHs) || none(after.expected?.boards), 'nothing to be expected'],
      [after.miningMode === 'sleep' && before.miningMode !== 'sleep', 'sleep'],
    ];
    return claims.find(([isSo]) => isSo)?.[1];
  }

  // It computes for seconds on an idle machine.
  test('makes no fault, no bad chip and no value that nothing can have', { timeout: 90_000 }, () => {
    const found: string[] = [];
    for (const { name, driver, raw } of captured) {
      const before = read(driver, raw);
      const paths: string[] = [];
      mapLeaves(raw, (leaf, path) => {
        if (isFigure(leaf)) paths.push(path);
        return leaf;
      });
      for (const wanted of paths) {
        const zeroed = mapLeaves(raw, (leaf, path) => (path !== wanted ? leaf : typeof leaf === 'number' ? 0 : '0'));
        const claim = invented(before, read(driver, zeroed));
        if (claim !== undefined) found.push(`${name}: ${wanted} of 0 makes ${claim}`);
      }
    }
    expect(found).toEqual([]);
  });
});
