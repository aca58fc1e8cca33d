// The tables of miners.md say what the drivers say of themselves today.
import { expect, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import { isCurrent } from '../handbook/blocks.ts';
import { DRIVER_BLOCKS, fields, overview } from '../handbook/drivers.ts';

test.each(DRIVER_BLOCKS)('$name of $page.md are up to date: npm run handbook', (block) =>
  expect(isCurrent(block)).toBe(true),
);

test('every driver has a row, with its abilities', () => {
  const lines = overview().split('\n');
  for (const { id, abilities } of drivers) {
    const line = lines.find((text) => text.startsWith(`| [${id}]`));
    for (const name of Object.keys(abilities)) expect(line).toContain(name);
  }
});

test('every driver reads a hashrate, an uptime and what it is', () => {
  const rows = fields().split('\n');
  for (const field of ['hashrate', 'uptime', 'firmware', 'pools']) {
    const ticks = rows.find((text) => text.startsWith(`| ${field} |`))?.match(/ x /g) ?? [];
    expect(ticks.length, field).toBeGreaterThanOrEqual(drivers.length - 1);
  }
});
