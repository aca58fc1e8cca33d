// Two units show the facts of one miner, and the technician who stands before them says which it is: by command,
// against a running agent. A whole site.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Device } from '../../fixtures/farm/farm.ts';
import { loopback } from '../support/loopback.ts';
import { runPithead } from './process.ts';
import { type Site, startSite } from './site.ts';

const { network: NETWORK, ip: ipOf } = loopback(26);
const [ANTMINERS, AXES] = [3, 5];
let site: Site;
let config: string;
let idOf: ReadonlyMap<string, string>;

const device = (driver: string, index: number): Device => {
  const found = site.farm.devices.filter((one) => one.driver === driver)[index];
  if (found === undefined) throw new Error(`the farm has no ${driver} ${index}`);
  return found;
};
const freeAddress = (): string => {
  const free = Array.from({ length: 62 }, (_, n) => ipOf(n + 1)).find((ip) => !everUsed.has(ip));
  everUsed.add(free ?? '');
  return free ?? '';
};
const everUsed = new Set<string>();
const pithead = (...args: string[]) => runPithead([...args, '--config', config]);
const identity = (...args: string[]) => pithead('identity', ...args);
const keyAt = (ip: string) => [...site.stack.agent.fleet.all()].find(({ target }) => target.ip === ip)?.key ?? '';
const reboot = (ip: string) =>
  site.stack.agent.tasks.runLocal({ name: 'miner.system.reboot', minerKey: keyAt(ip), params: { force: true } })
    .outcome;
const disputeSchema = z.looseObject({
  state: z.string(),
  facts: z.array(z.string()),
  withheld: z.array(z.string()),
  miner: z.looseObject({ ip: z.string() }),
  claimant: z.looseObject({ ip: z.string() }),
});
const disputes = async () => {
  const { code, stdout, stderr } = await identity('list', '--json');
  expect([code, stderr]).toEqual([0, '']);
  return z.object({ disputes: z.array(disputeSchema) }).parse(JSON.parse(stdout)).disputes;
};
const eventsOf = (type: string) => {
  const database = new DatabaseSync(join(site.stateDir, 'service.sqlite'), { readOnly: true });
  try {
    return database.prepare('SELECT miner_id, detail FROM events WHERE type = ? ORDER BY at').all(type);
  } finally {
    database.close();
  }
};

beforeAll(async () => {
  site = await startSite(
    {
      network: NETWORK,
      miners: ANTMINERS + AXES,
      mix: { 'antminer-c': ANTMINERS, axeos: AXES },
      seed: 6,
      noise: 0,
      bootS: 3,
      warmUpS: 1,
    },
    {
      poll: { interval: '1s', slowEvery: 1, staticEvery: '5s', deadline: '3s' },
      tasks: {
        reboot: { backS: 60, hashS: 60, graceS: 5, checkEveryS: 0.2, dailyCap: 3 },
        powerGate: { kw: 100_000, windowS: 1 },
      },
    },
  );
  config = join(site.stateDir, 'pithead.yaml');
  writeFileSync(config, JSON.stringify({ stateDir: site.stateDir, networks: [NETWORK] }), { mode: 0o600 });
  const miners = await site.until(
    () => site.miners(),
    (found) => found.length === ANTMINERS + AXES,
  );
  for (const { ip } of miners) everUsed.add(ip);
  idOf = new Map(miners.map(({ ip, id }) => [ip, id]));
});
afterAll(() => site.stop());

async function untilDisputed(claimant: string, state = 'refuted') {
  const all = await site.until(disputes, (found) =>
    found.some((one) => one.claimant.ip === claimant && one.state === state),
  );
  return all.find((one) => one.claimant.ip === claimant);
}

test('two units show one MAC and serial number: neither is rebooted, and the list names both', async () => {
  const [victim, impostor] = [device('antminer-stock', 0), device('antminer-stock', 1)];
  for (const fault of ['duplicate-mac', 'duplicate-serial'] as const) impostor.setFault(fault, true, victim.ip);
  const dispute = await untilDisputed(impostor.ip);
  expect(dispute).toMatchObject({ miner: { ip: victim.ip }, facts: ['mac', 'serial'] });
  expect(dispute?.withheld.toSorted()).toEqual([victim.ip, impostor.ip].toSorted());
  for (const { ip } of [victim, impostor])
    expect(await reboot(ip)).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('pithead identity settle'),
    });
  const { stdout } = await identity('list');
  expect(stdout).toContain(`pithead identity settle ${victim.ip}`);
  expect(stdout).toContain(`pithead identity settle ${victim.ip}, or ${impostor.ip}`);
});

test('what names nobody, or nothing that is disputed, is left, and says why', async () => {
  const stranger = await identity('settle', '10.9.9.9', device('antminer-stock', 2).ip);
  expect([stranger.code, stranger.stdout]).toEqual([1, expect.stringContaining('nothing to settle')]);
  expect(stranger.stdout).toContain('no known miner has this address');
  expect((await identity('settle')).code).toBe(78);
  const elsewhere = await runPithead(['identity', 'list']);
  expect([elsewhere.code, elsewhere.stderr]).toEqual([3, expect.stringContaining('only a running agent knows')]);
});

test('the one that was named is rebooted within seconds; the other one gets nothing, and is still named', async () => {
  const [victim, impostor] = [device('antminer-stock', 0), device('antminer-stock', 1)];
  const { code, stdout } = await identity('settle', victim.ip);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`not the miner: ${impostor.ip}`)]);
  expect(await reboot(victim.ip)).toMatchObject({ status: 'succeeded' });
  expect(await reboot(impostor.ip)).toMatchObject({ status: 'failed' });
  expect([victim.reboots, impostor.reboots]).toEqual([1, 0]);
  expect(await disputes()).toMatchObject([{ state: 'rejected', withheld: [impostor.ip] }]);
  const shown = await site.until(
    () => site.miners(),
    (miners) => miners.find(({ ip }) => ip === victim.ip)?.unstable_reason === null,
  );
  expect(shown.find(({ ip }) => ip === victim.ip)?.id).toBe(idOf.get(victim.ip));
  // What it was before it showed other facts stands nowhere now.
  const [unit, ...more] = shown.filter(({ ip, id }) => ip === impostor.ip && id !== idOf.get(ip));
  expect([unit?.unstable_reason, more]).toEqual(['all_invalid', []]);
  expect(unit?.id).not.toBe(idOf.get(victim.ip));
  const status = await pithead('status');
  expect(status.stdout).toContain(impostor.ip);
  const [event] = await site.until(
    () => eventsOf('identity_settled'),
    (events) => events.length > 0,
  );
  expect(event?.miner_id).toBe(idOf.get(victim.ip));
  expect(JSON.parse(String(event?.detail))).toMatchObject({
    ip: victim.ip,
    rejected: [{ ip: impostor.ip }],
    actor: { type: 'user' },
  });
});

test('it holds after a restart', async () => {
  const [victim, impostor] = [device('antminer-stock', 0), device('antminer-stock', 1)];
  await site.restart();
  await untilDisputed(impostor.ip, 'rejected');
  const { code, stdout } = await pithead('reboot', victim.ip, '--force');
  expect([code, stdout]).toEqual([0, expect.stringContaining('1 proven')]);
  expect(await reboot(impostor.ip)).toMatchObject({ status: 'failed' });
  expect([victim.reboots, impostor.reboots]).toEqual([2, 0]);
});

test('from a third address it is disputed anew', async () => {
  const [victim, impostor] = [device('antminer-stock', 0), device('antminer-stock', 1)];
  const third = freeAddress();
  await site.farm.move(impostor.ip, third);
  await site.stack.agent.scan();
  const dispute = await untilDisputed(third);
  expect(dispute?.withheld.toSorted()).toEqual([victim.ip, third].toSorted());
  expect(await reboot(victim.ip)).toMatchObject({ status: 'failed' });
  expect((await identity('settle', victim.ip)).code).toBe(0);
  expect(await reboot(victim.ip)).toMatchObject({ status: 'succeeded' });
  for (const fault of ['duplicate-mac', 'duplicate-serial'] as const) impostor.setFault(fault, false);
});

test('miners that are known by their MAC alone and moved: all of them by one command, with ids and history, but for those in doubt', async () => {
  const [first, second, claimed, copy] = [0, 1, 2, 3].map((index) => device('axeos', index));
  if (!first || !second || !claimed || !copy) throw new Error('the farm is too small');
  const ids = new Map([first, second, claimed].map((one) => [one, idOf.get(one.ip)]));
  const rowsBefore = new Map([first, second, claimed].map((one) => [one.ip, keyAt(one.ip)]));
  const moves = [first, second, claimed].map((one) => [one, one.ip, freeAddress()] as const);
  for (const [, from, to] of moves) await site.farm.move(from, to);
  copy.setFault('duplicate-mac', true, claimed.ip);
  await site.stack.agent.scan();
  for (const [one, from] of moves.slice(0, 2)) {
    const dispute = await untilDisputed(one.ip, 'open');
    expect(dispute).toMatchObject({ miner: { ip: from }, facts: ['mac'] });
  }
  await untilDisputed(claimed.ip, 'open');
  const dry = await identity('settle', '--all', '--dry-run');
  expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('2 would be settled, ')]);
  const unasked = await identity('settle', '--all');
  expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('add --yes')]);
  expect(keyAt(first.ip)).not.toBe(rowsBefore.get(moves[0]?.[1] ?? ''));
  const all = await identity('settle', '--all', '--yes');
  expect([all.code, all.stdout]).toEqual([0, expect.stringContaining(`${claimed.ip}`)]);
  expect(all.stdout).toContain('2 settled, ');
  for (const [one, from] of moves.slice(0, 2)) expect(keyAt(one.ip)).toBe(rowsBefore.get(from));
  const shown = await site.until(
    () => site.miners(),
    (miners) => [first, second].every((one) => miners.find(({ ip, id }) => ip === one.ip && id === ids.get(one))),
  );
  for (const one of [first, second]) {
    const rows = shown.filter(({ id }) => id === ids.get(one));
    expect(rows.map(({ ip }) => ip)).toEqual([one.ip]);
  }
  const moved = eventsOf('moved').filter(({ miner_id }) => miner_id === ids.get(first));
  expect(moved).toHaveLength(1);
});
