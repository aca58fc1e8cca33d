// `pithead position`, `rack` and `container`: by way of the service, in words of a technician.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LocationFarm, startLocationFarm } from '../service-http/location-farm.ts';
import { minerRecord } from '../service-http/records.ts';
import { json } from './command-line.ts';
import { runOn } from './on-service.ts';

let farm: LocationFarm;
let folder: string;
beforeAll(async () => {
  farm = await startLocationFarm(4);
  folder = mkdtempSync(join(tmpdir(), 'pithead-locations-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await farm.stop();
});

const run = (...args: string[]) => runOn(farm.rig, ...args);
function written(text: string): string {
  const path = join(folder, 'racks.csv');
  writeFileSync(path, text);
  return path;
}

test('a rack gets its container and shape, and shows its slots', async () => {
  const unknown = await run('rack', 'set', 'C03', '--container', '1');
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no container 1')]);
  expect((await run('container', 'add', '1')).stdout).toBe('1: 0 racks\n');
  const few = await run('rack', 'set', 'C03', '--rows', '2');
  expect([few.code, few.stderr]).toEqual([78, expect.stringContaining('--columns: a new shape needs rows')]);
  const made = await run('rack', 'set', 'C03', '--container', '1', '--rows', '2', '--columns', '2', '--serpentine');
  expect(made.stdout).toBe('C03: container 1, shape 2 x 2 from top-left along rows, serpentine, 0 miners\n');
  // What is not given stays.
  const turned = await run('rack', 'set', 'C03', '--first', 'bottom-left', '--json');
  expect(json(turned)).toMatchObject({ container: '1', shape: { rows: 2, first: 'bottom-left', serpentine: true } });
  for (const wrong of [['--first', 'middle'], ['--along', 'x'], ['--rows', '0'], []])
    expect((await run('rack', 'set', 'C03', ...wrong)).code, wrong.join(' ')).toBe(78);

  await run('position', 'set', '10.0.0.1', 'C03/4');
  const { stdout } = await run('rack', 'show', 'C03');
  expect(stdout.split('\n').map((line) => line.trimEnd())).toEqual([
    'C03: container 1, shape 2 x 2 from bottom-left along rows, serpentine, 1 miner',
    'SLOT   ROW  COLUMN  ADDRESS   SERIAL   MODEL',
    'C03-1    2       1  –         –        –',
    'C03-2    2       2  –         –        –',
    'C03-3    1       2  –         –        –',
    'C03-4    1       1  10.0.0.1  SN-0001  Antminer S19 Pro',
    '',
  ]);
  expect((await run('rack', 'list')).stdout).toContain('C03   1               1      4  2 x 2 from bottom-left');
  expect((await run('container', 'list')).stdout).toMatch(/1 +1 +1\n$/);
});

test('a miner is placed by any of its names, may swap, and is cleared', async () => {
  expect((await run('position', 'set', '0200.0000.0002', 'C04/1')).stdout).toBe(
    '10.0.0.2  no rack -> C04-1\n1 miner moved\n',
  );
  const held = await run('position', 'set', 'sn-0003', 'C04/1');
  expect([held.code, held.stderr]).toEqual([1, expect.stringContaining('C04-1 is held by 10.0.0.2')]);
  const tried = json(await run('position', 'set', 'HB-0003-0', 'C04/1', '--swap', '--dry-run', '--json'));
  expect(tried).toMatchObject({ dry_run: true, changed_count: 2 });
  const swapped = await run('position', 'set', 'SN-0003', 'C04/1', '--swap');
  expect(swapped.stdout).toBe('10.0.0.3  no rack -> C04-1\n10.0.0.2  C04-1 -> no rack\n2 miners moved\n');
  const listed = json(await run('position', 'list', '--rack', 'C04', '--json'));
  expect(listed).toMatchObject([{ ip: '10.0.0.3', rack: 'C04', position: 1, container: null }]);
  expect((await run('position', 'clear', '10.0.0.3', '10.0.0.1')).stdout).toContain('2 miners moved\n');
  const wrong = await run('position', 'set', '10.0.0.3', "'C04/1");
  expect([wrong.code, wrong.stderr]).toEqual([78, expect.stringContaining('neither rack/position nor a rack')]);
});

test('a file is tried, comes in, and the change is undone', async () => {
  const path = written('SN;Owner;Rack;Pos\nSN-0001;me;C05;1\nSN-0002;me;C05;2\n');
  const tried = await run('position', 'import', path, '--dry-run');
  expect(tried).toEqual({
    code: 0,
    stdout: '10.0.0.1  no rack -> C05-1\n10.0.0.2  no rack -> C05-2\n2 miners would move\n',
    stderr: 'ignored columns: Owner\n',
  });
  expect((await run('position', 'import', path)).stdout).toContain('2 miners moved\n');
  const out = await run('position', 'export');
  expect(out.stdout).toContain(',SN-0001,10.0.0.1,C05,1,\n');
  expect((await run('position', 'import', written(out.stdout))).stdout).toBe('0 miners moved\n');

  const unsure = await run('position', 'undo');
  expect([unsure.code, unsure.stderr]).toEqual([2, expect.stringMatching(/by test: 2 miners\nadd --yes/)]);
  const undone = await run('position', 'undo', '--yes');
  expect(undone.stdout).toContain('10.0.0.2  C05-2 -> no rack\n2 miners moved\n');
  const [newest, before] = json(await run('position', 'undo', '--list', '--json'));
  expect([newest.undoes, before.undone_by]).toEqual([before.id, newest.id]);
  expect((await run('position', 'undo', '--list')).stdout).toContain('an undo');
  expect((await run('position', 'undo', newest.id)).stdout).toContain('10.0.0.1  no rack -> C05-1\n');
});

test('a new unit keeps the chassis of one that is silent', async () => {
  const { rig, agent } = farm;
  await run('position', 'set', '10.0.0.4', 'C07/1');
  rig.clock.step(3_600_000);
  await agent.report([minerRecord(9, rig.clock.nowMs(), { document: { ip: '10.0.0.4' } })]);
  const unclear = await run('position', 'same-chassis', '10.0.0.4', 'SN-0004');
  expect([unclear.code, unclear.stderr]).toEqual([1, expect.stringContaining('02:00:00:00:00:04, 02:00:00:00:00:09')]);
  expect((await run('position', 'same-chassis', 'nobody', 'SN-0004')).code).toBe(5);
  const kept = await run('position', 'same-chassis', '0200.0000.0009', 'sn-0004');
  expect(kept.stdout).toBe('10.0.0.4, 02:00:00:00:00:09 goes on as the miner that stood there: C07-1\n');
  expect(json(await run('position', 'list', '--rack', 'C07', '--json'))).toMatchObject([{ serial_number: 'SN-0009' }]);
  const silly = await run('position', 'same-chassis', 'SN-0001', 'SN-0009');
  expect([silly.code, silly.stderr]).toEqual([1, expect.stringContaining('still answers')]);
});

test('a wrong file changes nothing, and each wrong line is named', async () => {
  const { code, stderr } = await run(
    'position',
    'import',
    written('ip,rack,position\n10.0.0.9,C05,9\n10.0.0.3,C05,1\n'),
  );
  expect(code).toBe(1);
  expect(stderr).toContain("line 2: no miner of the farm has the address '10.0.0.9'");
  expect((await run('position', 'import', join(folder, 'nowhere.csv'))).code).toBe(78);
});
