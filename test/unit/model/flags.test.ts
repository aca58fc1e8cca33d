// The bits of the interface, and back.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ANOMALY_TYPES, type AnomalyType, fromBitmask, toBitmask } from '../../../src/model/flags/anomaly-types.ts';
import { ERROR_CATEGORY_FLAG } from '../../../src/model/flags/flags.ts';

describe('the flag bits', () => {
  test.each<[AnomalyType, number]>([
    ['fan', 1],
    ['power', 2],
    ['temperature', 4],
    ['hashboard', 8],
    ['network', 16],
    ['firmware', 32],
    ['unknown', 64],
    ['low_hashrate', 128],
    ['control_board', 256],
    ['pool', 512],
  ])('%s is %d', (type, mask) => {
    expect(toBitmask([type])).toBe(mask);
  });

  test('the table above leaves out none, and all together fill its bits', () => {
    expect(ANOMALY_TYPES).toHaveLength(10);
    expect(toBitmask(ANOMALY_TYPES)).toBe(1_023);
  });

  test('any set of flags survives the bitmask, in bit order and without repeats', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...ANOMALY_TYPES)), (types) => {
        const wanted = ANOMALY_TYPES.filter((type) => types.includes(type));
        expect(fromBitmask(toBitmask(types))).toEqual(wanted);
      }),
    );
  });

  test('any mask survives the flags, bits without a name aside', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 30 - 1 }), (mask) => {
        expect(toBitmask(fromBitmask(mask))).toBe(mask & 1_023);
      }),
    );
  });

  test('no flags are zero, zero is no flags', () => {
    expect(toBitmask([])).toBe(0);
    expect(fromBitmask(0)).toEqual([]);
  });

  test('every error category names a flag, except states, which are no fault', () => {
    for (const [category, type] of Object.entries(ERROR_CATEGORY_FLAG)) {
      if (category === 'state') expect(type).toBeUndefined();
      else expect(ANOMALY_TYPES).toContain(type);
    }
  });
});
