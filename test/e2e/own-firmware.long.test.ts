// What we caused is ours: two firmware updates through the agent restart a device twice within the hour, and no flag
// says that it was not by us.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { antminerBundle, axeosApplication } from '../support/firmware-files.ts';
import { type Site, startSite } from './site.ts';

const MINERS = 3;

let site: Site;

beforeAll(async () => {
  site = await startSite(
    {
      ...{ miners: MINERS, mix: 'antminer-b,antminer-c,bitaxe', seed: 9 },
      ...{ noise: 0, noiseStepS: 3_600, bootS: 10, warmUpS: 10, speed: 10 },
    },
    {
      poll: { interval: '3s', slowEvery: 1, staticEvery: '6s', deadline: '2s' },
      tasks: { firmware: { concurrency: MINERS } },
    },
  );
  await site.until(
    () => site.miners(),
    (miners) => miners.length === MINERS,
  );
});
afterAll(() => site.stop());

/** Lays it where the agent looks for images, and tells its hash. */
function store(bytes: Buffer): string {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const folder = join(site.stateDir, 'firmware');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${sha256}.bin`), bytes);
  return sha256;
}

const miners = () => [...site.stack.agent.fleet.all()];

/** Puts it on all of them, and waits until each has been polled twice since. */
async function update(version: string): Promise<void> {
  const files = new Map([
    ['antminer-stock', store(antminerBundle(version))],
    ['axeos', store(axeosApplication(version))],
  ]);
  const ends = await Promise.all(
    miners().map(({ key, target }) => {
      const params = { version, sha256: files.get(target.driver.id) };
      return site.stack.agent.tasks.runLocal({ name: 'miner.firmware.update', minerKey: key, params }).outcome;
    }),
  );
  expect(ends.map(({ status, message }) => ({ status, message }))).toEqual(
    ends.map(({ message }) => ({ status: 'succeeded', message })),
  );
  for (let poll = 0; poll < 2; poll++) {
    const before = miners().map(({ judgement }) => judgement?.atMs ?? 0);
    await site.until(
      async () => miners().map(({ judgement }) => judgement?.atMs ?? 0),
      (now) => now.every((at, index) => at > (before[index] ?? 0)),
    );
  }
}

test('what our updates restart is never called a restart by others', async () => {
  await update('9.9.8');
  await update('9.9.9');
  const found = miners().map(({ target, judgement, reported }) => ({
    driver: target.driver.id,
    restarts: judgement?.history.restartsT.length,
    flags: (reported?.extras.flags ?? []).filter(({ message }) => message.includes('not by us')),
  }));
  expect(found.toSorted((a, b) => a.driver.localeCompare(b.driver))).toEqual([
    { driver: 'antminer-stock', restarts: 0, flags: [] },
    { driver: 'antminer-stock', restarts: 0, flags: [] },
    { driver: 'axeos', restarts: 0, flags: [] },
  ]);
});
