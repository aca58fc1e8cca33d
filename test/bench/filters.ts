// Every filter of the miner lists on a store of many miners: time of a page of 50 with its total, rows found, and how
// the database gets at them.
import { parseArgs } from 'node:util';
import type { CompiledQuery } from 'kysely';
import type { Databases } from '../../src/service/store/databases.ts';
import { createMinerStore } from '../../src/service/store/miners/miners.ts';
import { fillFleet } from '../unit/service/store/fleet.ts';
import { ask, filterCases } from '../unit/service/store/miners/filter-cases.ts';
import { describe, explain, listening } from '../unit/service/store/query-plan.ts';
import { withStore } from './bench-store.ts';
import { print, quantile, timed } from './figures.ts';

export async function benchFilters(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      miners: { type: 'string', default: '10000' },
      rounds: { type: 'string', default: '30' },
      database: { type: 'string', default: 'sqlite' },
    },
  });
  const [miners, rounds] = [Number(values.miners), Number(values.rounds)];
  await withStore(values.database, async ({ store, databases, isPostgres }) => {
    const nowMs = Date.now();
    const startMs = performance.now();
    const fleet = await fillFleet(store, databases, { miners, nowMs });
    const seconds = (performance.now() - startMs) / 1_000;
    print(`${values.database}: ${miners} miners and a neighbour stored in ${seconds.toFixed(1)} s`);
    await measure(databases, filterCases(fleet, miners), { fleet, rounds, isPostgres });
  });
}

async function measure(
  { read, readItems }: Databases,
  cases: ReturnType<typeof filterCases>,
  { fleet, rounds, isPostgres }: { fleet: Awaited<ReturnType<typeof fillFleet>>; rounds: number; isPostgres: boolean },
): Promise<void> {
  print(line(['filter', 'found', 'p50 ms', 'p99 ms', 'how the page is read; how it is counted']));
  let heard: CompiledQuery[] = [];
  const heardRead = listening(read, (query) => heard.push(query));
  const miners = createMinerStore({ read: heardRead, readItems });
  for (const wanted of cases) {
    const times: number[] = [];
    let total = 0;
    for (let round = 0; round < rounds; round++) {
      heard = [];
      const elapsedMs = await timed(async () => {
        ({ total } = await ask(miners, fleet, wanted));
      });
      times.push(elapsedMs);
    }
    const plans = [];
    // What a statement is made of is heard too.
    for (const query of heard.filter((one) => /"document"|count\(/.test(one.sql)))
      plans.push(await explain(read, query, isPostgres));
    const words = plans.map(({ accesses }) =>
      accesses
        .filter(({ bound, table }) => table === 'miners' || bound === 0)
        .map(describe)
        .join(' + '),
    );
    const [p50, p99] = [0.5, 0.99].map((part) => quantile(times, part).toFixed(1));
    print(line([wanted.name, String(total), p50 ?? '', p99 ?? '', words.join('; ')]));
  }
}

const line = ([name = '', found = '', p50 = '', p99 = '', plan = '']: readonly string[]) =>
  `${name.padEnd(29)} ${found.padStart(6)} ${p50.padStart(8)} ${p99.padStart(8)}  ${plan}`;
