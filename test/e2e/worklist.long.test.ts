// The commands of a technician's morning against a farm with faults, on a terminal of 80 columns. What they print is
// kept in test/screens, with times and ages masked: `npx vitest run --project e2e-long worklist -u` writes it anew.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import measure from 'fast-string-truncated-width';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { findRunningAgent } from '../../src/agent/control/control-client.ts';
import { loopback } from '../support/loopback.ts';
import { runPithead } from './process.ts';
import { COLUMNS, keepScreen } from './screens.ts';
import { type Site, startSite } from './site.ts';
import { runOnTerminal } from './terminal.ts';
import { until } from './until.ts';

const FAULTS = ['board-dead', 'fan-stopped', 'pool-dead'] as const;
/** Nothing moves in this farm, which after minutes would be a flag of its own. */
const FLAGS = { unknown: { frozen: { polls: 1_000, time: '1d' } } };
const { network } = loopback(26);
const minerLine = z.object({ id: z.string(), ip: z.string(), flags: z.array(z.string()) });

let site: Site;
let config: string[];

beforeAll(async () => {
  site = await startSite({ miners: 16, mix: 'antminer-stock', noise: 0, noiseStepS: 3_600, network }, { flags: FLAGS });
  const path = join(site.stateDir, 'pithead.yaml');
  writeFileSync(path, JSON.stringify({ stateDir: site.stateDir }));
  config = ['--config', path];
  await until(
    () => list(),
    (miners) => miners.length === 16,
  );
  await place();
  for (const [index, fault] of FAULTS.entries()) site.farm.devices[index * 3]?.setFault(fault, true);
  await until(
    () => list('--ill'),
    // A dead board costs hashrate too, which shows a little later.
    (miners) => miners.flatMap(({ flags }) => flags).length === FAULTS.length + 1,
    180_000,
  );
}, 300_000);
afterAll(() => site.stop());

async function list(...args: string[]) {
  const { stdout } = await runPithead(['miners', '--json', ...args, ...config]);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => minerLine.parse(JSON.parse(line)));
}

/** Two racks; the last miners stand in none. */
async function place(): Promise<void> {
  const found = await findRunningAgent(site.stateDir);
  if (found.kind !== 'running') throw new Error(`the agent is ${found.kind}`);
  const { workspaceId, farmId } = site.stack;
  for (const [index, { id }] of (await list()).slice(0, 12).entries()) {
    const body = { rack: index < 6 ? 'C02' : 'C10', position: (index % 6) + 1 };
    const path = `/public-api/v2/workspaces/${workspaceId}/farms/${farmId}/miners/${id}`;
    expect((await found.agent.service({ method: 'PATCH', path, body })).status).toBe(200);
  }
  await found.agent.close();
}

const keep = (name: string, ...args: string[]) => keepScreen(name, [...args, ...config]);

test('which are ill, where, why and since when', async () => {
  const text = await keep('miners-ill', 'miners', '--ill');
  expect(text).toContain('3 of 16 miners');
  for (const word of ['C02-01', 'C02-04', 'C10-01', 'since 00:00']) expect(text).toContain(word);
});

test('a line per rack', async () => {
  expect(await keep('miners-by-rack', 'miners', '--group-by', 'rack')).toMatch(/^C02 +6 +6 +2 /m);
});

test('one miner: its flag first, and where it stands', async () => {
  const text = await keep('miner', 'miner', site.farm.devices[0]?.ip ?? '');
  expect(text).toMatch(/^C02-01 .*\n✖ .*since 00:00/);
});

test('a note is part of the miner, and of what changed', async () => {
  const ip = site.farm.devices[3]?.ip ?? '';
  expect(await runPithead(['note', ip, 'fan 2 ordered', ...config])).toMatchObject({ code: 0, stderr: '' });
  const { stdout } = await runPithead(['miner', ip, '--json', ...config]);
  expect(JSON.parse(stdout)).toMatchObject({ notes: [{ text: 'fan 2 ordered' }], miner: { ip, rack: 'C02' } });
  const changes = await runPithead(['changes', '--since', '1h', '--print', ...config]);
  expect(changes.stdout).toMatch(/NOTES \(1\)\n.*C02-04 .*fan 2 ordered +\S+ \(host\)/);
  expect(changes.stdout).toMatch(/RAISED AND STILL OPEN \(4\)/);
  expect(changes.stdout.split('\n').filter((line) => measure(line).width > COLUMNS)).toEqual([]);
});

test('a list that stays ends with q, and the screen is as it was', async () => {
  const screen = await runOnTerminal(['miners', '--watch', ...config], {
    columns: COLUMNS,
    answers: [['16 miners', 'q']],
  });
  expect(screen.code).toBe(0);
  expect(screen.raw.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
  expect(screen.lines).toEqual([]);
});

test.each([
  ['a rack that is none', ['miners', 'rack:Z99'], 5, 'no miner matches'],
  ['none of which is ill', ['miners', '--ill', 'rack:Z99'], 5, 'no miner matches'],
  ['none is missing', ['miners', '--missing'], 0, '0 of 16 miners'],
  ['a kind of word that is none', ['miners', 'rck:C02'], 2, 'do you mean rack'],
  ['a column that is none', ['miners', '--sort', 'tmep'], 2, 'do you mean temp'],
  ['several where one is meant', ['miner', 'rack:C02'], 2, '6 miners match'],
  ['a screen where there is none', ['miners', '--watch'], 2, 'needs a terminal'],
])('%s: exit code and reason', async (_, args, code, reason) => {
  const ended = await runPithead([...args, ...config]);
  expect(ended.code).toBe(code);
  expect(ended.stderr).toContain(reason);
});

test('a workbook and CSV have the miners of the list', async () => {
  const path = join(site.stateDir, 'ill.xlsx');
  expect((await runPithead(['miners', '--ill', '--xlsx', path, ...config])).code).toBe(0);
  const { stdout } = await runPithead(['miners', '--ill', '--csv', ...config]);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1 + FAULTS.length);
  expect(stdout).toContain('rate sha256 TH/s');
});
