// A technician's day, task by task: each is one command, and what it shows on a terminal of 80 columns is kept in
// test/screens, with times and measured values masked. Those of illness, acts and shifts are kept by other tests.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import measure from 'fast-string-truncated-width';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Device } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { antminerBundle } from '../support/firmware-files.ts';
import { loopback } from '../support/loopback.ts';
import { startPithead } from './process.ts';
import { type ProgramSite, startProgram } from './program-site.ts';
import { COLUMNS, type Kept, keepScreen, keepText, masked } from './screens.ts';
import { runOnTerminal } from './terminal.ts';
import { until } from './until.ts';

const NET = loopback(26);
/** In the other half stands a spare unit, which the agent does not watch. */
const WATCHED = NET.part(0, 27);
const RACK = 8;
const minerSchema = z.looseObject({
  ip: z.string(),
  mac: z.string().nullable(),
  serial_number: z.string().nullable(),
  is_mining: z.boolean(),
  is_online: z.boolean(),
});

let site: ProgramSite;
let watched: readonly Device[];
let spare: readonly Device[];
const list = (...args: string[]) => site.json(minerSchema, 'miners', ...args);
const at = (n: number) => watched[n]?.ip ?? '';
const hostOf = ({ ip }: Device) => Number(ip.split('.')[3]) % 64;

/** A path that the terminal had to wrap is found too. */
const anywhere = (text: string) =>
  new RegExp([...text].map((letter) => letter.replace('.', String.raw`\.`)).join('\\n?'), 'g');

/** Paths, ids, ports and counts that differ from run to run. */
const mask = (text: string) =>
  text
    .replaceAll(anywhere(site.folder), '/farm')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, '0198c0de-7a11-7000-8000-000000000000')
    .replaceAll(/about (\d+[hms])+/g, 'about 5s')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:8420')
    // The last line of a scan, which ends where the screen does.
    .replace(
      /( addresses in )\w+(: [\s\S]*)$/,
      (_, head: string, rest: string) => `${head}1s${rest.replaceAll('\n', ' ')}`,
    )
    .replaceAll(/ 00:00:\d\d\b/g, ' 00:00:00')
    .replace(/^agent +[\s\S]*(?=\nhealth)/, 'agent       (version, age, process), state in /farm/state')
    .replaceAll(/\d+ characters/g, '## characters')
    .replaceAll(/^(polls|outbox|backup) .*(\n {12}.*)*$/gm, (_, name: string) => `${name.padEnd(12)}(counts)`)
    .replaceAll(/^(scans +last: ).*,/gm, '$1…,');
const keep = (name: string, args: readonly string[], kept: Kept = {}) =>
  keepScreen(name, [...args, ...site.atHost], { mask, ...kept });

beforeAll(async () => {
  site = await startProgram({
    farm: {
      ...{ miners: 40, mix: 'vnish=2,antminer-b=1,whatsminer-2=1', network: NET.network, seed: 8 },
      ...{ noise: 0, noiseStepS: 1, bootS: 1, warmUpS: 1 },
    },
    config: () => ({
      networks: [WATCHED],
      poll: { interval: '2s', slowEvery: 1, staticEvery: '5s', deadline: '2s' },
      flags: { warmUp: '1s', unknown: { frozen: { polls: 1_000, time: '1d' } } },
      tasks: {
        reboot: { backS: 60, hashS: 120, graceS: 4, checkEveryS: 0.3, dailyCap: 100, recentS: 0 },
        powerGate: { kw: 100_000, windowS: 1 },
      },
    }),
  });
  watched = site.farm.devices.filter((device) => hostOf(device) < 31);
  spare = site.farm.devices.filter((device) => hostOf(device) > 32);
  await until(
    () => list(),
    (miners) => miners.length === watched.length && miners.every(({ is_mining }) => is_mining),
  );
}, 300_000);
afterAll(() => site.stop());

describe('a host', () => {
  test('is set up, checked and asked how it does', async () => {
    const portMap = Object.entries(await suitablePortMap()).flatMap(([from, to]) => ['--port-map', `${from}=${to}`]);
    const path = join(site.folder, 'new.yaml');
    const setup = ['setup', '--yes', '--config', path, '--network', NET.part(32, 28), ...portMap];
    await keepScreen('setup', setup, { mask });
    await keepScreen('config-check', ['config', 'check', path], { mask });
    writeFileSync(join(site.folder, 'bad.yaml'), 'networks: [10.0.0.0/33]\npoll: { intervall: 30s }\n');
    await keepScreen('config-check-wrong', ['config', 'check', join(site.folder, 'bad.yaml')], { mask, code: 78 });
    await until(
      async () => (await site.pithead('status')).stdout,
      (shown) => / 0 closed|\d+ identified/.test(shown) && /nothing\s+waits/.test(shown),
    );
    await keep('status', ['status']);
    await keep('reload', ['reload']);
  });

  test('doctor names what is wrong and what to do about it', async () => {
    // What it finds besides is of this machine.
    const config = join(site.folder, 'bad.yaml');
    const { code, stdout: wrong } = await startPithead(['doctor', '--config', config]).end();
    expect(code).toBe(1);
    const about = wrong.split('\n').filter((line) => /10\.0\.0\.0\/33|intervall/.test(line));
    await keepText('doctor-wrong-config', mask(about.join('\n')));
  });

  test('a scan accounts for every address', async () => {
    const text = await keep('scan', ['scan', WATCHED]);
    expect(text).toContain('32 addresses');
    for (const { ip } of watched) expect(text).toContain(ip);
  });
});

describe('where miners stand', () => {
  const csv = (name: string, text: string) => {
    const path = join(site.folder, name);
    writeFileSync(path, text);
    return path;
  };
  const rows = (from: number, to: number, rack: string, separator: string, name: (device: Device) => string) =>
    watched.slice(from, to).map((device, n) => [name(device), rack, n + 1].join(separator));

  test('a table with semicolons and a BOM, by MAC, is tried and then taken', async () => {
    expect(await site.pithead('container', 'add', '1')).toMatchObject({ code: 0 });
    const macOf = (device: Device) => device.truth().mac.replaceAll(':', '-').toLowerCase();
    const path = csv('racks.csv', `\ufeffMAC;Rack;Slot\r\n${rows(0, RACK, 'C01', ';', macOf).join('\r\n')}\r\n`);
    await keep('position-import-dry-run', ['position', 'import', path, '--dry-run']);
    await keep('position-import', ['position', 'import', path]);
  });

  test('a table with commas, by address, names its conflicts by address and place', async () => {
    const lines = rows(RACK, 2 * RACK, 'C02', ',', ({ ip }) => ip);
    const path = csv('more.csv', `ip,rack,position\n${[...lines, `${at(18)},C01,3`].join('\n')}\n`);
    const text = await keep('position-import-conflict', ['position', 'import', path, '--dry-run'], { code: 1 });
    expect(text).toContain(at(2));
    const good = csv('good.csv', `ip,rack,position\n${lines.join('\n')}\n`);
    expect(await site.pithead('position', 'import', good)).toMatchObject({ code: 0 });
  });

  test('racks have a container and a shape, and a walk fills the last one', async () => {
    const shape = ['--container', '1', '--rows', '2', '--columns', '4'];
    for (const rack of ['C01', 'C02', 'C03'])
      expect(await site.pithead('rack', 'set', rack, ...shape)).toMatchObject({ code: 0 });
    await keep('walk', ['walk', 'C03'], {
      answers: [
        ['(1 of 8)', `${at(16)}\r`],
        ['(2 of 8)', `${watched[17]?.truth().mac ?? ''}\r`],
        ['(3 of 8)', 's\r'],
        ['(4 of 8)', 'q\r'],
      ],
    });
    await keep('rack-show', ['rack', 'show', 'C03']);
  });
});

describe('finding miners', () => {
  test('by MAC in any spelling, by serial number, worker, rack and pool', async () => {
    const { mac, pools } = watched[3]?.truth() ?? { mac: '', pools: [] };
    await keep('find-by-mac', ['miners', mac.replaceAll(':', '').toLowerCase()]);
    await keep('find-by-worker', ['miners', pools[0]?.worker_id ?? '']);
    await keep('find-in-rack', ['miners', 'rack:C01', 'model:s19', 'not', 'pool:old.example']);
    const [first] = (await list()).filter(({ serial_number }) => serial_number !== null);
    expect(await list(first?.serial_number ?? '')).toMatchObject([{ ip: first?.ip }]);
  });

  test('the farm by container, model and algorithm, for its manager', async () => {
    await keep('overview-by-container', ['miners', '--group-by', 'container']);
    await keep('overview-by-model', ['miners', '--group-by', 'model']);
    await keep('overview-by-algorithm', ['miners', '--group-by', 'algorithm']);
  });

  test('exports have what the list has', async () => {
    const columns = ['--columns', 'rack,position,address,model,rate,temp,worker,flags'];
    const { stdout } = await site.pithead('miners', 'rack:C01', '--csv', '--sort', 'position', ...columns);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1 + RACK);
    await keepText('export.csv', stdout.trimEnd().replaceAll('\r', ''));
    const path = join(site.folder, 'rack.xlsx');
    await keep('export-xlsx', ['miners', 'rack:C01', '--xlsx', path]);
    expect(Object.keys(unzipSync(readFileSync(path)))).toContain('xl/worksheets/sheet1.xml');
  });
});

describe('acts', () => {
  test('the logs of a rack in one file', async () => {
    const path = join(site.folder, 'logs.zip');
    await keep('log-zip', ['log', 'rack:C02', 'driver:vnish', '--zip', path], { mask: (text) => sorted(mask(text)) });
    expect(Object.keys(unzipSync(readFileSync(path))).length).toBeGreaterThan(0);
  });

  test('a rack is rebooted after a canary', async () => {
    const answers = [['Reboot 8 miners?', 'y']] as const;
    const text = await keep('reboot-canary', ['reboot', 'rack:C02', '--canary', '1'], {
      ...{ answers, mask: (shown) => sorted(mask(shown)), environment: { NO_COLOR: '1' } },
    });
    expect(text).toMatch(/8 proven$/);
  }, 180_000);
});

describe('acts that change what miners do', () => {
  test('a rack is put to sleep, and shown so on a list that stays', async () => {
    const answers = [['Put 8 miners to sleep?', 'y']] as const;
    const text = await keep('act-sleep', ['sleep', 'rack:C02'], {
      ...{ answers, mask: (shown) => sorted(mask(shown)), environment: { NO_COLOR: '1' } },
    });
    expect(text).toMatch(/8 proven$/);
    await until(
      () => list('rack:C02', 'state:asleep'),
      (asleep) => asleep.length === RACK,
    );
    let shown: readonly string[] = [];
    const take = async (screen: readonly string[]) => {
      shown = screen;
    };
    const screen = await runOnTerminal(['miners', 'rack:C02', '--watch', ...site.atHost], {
      columns: COLUMNS,
      answers: [
        [at(15), take],
        [at(15), 'q'],
      ],
    });
    expect(screen.code).toBe(0);
    expect(shown.filter((line) => measure(line).width > COLUMNS)).toEqual([]);
    // They cool down.
    await keepText('miners-watch', mask(masked(shown)).replaceAll(/\d\d(?= {2}asleep)/g, '##'));
  }, 180_000);

  test('firmware of the folder goes to a miner that it fits', async () => {
    const images = join(site.folder, 'state', 'firmware');
    mkdirSync(images, { recursive: true });
    writeFileSync(join(images, 'Antminer-9.9.9.bmu'), antminerBundle('9.9.9'));
    const update = ['firmware', 'Antminer-9.9.9.bmu', '--to-version', '9.9.9'];
    await keep('firmware-dry-run', [...update, 'rack:C01', '--dry-run']);
    const miner = watched.slice(0, RACK).findLast(({ driver }) => driver === 'antminer-stock');
    const text = await keep('firmware', [...update, miner?.ip ?? '']);
    expect(text).toMatch(/1 proven$/);
    expect(miner?.truth().firmware_version).toBe('9.9.9');
  }, 180_000);
});

// The last: the clock of the host is not that of the commands afterwards.
test('a new control board: the miner that stood there goes on', async () => {
  const [unit, old] = [spare[0], watched[1]];
  if (unit === undefined || old === undefined) throw new Error('the farm is too small');
  const { ip } = old;
  const free = Array.from({ length: 30 }, (_, n) => NET.ip(n + 33)).find((other) => !site.farm.device(other));
  await site.farm.move(ip, free ?? '');
  await site.farm.move(unit.ip, ip);
  const { mac } = unit.truth();
  await until(
    () => list(mac),
    (found) => found.length === 1,
  );
  // Only one that is silent can be replaced: some minutes pass.
  const before = old.truth().mac;
  await site.restart(5 * 60_000);
  await until(
    async () => [await list(mac), await list(before)].flat(),
    ([now, gone]) => now?.is_online === true && gone?.is_online === false,
  );
  const text = await keep('same-chassis', ['position', 'same-chassis', mac, before]);
  expect(text).toContain('C01');
  await until(
    () => list('rack:C01'),
    (found) => found.some((miner) => miner.mac === mac),
  );
});

/** Lines that begin with an address in the order of the addresses: they end in any. */
function sorted(text: string): string {
  const isMiner = (line: string) => /^\d+\.\d+\.\d+\.\d+ /.test(line);
  const lines = text.split('\n');
  const miners = lines.filter(isMiner).toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return lines.map((line) => (isMiner(line) ? (miners.shift() ?? line) : line)).join('\n');
}
