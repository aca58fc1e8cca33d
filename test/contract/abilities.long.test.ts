// Every ability of every driver on simulated devices of each of its families, held to the shared contract: accepted,
// refused with the wrong password and where writing is off, lied about, and its answer lost; sessions that end; lists
// of pools of every length. What cannot be shown stands, with its reason, in `contract.data.ts` of the driver.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import { type Cell, CommandChecks } from '../../src/driver/check/device/commands.ts';
import { poolPlaces } from '../../src/driver/check/device/pools.ts';
import { STATE_CHECKS } from '../../src/driver/check/device/states.ts';
import { unsent } from '../../src/driver/check/device/unsent.ts';
import { ABILITY_NAMES } from '../../src/driver/contract.ts';
import { loopback } from '../support/loopback.ts';
import { type AbilityFarm, abilityFarm, KINDS } from './ability-farm.ts';
import { contractOf, contracts } from './contract-files.ts';
import { deviceSubjectOf } from './device-bench.ts';
import { hold, render } from './subject.ts';

const PER_KIND = 60;

/** Of the checks of whole drivers. */
const FEW = 24;

let site: AbilityFarm;
let other: AbilityFarm;
beforeAll(async () => {
  site = await abilityFarm({ network: loopback(20).network, perKind: PER_KIND });
  other = await abilityFarm({ network: loopback(20).network, perKind: FEW });
});
afterAll(async () => {
  await site.stop();
  await other.stop();
});

/** The models that carry the commands out are found once per driver. */
const kept = new Map<string, CommandChecks>();
function commandsOf(id: string): CommandChecks {
  const driver = drivers.find((each) => each.id === id);
  if (driver === undefined) throw new Error(`no driver ${id}`);
  const checks = kept.get(id) ?? new CommandChecks(deviceSubjectOf(site, driver));
  kept.set(id, checks);
  return checks;
}

/** Which cells there are needs no farm. */
const cells = drivers.flatMap((driver) => {
  const kinds = KINDS.filter((kind) => kind.driver.id === driver.id);
  const families = new CommandChecks({
    driver,
    folder: '',
    exceptions: contractOf(driver.id),
    bench: { ...noBench(), kinds },
  });
  return families.cells().map((cell) => ({ id: driver.id, ...cell }));
});

function noBench() {
  const none = () => {
    throw new Error('there is no farm yet');
  };
  return { take: none, giveBack: none, identify: none, known: none, link: none, file: none, patienceMs: 0 };
}

describe.concurrent('on simulated devices', { timeout: 60_000 }, () => {
  test.each(cells)('$family $name: $each', async ({ id, ...cell }: { id: string } & Cell) => {
    const found = await commandsOf(id).problemsOf(cell);
    expect(render(found.map((each) => ({ check: 'device-commands', ...each })))).toBe('');
  });
  const rows = drivers.flatMap((driver) =>
    [...STATE_CHECKS, poolPlaces, unsent].map((check) => ({ id: driver.id, driver, check })),
  );
  test.each(rows)('$id owes $check.owes', async ({ driver, check }) => {
    await hold(check, deviceSubjectOf(other, driver));
  });
});

test.each(drivers.map((driver) => [driver.id, driver] as const))(
  '%s shows each ability on one family at least',
  (id, driver) => {
    const families = [...new Set(KINDS.filter((kind) => kind.driver.id === id).map(({ family }) => family))];
    for (const name of ABILITY_NAMES.filter((each) => driver.abilities[each] !== undefined)) {
      const able = families.filter((family) => contractOf(id).families?.[family]?.lacks?.[name] === undefined);
      expect(able, `${name}: take it out of \`abilities\`, or out of \`lacks\` of one family`).not.toEqual([]);
    }
  },
);

test('the exceptions are about families that the driver has', () => {
  const lost = [...contracts].flatMap(([id, { families = {} }]) =>
    Object.entries(families)
      .filter(([, data]) => data.lacks !== undefined || data.cannotShow !== undefined || data.commands !== undefined)
      .filter(([family]) => !KINDS.some((kind) => kind.driver.id === id && kind.family === family))
      .map(([family]) => `drivers/${id}/contract.data.ts: ${family}`),
  );
  expect(lost).toEqual([]);
});
