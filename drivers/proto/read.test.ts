// Proto rigs that have lost something: what is expected is not what happens to be there, and the boards that hash are
// counted.
import { describe, expect, test } from 'vitest';
import { proto } from './index.ts';

type Rig = {
  /** Chips of the boards that are listed. */
  readonly chips: readonly number[];
  readonly ths?: readonly number[];
  readonly status?: string;
  readonly installed?: number;
  readonly mining?: number;
};

function read({ chips, ths = [], status = 'Mining', installed, mining }: Rig) {
  const slots = chips.map((count, place) => ({ slot: place + 1, hb_sn: `HB-${place}`, mining_asic_count: count }));
  return proto.read(
    {
      system: { 'system-info': { model: 'Rig' } },
      hardware: { 'hardware-info': { 'hashboards-info': slots } },
      mining: { 'mining-status': { status, hashboards_installed: installed, hashboards_mining: mining } },
      telemetry: {
        hashboards: ths.map((value, index) => ({
          index,
          serial_number: `HB-${index}`,
          hashrate: { value, unit: 'TH/s' },
        })),
      },
    },
    {},
  ).reading;
}

describe('expected', () => {
  test('boards: not those that are there, but what the rig counts beyond them', () => {
    expect(read({ chips: [120, 120, 120], installed: 3 }).expected).not.toHaveProperty('boards');
    expect(read({ chips: [120, 120, 120] }).expected).not.toHaveProperty('boards');
    expect(read({ chips: [120, 120, 120], installed: 4 }).expected).toMatchObject({ boards: 4 });
  });

  test('chips: as many as most boards have', () => {
    expect(read({ chips: [120, 118, 120] }).expected).toMatchObject({ chipsPerBoard: 120 });
    expect(read({ chips: [120, 118] }).expected).toBeUndefined();
    expect(read({ chips: [0, 0, 120] }).expected).toBeUndefined();
  });
});

describe('boards that hash', () => {
  const alive = (rig: Omit<Rig, 'chips'>) =>
    read({ chips: [120, 120, 120], ...rig }).boards?.map(({ isAlive }) => isAlive);
  test.each<[string, Omit<Rig, 'chips'>, readonly (boolean | undefined)[]]>([
    ['are those with a rate', { mining: 3, ths: [36, 36, 36] }, [true, true, true]],
    ['one less', { mining: 2, ths: [36, 0, 36], status: 'DegradedMining' }, [true, false, true]],
    ['one less, not heard of at all', { mining: 2, ths: [36, 36] }, [true, true, false]],
    ['counted otherwise than heard', { mining: 2, ths: [36, 36, 36] }, [undefined, undefined, undefined]],
    ['not counted', { ths: [36, 0, 36] }, [undefined, undefined, undefined]],
    ['none, in sleep', { mining: 0, ths: [0, 0, 0], status: 'Stopped' }, [undefined, undefined, undefined]],
  ])('%s', (_, rig, expected) => expect(alive(rig)).toEqual(expected));
});

describe('the temperature', () => {
  const of = (asics: object | undefined, average?: number) =>
    proto.read(
      {
        mining: { 'mining-status': { status: 'Mining', average_asic_temp_c: average } },
        telemetry: {
          hashboards: [
            { index: 0, temperature: { unit: '°C', inlet: 41, outlet: 57, average: 48 }, ...(asics && { asics }) },
          ],
        },
      },
      {},
    ).reading;

  test('is that of the hottest chip, not of a sensor on the board', () => {
    const { tempC, boards } = of({ temperature: { unit: '°C', values: [75, 71, 0] } }, 72);
    expect(tempC).toBe(75);
    expect(boards).toMatchObject([{ chipTempMaxC: 75, chipTempAvgC: 73, boardTempsC: [41, 57, 48], outletTempC: 57 }]);
  });
  test('is at least the mean of the chips where they are not told one by one', () => {
    expect(of(undefined, 71.9)).toMatchObject({ tempC: 71.9 });
    expect(of(undefined, 71.9).boards?.[0]).not.toHaveProperty('chipTempMaxC');
    expect(of({ temperature: { unit: 'F', values: [160] } }).tempC).toBe(57);
    expect(of({ temperature: { unit: '°C', values: [0, 0] } }, 0).tempC).toBe(57);
  });
});
