// A service that floods its agent with orders: as many as may wait do so, the others are refused with the reason, and
// the miners are polled as before.
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import type { TaskRecord } from '../../src/wire/records.ts';
import { startPithead } from '../e2e/process.ts';
import { until } from '../e2e/until.ts';
import { loopback } from '../support/loopback.ts';
import { task as taskOf } from '../unit/agent/uplink/signatures/signed.ts';
import { pause } from './agent-site.ts';
import { startForgingService } from './forging-service.ts';
import { isFull, report } from './table.ts';

const MINERS = isFull ? 100 : 10;
const FLOOD = isFull ? 10_000 : 1_000;
const MAX_QUEUED = FLOOD / 5;
const POLL_S = 10;
const CALM_S = isFull ? 40 : 0;
const DAY_MS = 86_400_000;
const isOver = ({ status }: TaskRecord) => status !== 'pending' && status !== 'running';

test(
  `${FLOOD} orders at once: the bound holds, the rest is refused, polling goes on`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pithead-flood-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const portMap = await suitablePortMap();
    const { network } = loopback(25);
    const farm = await startFarm({ network, miners: MINERS, seed: 6, mix: 'vnish', noise: 0, portMap });
    onTestFinished(() => farm.stop());
    const service = await startForgingService();
    onTestFinished(() => service.stop());
    mkdirSync(join(folder, 'state'), { mode: 0o700 });
    const config = {
      stateDir: 'state',
      networks: [network],
      portMap,
      scan: { every: '7d' },
      poll: { interval: `${POLL_S}s`, deadline: '5s' },
      tasks: { maxQueued: MAX_QUEUED },
      service: { url: service.url, enrolmentCode: 'code', allowPlain: true },
    };
    writeFileSync(join(folder, 'pithead.yaml'), JSON.stringify(config), { mode: 0o600 });
    const agent = startPithead(['agent', '-c', join(folder, 'pithead.yaml')], {
      cwd: folder,
      environment: { XDG_CONFIG_HOME: folder },
    });
    onTestFinished(async () => {
      agent.kill('SIGTERM');
      await agent.end();
    });

    const polls = () => service.records.flatMap((record) => (record.kind === 'miner' ? [record] : []));
    const keys = () => [...new Set(polls().map(({ key }) => key))];
    await until(keys, (found) => found.length === MINERS, 90_000);
    /** What lies between two polls of a miner, ms; of polls in this time. */
    const gaps = (fromMs: number, toMs: number) =>
      [...Map.groupBy(polls(), ({ key }) => key).values()].flatMap((records) => {
        const times = records.map(({ at }) => Date.parse(at));
        return times.flatMap((atMs, i) => {
          const beforeMs = times[i - 1];
          return beforeMs === undefined || atMs < fromMs || atMs > toMs ? [] : [atMs - beforeMs];
        });
      });

    // The first rounds after a start are not like the others.
    await pause(isFull ? 2 * POLL_S * 1_000 : 0);
    const calmFromMs = Date.now();
    await pause(CALM_S * 1_000);
    const line = service.lines.at(-1);
    if (line === undefined) throw new Error('the agent has connected');
    const all = keys();
    const nowMs = Date.now();
    const frames = Array.from({ length: FLOOD }, (_, i) =>
      service.signFor(
        line,
        line.taskSeq + i + 1,
        taskOf({
          task_id: randomUUID(),
          name: 'miner.light.update',
          params: { on: i % 2 === 0 },
          miner_key: all[i % all.length] ?? '',
          created_at: new Date(nowMs).toISOString(),
          expires_at: new Date(nowMs + DAY_MS).toISOString(),
        }),
      ),
    );
    const floodMs = Date.now();
    for (const frame of frames) line.send(frame);
    const sentMs = Date.now() - floodMs;

    const outcomes = () =>
      service.records.flatMap((record) => (record.kind === 'task' && isOver(record) ? [record] : []));
    const refused = () => outcomes().filter(({ message }) => message === `refused: ${MAX_QUEUED} tasks wait already`);
    const receivedMs = await until(
      () => service.received.length,
      (count) => count === FLOOD,
      120_000,
    ).then(() => Date.now() - floodMs);
    await until(refused, (found) => found.length >= FLOOD - 2 * MAX_QUEUED, 120_000);
    await pause(Math.max(0, CALM_S * 1_000 - (Date.now() - floodMs)));
    const begun = service.records.filter((record) => record.kind === 'task' && record.status === 'running').length;
    const p99 = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0;
    const [calm, flooded] = [gaps(calmFromMs, floodMs), gaps(floodMs, Date.now())];
    const [calmMs, floodedMs] = [p99(calm), p99(flooded)];
    expect(begun).toBeGreaterThan(0);
    const taken = FLOOD - refused().length;
    const other = outcomes().filter(({ status, message }) => status === 'failed' && !message?.startsWith('refused: '));
    report({
      id: 'S6',
      value: `${FLOOD} orders in ${sentMs} ms, all in the journal ${receivedMs} ms after the first: ${taken} taken with a bound of ${MAX_QUEUED} (${begun} were begun meanwhile), ${refused().length} refused with the reason, ${other.length} failed otherwise${isFull ? `; p99 between polls of a miner ${calmMs} -> ${floodedMs} ms (longest ${Math.max(...calm)} -> ${Math.max(...flooded)}; ${calm.length} and ${flooded.length} polls)` : ''}`,
      bar: 'bound holds, rest refused with reason, poll cycle p99 + <= 10 %',
      isMet: taken <= MAX_QUEUED + begun && taken >= MAX_QUEUED && (!isFull || floodedMs <= calmMs * 1.1),
    });
  },
  isFull ? 500_000 : 400_000,
);
