// The power of an Auradine is added up of its supplies only if every supply tells its own: one that does not would look
// like a loss.
import { expect, test } from 'vitest';
import { auradineFluxos } from './index.ts';

test('the wall power is that of all supplies, else the figure of the machine', () => {
  const power = (supplies: readonly unknown[], Wattage?: number) =>
    auradineFluxos.read(
      { psu: { PSU: supplies.map((PowerIn) => ({ PowerIn })) }, summary: { SUMMARY: [{ Elapsed: 1, Wattage }] } },
      {},
    ).reading.powerW;
  expect(power(['1500.00W', '1510.00W'])).toBe(3_010);
  expect(power(['1500.00W', 'N/A'])).toBeUndefined();
  expect(power(['1500.00W', undefined], 3_005)).toBe(3_005);
});
