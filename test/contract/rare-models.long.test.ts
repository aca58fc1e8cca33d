// Rare machines that the farm has where a mix names them: known without a login, or not, and read as they are, well and
// ill.
import { describe, expect, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import type { FaultName } from '../../fixtures/farm/farm.ts';
import { RARE_FAMILY_NAMES } from '../../fixtures/farm/mix.ts';
import { matchDriver, SCAN_PORTS, SIDE_PORTS } from '../../src/driver/identify.ts';
import { expectTruth, standing } from './simulated.ts';

const mix = Object.fromEntries(RARE_FAMILY_NAMES.map((family) => [family, 1]));
const site = standing(drivers, { miners: 32, mix });

const PORTS = [...SCAN_PORTS, ...SIDE_PORTS];
/** What the scan's questions, which send no login, make of them. */
const MODELS = [
  ['Avalon 741', 'sure'],
  ['Avalon 841', 'sure'],
  ['Avalon 921', 'sure'],
  ['Avalon 1566', 'sure'],
  ['Avalon Nano 3s', 'sure'],
  ['LT5', 'sure'],
  ['SC200', 'sure'],
  ['Z11', 'sure'],
  ['S9k', 'sure'],
  ['S17+', 'sure'],
  ['D1', 'sure'],
  ['M3', 'sure'],
  // Without TCP it shows the link to a public style sheet, and nothing else before a login.
  ['A2', 'likely'],
  // A title is all that it shows: every call of its web wants a token, and it has no other server.
  ['T1', 'likely'],
] as const;
const FAULTS: readonly FaultName[] = [
  'board-dead',
  'fan-stopped',
  'hot',
  'low-hashrate',
  'duplicate-mac',
  'pool-dead',
  'vendor-error',
  'heat-stop',
];

const of = (model: string) => {
  const device = site().farm.devices.find(({ spec }) => spec.model === model);
  if (device === undefined) throw new Error(`no ${model} in the farm`);
  return device;
};

test('every model of them is here', () => {
  const all = new Set(site().farm.devices.map(({ spec }) => spec.model));
  expect([...all].toSorted()).toEqual(MODELS.map(([model]) => model).toSorted());
});

describe.each(MODELS)('%s', (model, confidence) => {
  const look = async () => {
    const device = of(model);
    const { driver, known } = (await site().recognise(device.ip, PORTS)) ?? {};
    if (driver === undefined) throw new Error(`${model} is not recognised`);
    expect(driver.id).toBe(device.driver);
    return site().read(device.ip, known, undefined, driver);
  };

  test(`is ${confidence}`, async () => {
    const choice = matchDriver(drivers, await site().evidenceOf(of(model).ip, PORTS));
    expect(choice?.identity.confidence).toBe(confidence);
  });

  test('is read as it is', async () => {
    const { reading, unparsable } = await look();
    expect(unparsable).toEqual([]);
    expectTruth(reading, of(model));
    expect(reading.isMining).toBe(true);
  });

  test.each(FAULTS)('%s is read as it is', async (fault) => {
    const device = of(model);
    device.setFault(fault, true);
    try {
      expectTruth((await look()).reading, device);
    } finally {
      device.setFault(fault, false);
    }
  });
});
