// The tables in the READMEs say what the drivers say of themselves today.
import { expect, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import { hasRecordings } from './answers.ts';
import { fullTables, isCurrent, shortTable, TABLES } from './drivers-table.ts';

// Some fields are shown by recordings alone: without them today's table would be a smaller one.
test.skipIf(!hasRecordings).each(TABLES)('$path is up to date: npm run drivers:table', (entry) =>
  expect(isCurrent(entry)).toBe(true),
);

test('every driver is in both, with what it can do', () => {
  const [lines, full] = [shortTable().split('\n'), fullTables()];
  for (const { id, abilities } of drivers) {
    const line = lines.find((text) => text.startsWith(`| [${id}]`));
    for (const name of Object.keys(abilities)) expect(line).toContain(name);
    expect(full).toContain(`[${id}](${id})`);
  }
});

test('every driver tells a hashrate, an uptime and what it is', () => {
  const rows = fullTables().split('\n');
  for (const field of ['hashrate', 'uptime', 'firmware', 'pools']) {
    const ticks = rows.find((text) => text.startsWith(`| ${field} |`))?.match(/ x /g) ?? [];
    expect(ticks.length, field).toBeGreaterThanOrEqual(drivers.length - 1);
  }
});
