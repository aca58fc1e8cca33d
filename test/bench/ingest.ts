// Storing reports: records per second of a whole farm, the first time and then again and again with new readings; and
// what each index costs of it when some are left out.
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { fillFleet, fleetRecord, report, SLICE } from '../unit/service/store/fleet.ts';
import { withStore } from './bench-store.ts';
import { median, print, quantile } from './figures.ts';

export async function benchIngest(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      miners: { type: 'string', default: '10000' },
      rounds: { type: 'string', default: '5' },
      database: { type: 'string', default: 'sqlite' },
      without: { type: 'string', default: '' },
    },
  });
  const [miners, rounds] = [Number(values.miners), Number(values.rounds)];
  await withStore(values.database, async ({ store, databases }) => {
    for (const index of values.without.split(',').filter((name) => name !== ''))
      await sql`drop index ${sql.ref(index)}`.execute(databases.write);
    const startMs = performance.now();
    let nowMs = Date.now() - 3_600_000;
    const { farmId, agentIds } = await fillFleet(store, databases, { miners, nowMs });
    const elapsedS = (performance.now() - startMs) / 1_000;
    print(`${values.database}${values.without && ` without ${values.without}`}: ${miners} miners`);
    print(`  first time: ${Math.round((miners * 1.1) / elapsedS)} records/s`);
    const agentId = agentIds[0];
    let seq = (miners - Math.floor(miners / 10)) / SLICE + 1;
    const rates: number[] = [];
    const costs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      nowMs += 60_000;
      const records = Array.from({ length: miners }, (_, n) => fleetRecord(n, nowMs)).slice(Math.floor(miners / 10));
      const fromMs = performance.now();
      const before = process.cpuUsage();
      seq = await report(store, { farmId, agentId, seq }, records, nowMs);
      const { user, system } = process.cpuUsage(before);
      costs.push((user + system) / records.length);
      rates.push((records.length * 1_000) / (performance.now() - fromMs));
    }
    const [p50, least] = [median(rates), quantile(rates, 0)].map(Math.round);
    print(
      `  again, with new readings: ${p50} records/s (median of ${rounds}; least ${least}), ${median(costs).toFixed(1)} us of our processor each`,
    );
  });
}
