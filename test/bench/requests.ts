// Requests per poll of each family, counted at its simulated device, beside what it should cost and the ceiling that a
// test holds.
import { familyData } from '../contract/contract-files.ts';
import { countRequests } from '../contract/requests.ts';

export async function benchRequests(): Promise<void> {
  const rows = await countRequests('127.41.0.0/25');
  const cells = rows
    .toSorted((a, b) => a.driver.localeCompare(b.driver) || a.family.localeCompare(b.family))
    .map(({ driver, family, first, least, most, mean }) => {
      const { mean: ceiling, target } = familyData(family).requests ?? {};
      return [driver, family, first, least, most, mean.toFixed(2), ceiling ?? '-', target ?? '-'].map(String);
    });
  const head = ['driver', 'family', 'first', 'cheapest', 'dearest', 'mean', 'ceiling', 'target'];
  const widths = head.map((title, i) => Math.max(title.length, ...cells.map((row) => (row[i] ?? '').length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  process.stdout.write(`${[head, ...cells].map(line).join('\n')}\n`);
  process.stdout.write(
    'first: recognition and first visit; cheapest, dearest, mean: of the 60 polls of an hour; target: of the cheapest (atlas 24.3); ceiling: of the mean\n',
  );
}
