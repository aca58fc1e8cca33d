// Pools of a saved set, their lock, power and firmware on a farm of several makes: each as a dry run and for real, by
// the agent of this host and by the service from another computer. Scripts go by the exit codes.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { antminerBundle } from '../support/firmware-files.ts';
import { runPithead } from './process.ts';
import { type Site, startSite } from './site.ts';

const MIX = { 'whatsminer-3': 2, 'antminer-b': 2, 'braiins-rest': 1, innosilicon: 1 };
const MINERS = 6;

let site: Site;
let folder: string;

beforeAll(async () => {
  const mix = Object.entries(MIX).map(([name, count]) => `${name}=${count}`);
  site = await startSite(
    { miners: MINERS, mix: mix.join(), seed: 21, noise: 0, noiseStepS: 1, bootS: 1, warmUpS: 1 },
    {
      tasks: {
        powerMode: { dailyCap: 50 },
        powerGate: { kw: 100_000, windowS: 1 },
      },
    },
  );
  folder = mkdtempSync(join(tmpdir(), 'pithead-kinds-'));
  writeFileSync(join(folder, 'pithead.yaml'), JSON.stringify({ stateDir: site.stateDir, networks: [] }));
  const { workspaceId, service } = site.stack;
  const { key } = await service.admin.createKey({ workspaceId, name: 'kinds', role: 'admin' });
  writeFileSync(join(folder, 'key'), key);
  await site.until(
    () => site.miners(),
    (miners) => miners.length === MINERS && miners.every(({ is_mining }) => is_mining),
  );
  for (const set of Object.values(SET_OF)) {
    const pools = ['--url', urlOf(set), '--worker', `${set}.{ip4}`, '--password', 'secret-of-pools'];
    const saved = await runPithead(['pools', 'save', set, ...pools, ...WAYS['the service']()]);
    expect(saved.code, saved.stderr).toBe(0);
    expect(saved.stdout).toMatch(new RegExp(`^${set} .*${set}\\.\\{ip4\\}`, 'm'));
    expect(saved.stdout).not.toContain('secret-of-pools');
  }
});
afterAll(async () => {
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

const urlOf = (set: string) => `stratum+tcp://${set}.example:3333`;

const WAYS = {
  'the agent of this host': () => ['--config', join(folder, 'pithead.yaml')],
  'the service': () => ['--server', site.stack.url, '--key-file', join(folder, 'key')],
} as const;
/** Each way gives them others. */
const SET_OF = { 'the agent of this host': 'summer', 'the service': 'winter' } as const;
const ways = Object.entries(WAYS).map(([name, options]) => ({
  name,
  pithead: (...args: string[]) => runPithead([...args, ...options()]),
}));

const countsSchema = z.looseObject({
  proven: z.int().optional(),
  count: z.int().optional(),
  left_out: z.array(z.looseObject({ who: z.string(), reason: z.string() })),
});
const last = ({ stdout }: { stdout: string }) =>
  countsSchema.parse(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? ''));

const devices = (driver: string) => site.farm.devices.filter((device) => device.driver === driver);
const truths = (driver: string) => devices(driver).map((device) => device.truth());

describe.each(ways)('by $name', ({ name, pithead }) => {
  const dry = (...args: string[]) => pithead(...args, '--dry-run', '--json');
  const real = (...args: string[]) => pithead(...args, '--yes', '--json');

  test('a saved set of pools: its workers are shown, its password is not, and each miner gets them', async () => {
    const set = name === 'the service' ? SET_OF[name] : SET_OF['the agent of this host'];
    const pools = () => site.farm.devices.map((device) => device.truth().pools[0]);
    const expected = site.farm.devices.map(({ ip }) => ({ url: urlOf(set), worker_id: `${set}.${ip.split('.')[3]}` }));
    const shown = await dry('pools', 'set', 'all', '--set', set);
    expect(shown.code, shown.stderr).toBe(0);
    expect(last(shown)).toMatchObject({ count: MINERS, left_out: [] });
    expect(shown.stderr).toContain(`workers such as ${expected[0]?.worker_id} (`);
    expect(pools().map((pool) => pool?.url)).not.toContain(urlOf(set));
    const ended = await real('pools', 'set', 'all', '--set', set);
    expect(ended.code, ended.stdout).toBe(0);
    expect(last(ended)).toMatchObject({ proven: MINERS });
    expect(pools()).toMatchObject(expected);
    expect(`${shown.stdout}${shown.stderr}${ended.stdout}${ended.stderr}`).not.toContain('secret-of-pools');
    const unknown = await real('pools', 'set', 'all', '--set', 'spring');
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('spring') });
  });

  test('pools that were set from here are locked and unlocked', async () => {
    const shown = await dry('pools', 'lock', 'driver:whatsminer');
    expect(shown.code, shown.stderr).toBe(0);
    expect(last(shown)).toMatchObject({ count: 2, left_out: [] });
    const locked = await real('pools', 'lock', 'driver:whatsminer');
    expect(locked.code, locked.stdout).toBe(0);
    expect(last(locked)).toMatchObject({ proven: 2 });
    const unlocked = await real('pools', 'unlock', 'driver:whatsminer');
    expect(unlocked.code, unlocked.stdout).toBe(0);
    expect(last(unlocked)).toMatchObject({ proven: 2 });
  });

  test('a power in watts and a mode: those that take it are proven, those that cannot are left out or fail', async () => {
    const watts = name === 'the service' ? '2800' : '3000';
    const shown = await dry('power', watts, 'driver:whatsminer,innosilicon');
    expect(shown.code, shown.stderr).toBe(0);
    expect(last(shown)).toMatchObject({ count: 2, left_out: [{ reason: expect.stringContaining('cannot do this') }] });
    const set = await real('power', watts, 'driver:whatsminer');
    expect(set.code, set.stdout).toBe(0);
    expect(last(set)).toMatchObject({ proven: 2 });
    const again = await real('power', `${Number(watts) - 100}W`, 'driver:whatsminer');
    expect(again.code, again.stdout).toBe(0);
    const low = await real('power', 'low', 'driver:whatsminer');
    expect(low.code, low.stdout).toBe(0);
    expect(truths('whatsminer').map(({ mining_mode }) => mining_mode)).toEqual(['low', 'low']);
    const normal = await real('power', 'normal', 'driver:whatsminer');
    expect(normal.code, normal.stdout).toBe(0);
    const refused = await real('power', 'no-such-preset', 'driver:whatsminer');
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining('power limits') });
    expect(await real('power', '3000W', 'driver:innosilicon')).toMatchObject({ code: 5, stdout: '' });
  });

  test('firmware from the folder of the agent: by name, to a version that is proven; of an unknown file nothing', async () => {
    const version = name === 'the service' ? '9.9.9' : '9.9.8';
    const images = join(site.stateDir, 'firmware');
    mkdirSync(images, { recursive: true });
    const file = `Antminer-${version}.bmu`;
    writeFileSync(join(images, file), antminerBundle(version));
    const shown = await dry('firmware', file, 'driver:antminer-stock', '--to-version', version);
    expect(shown.code, shown.stderr).toBe(0);
    expect(last(shown)).toMatchObject({ count: 2 });
    expect(truths('antminer-stock').map(({ firmware_version }) => firmware_version)).not.toContain(version);
    const updated = await real('firmware', file, 'driver:antminer-stock', '--to-version', version, '--canary', '1');
    expect(updated.code, updated.stdout).toBe(0);
    expect(last(updated)).toMatchObject({ proven: 2 });
    expect(truths('antminer-stock').map(({ firmware_version }) => firmware_version)).toEqual([version, version]);
    const others = await real('firmware', file, 'driver:whatsminer', '--to-version', version);
    expect(others).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining('by its name') });
    expect(truths('whatsminer').map(({ firmware_version }) => firmware_version)).not.toContain(version);
    const unknown = await real('firmware', 'no-such-file.bmu', 'driver:antminer-stock');
    expect(unknown.code, unknown.stdout).toBe(1);
  });
});
