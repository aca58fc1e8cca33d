// The board: how large a snapshot and a second's changes are, what a second of them costs the service, and what its
// streams cost it.
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { systemClock } from '../../src/base/clock.ts';
import { createBoard } from '../../src/service/board/board.ts';
import { answerBoard, type BoardRequest } from '../../src/wire/api/board/answer.ts';
import { fillFleet, report } from '../unit/service/store/fleet.ts';
import { withStore } from './bench-store.ts';
import { measureStreams } from './board-streams.ts';
import { print } from './figures.ts';
import { POLL_S, polled, recordByChance } from './records-by-chance.ts';

export async function benchBoard(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      miners: { type: 'string', default: '10000' },
      seconds: { type: 'string', default: '8' },
      database: { type: 'string', default: 'sqlite' },
    },
  });
  const [miners, seconds] = [Number(values.miners), Number(values.seconds)];
  await withStore(values.database, async ({ store, databases }) => {
    const { farmId, agentIds } = await fillFleet(store, databases, { miners: 10, nowMs: 1 });
    const [agentId] = agentIds;
    const records = Array.from({ length: miners }, (_, n) => recordByChance(n));
    let seq = await report(store, { farmId, agentId, seq: 2 }, records.map(polled), Date.now());
    await store.agents.touch([agentId], Date.now());
    // Each look is at a new second, however soon it comes: it asks twice what time it is.
    let passedMs = 0;
    const clock = { nowMs: systemClock.nowMs, elapsedMs: () => (passedMs += 500) };
    const board = createBoard(farmId, {
      ...{ store: store.board, hasCopies: true, statusAt: store.agents.statusAt, clock },
    });
    const answer = async (request: BoardRequest) => {
      const outcome = answerBoard(await board.state(), request);
      if (outcome.kind !== 'ok') throw new Error(outcome.kind);
      const text = JSON.stringify(outcome.board);
      return { ...outcome.board, text };
    };
    const first = await measured(() => answer({}));
    print(
      `snapshot of ${miners} miners: ${sizesOf(first.result.text)}, made in ${first.cpuMs.toFixed(0)} ms of a core`,
    );
    const perSecond = Math.round(miners / POLL_S);
    const costs: number[] = [];
    let { epoch, seq: since, text } = first.result;
    for (let second = 0; second < seconds; second++) {
      const start = (second * perSecond) % miners;
      const changed = records.slice(start, start + perSecond).map(polled);
      seq = await report(store, { farmId, agentId, seq }, changed, Date.now());
      const { result, cpuMs } = await measured(() => answer({ epoch, since }));
      costs.push(cpuMs);
      ({ epoch, seq: since, text } = result);
    }
    const meanMs = costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
    print(`update of ${perSecond} miners: ${sizesOf(text)}, made in ${meanMs.toFixed(1)} ms of a core`);
    const idle = await measured(() => answer({ epoch, since }));
    print(`update of none: made in ${idle.cpuMs.toFixed(1)} ms of a core`);
  });
  await measureStreams(miners, seconds);
}

const sizesOf = (text: string) =>
  `${(text.length / 1_000).toFixed(1)} kB, ${(gzipSync(text).length / 1_000).toFixed(1)} kB gzipped`;

async function measured<T>(work: () => Promise<T>): Promise<{ result: T; cpuMs: number }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, cpuMs: (user + system) / 1_000 };
}
