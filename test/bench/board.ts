// The board: how large a snapshot and a second's changes are, and what a second of them costs the service. The miners
// have ids, MACs, rates and times by chance, as a farm has: those of a test would compress better.
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { systemClock } from '../../src/base/clock.ts';
import { createBoard } from '../../src/service/board/board.ts';
import { answerBoard, type BoardRequest } from '../../src/wire/api/board/answer.ts';
import type { MinerRecord } from '../../src/wire/records.ts';
import { fillFleet, report } from '../unit/service/store/fleet.ts';
import { minerRecord } from '../unit/service-http/records.ts';
import { withStore } from './bench-store.ts';
import { print } from './figures.ts';

const POLL_S = 60;

export async function benchBoard(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      miners: { type: 'string', default: '10000' },
      seconds: { type: 'string', default: '20' },
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
    // Each look is at a new second, however soon it comes.
    let passedMs = 0;
    const clock = { nowMs: systemClock.nowMs, elapsedMs: () => (passedMs += 1_000) };
    const board = createBoard(farmId, {
      ...{ store: store.board, statusAt: store.agents.statusAt, clock },
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
}

const sizesOf = (text: string) =>
  `${(text.length / 1_000).toFixed(1)} kB, ${(gzipSync(text).length / 1_000).toFixed(1)} kB gzipped`;

async function measured<T>(work: () => Promise<T>): Promise<{ result: T; cpuMs: number }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, cpuMs: (user + system) / 1_000 };
}

const MODELS = [
  'Antminer S19 Pro',
  'Antminer S19j Pro',
  'Antminer S21',
  'Whatsminer M50S VH50',
  'Whatsminer M30S++ VH100',
];

function recordByChance(n: number): MinerRecord {
  const hex = randomBytes(3)
    .toString('hex')
    .toUpperCase()
    .replace(/(..)(..)(..)/, '$1:$2:$3');
  const serial = `SMTTYRHBDJ${'ABC'[n % 3]}${String(randomInt(1e6)).padStart(6, '0')}`;
  return minerRecord(n % 65_536, Date.now(), {
    key: randomUUID(),
    abilities: ['miner.system.reboot', 'miner.light.update', 'miner.log.get'],
    document: {
      ip: `10.${1 + Math.floor(n / 62_500)}.${Math.floor(n / 250) % 250}.${n % 250}`,
      mac: `02:55:F7:${hex}`,
      serial_number: serial,
      model: MODELS[randomInt(MODELS.length)] ?? null,
      uptime: randomInt(5_000_000),
    },
    extras: { hostname: 'Antminer', expected_hashrate: 110e12 },
  });
}

/** Polled now: values that move. */
function polled(record: MinerRecord): MinerRecord {
  const at = new Date().toISOString();
  const { document } = record;
  const moved = {
    hashrate: 95e12 + Math.random() * 20e12,
    power: randomInt(3_000, 3_600),
    temp: randomInt(600, 850) / 10,
  };
  const isIll = randomInt(25) === 0;
  const flag = { type: 'fan', since: at, severity: 'major', value: 0, limit: 1, source: 'fans[0].rpm' } as const;
  const flags = isIll ? [{ ...flag, message: `fan ${randomInt(4)} stands still` }] : [];
  return {
    ...record,
    at,
    document: {
      ...{ ...document, ...moved, last_updated_at: at, uptime: document.uptime + POLL_S },
      anomaly_flags: isIll ? 1 : 0,
    },
    extras: { ...record.extras, flags, fans: [{ index: 0, rpm: randomInt(300, 600) * 10, duty_percent: null }] },
  };
}
