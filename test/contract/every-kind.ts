// A simulated farm with every family and, of each, every model that it has, for the tests that walk all of them.
import { afterAll, beforeAll } from 'vitest';
import { type Device, type Farm, type FarmOptions, startFarm } from '../../fixtures/farm/farm.ts';
import { parseMix } from '../../fixtures/farm/mix.ts';
import { loopback } from '../support/loopback.ts';

export const FAMILIES = Object.keys(parseMix('all'));
const MOST_VARIANTS = 8;

/** `portMap`: unprivileged ports, so that an ordinary user can run it. */
export function everyKind(portMap: NonNullable<FarmOptions['portMap']>) {
  let farm: Farm | undefined;
  beforeAll(async () => {
    farm = await startFarm({
      network: loopback(23).network,
      miners: FAMILIES.length * MOST_VARIANTS,
      mix: Object.fromEntries(FAMILIES.map((family) => [family, 1])),
      seed: 4,
      freeze: true,
      portMap,
    });
  });
  afterAll(() => farm?.stop());
  const devices = (): readonly Device[] => {
    if (farm === undefined) throw new Error('the farm has not started yet');
    return farm.devices;
  };
  return {
    devices,
    /** One device of each model of the family. */
    variantsOf: (kind: string): readonly Device[] =>
      devices().filter(
        ({ family, spec }, index, all) =>
          family === kind && all.findIndex((one) => one.family === kind && one.spec === spec) === index,
      ),
  };
}
