// Changes of locations: rows that name a miner in any way, all of them or none, problems by address and line, and undo.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { locationChangesSchema, movedSchema } from '../../../src/wire/api/farm/locations.ts';
import { callsOf, type LocationFarm, SHAPE, startLocationFarm } from './location-farm.ts';
import { minerRecord } from './records.ts';

let farm: LocationFarm;
beforeAll(async () => {
  farm = await startLocationFarm(6);
  // Two miners with one serial number.
  const twins = [7, 8].map((n) => minerRecord(n, farm.rig.clock.nowMs(), { document: { serial_number: 'TWIN' } }));
  await farm.agent.report(twins);
});
afterAll(() => farm.stop());

/** Each test begins with two miners that stand somewhere. */
beforeEach(async () => {
  const all = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => ({ miner: `10.0.0.${n}`, rack: null }));
  expect((await farm.place(...all)).status).toBe(200);
  await farm.place({ miner: '10.0.0.1', rack: 'C03', position: 1 }, { miner: '10.0.0.2', rack: 'C03', position: 2 });
});

const START = ['10.0.0.1 C03-1', '10.0.0.2 C03-2'];

describe('a row names its miner', () => {
  test.each([
    ['MAC;Rack;Position\n02-00-00-00-00-03;C04;1\n020000000004;C04;2'],
    ['\uFEFFPosition,Rack,Mac Address\r\n1,C04,02:00:00:00:00:03\r\n2,C04,0200.0000.0004\r\n'],
    ['rack\tslot\tSN\nC04\t1\tsn-0003\nC04\t2\tHB-0004-1\n'],
    ['S/N,RACK,POS\nPSU-0003,C04,1\nCB-0004,C04,2\n'],
    ['address,model,rack,position\n10.0.0.3,S19,C04,1\n10.0.0.4,,C04,2\n'],
    ['ip;serial_number;rack;position\n10.0.0.3;-;C04;1\n10.0.0.4;SN-0004;C04;2\n;;;\n'],
  ])('by any of its facts: %j', async (csv) => {
    const { status, body } = await farm.change(csv);
    expect([status, movedSchema.parse(body).meta.changed_count]).toEqual([200, 2]);
    expect(await farm.standing()).toEqual([...START, '10.0.0.3 C04-1', '10.0.0.4 C04-2']);
  });

  test('a dry run shows what would change, by address and location, and names the columns that say nothing', async () => {
    const csv = 'ip,owner,rack,position\n10.0.0.1,me,C03,7\n10.0.0.2,me,C03,2\n';
    const { data, meta } = movedSchema.parse((await farm.change(csv, true)).body);
    expect(data).toMatchObject([
      { ip: '10.0.0.1', before: { rack: 'C03', position: 1 }, after: { rack: 'C03', position: 7 } },
    ]);
    expect(meta).toEqual({
      dry_run: true,
      changed_count: 1,
      change_id: null,
      ignored_columns: ['owner'],
      rack_containers: [],
    });
    expect(await farm.standing()).toEqual(START);
  });

  test('row and column count by the shape of the rack; a container is for a rack that has none', async () => {
    await farm.ask('PUT', '/racks/C06', { shape: SHAPE });
    const head = 'ip,container,rack,row,column\n';
    const csv = `${head}10.0.0.3,7,C06,1,3\n10.0.0.4,7,C06,2,1\n`;
    for (const isDryRun of [true, false])
      expect((await farm.change(csv, isDryRun)).body.meta.rack_containers).toEqual([{ rack: 'C06', container: '7' }]);
    expect((await farm.change(csv)).body.meta.rack_containers).toEqual([]);
    expect(await farm.standing()).toEqual([...START, '10.0.0.3 C06-4', '10.0.0.4 C06-1']);
    expect((await farm.ask('GET', '/racks/C06')).body.data.container).toBe('7');
    const other = await farm.change(`${head}10.0.0.3,8,C06,1,2\n`);
    expect(other.body.message).toContain('line 2: the rack C06 stands in the container 7, not in 8');
    const outside = await farm.change(`${head}10.0.0.3,7,C06,3,1\n10.0.0.4,,C03,1,1\n`);
    expect(outside.body.message).toContain('line 2: the rack C06 has 2 rows and 3 columns');
    expect(outside.body.message).toContain('line 3: row and column need the shape of the rack C03');
  });

  test('a miner that holds the slot goes where the other one comes from, if that is wanted', async () => {
    const miners = [{ miner: '10.0.0.3', rack: 'C03', position: 1 }];
    expect((await farm.ask('POST', '/location-changes', { miners })).status).toBe(400);
    expect((await farm.ask('POST', '/location-changes', { miners, swap: true })).body.meta.changed_count).toBe(2);
    expect(await farm.standing()).toEqual(['10.0.0.2 C03-2', '10.0.0.3 C03-1']);
    const back = [{ miner: '10.0.0.3', rack: 'C03', position: 2 }];
    await farm.ask('POST', '/location-changes', { miners: back, swap: true });
    expect(await farm.standing()).toEqual(['10.0.0.2 C03-1', '10.0.0.3 C03-2']);
  });

  test('miners swap within a file', async () => {
    expect((await farm.change('ip,rack,position\n10.0.0.1,C03,2\n10.0.0.2,C03,1\n')).status).toBe(200);
    expect(await farm.standing()).toEqual(['10.0.0.1 C03-2', '10.0.0.2 C03-1']);
  });
});

describe('nothing is changed where a line is wrong', () => {
  const head = 'mac,ip,serial,rack,position';
  test.each([
    ['10.0.0.3 goes where 10.0.0.1 stands', ',10.0.0.3,,C03,1', 'line 2: C03-1 is held by 10.0.0.1'],
    [
      'two miners of the file go to one slot',
      ',10.0.0.3,,C09,1\n,10.0.0.4,,C09,1',
      'line 3: C09-1 is also given in line 2',
    ],
    [
      'a miner is named twice',
      ',10.0.0.3,,C09,1\n02:00:00:00:00:03,,,C09,2',
      'line 3: the miner 10.0.0.3 is also in line 2',
    ],
    [
      'two facts name two miners',
      '02:00:00:00:00:03,10.0.0.4,,C09,1',
      'line 2: the MAC address is that of 10.0.0.3, the address that of 10.0.0.4: they must name the same miner',
    ],
    ['a fact is of two miners', ',,TWIN,C09,1', 'line 2: the serial number is that of 2 miners: 10.0.0.7, 10.0.0.8'],
    ['no miner has it', ',10.9.9.9,,C09,1', "line 2: no miner of the farm has the address '10.9.9.9'"],
    ['it is no MAC', '2E+10,,,C09,1', "line 2: MAC address: received '2E+10', accepted: 12 hexadecimal digits"],
    ['it names no miner', ',,n/a,C09,1', 'line 2: names no miner'],
    ['it has no rack', ',10.0.0.3,,,1', 'line 2: a position needs a rack'],
    ['it is no position', ',10.0.0.3,,C09,zwei', "line 2: position: received 'zwei'"],
  ])('%s', async (_, rows, words) => {
    const { status, body } = await farm.change(`${head}\n${rows}\n`);
    expect([status, body.message]).toEqual([400, expect.stringContaining(words)]);
    expect(body.message).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
    expect(await farm.standing()).toEqual(START);
  });

  test.each([
    ['rack,position\nC03,1', 'line 1: received without any of id, mac, serial_number, ip'],
    ['mac,position\n,1', 'line 1: received without rack'],
    ['mac,rack,row\n,C03,1', 'line 1: received without position, or row and column'],
    ['mac,rack,position,MAC address\n', "line 1: received with the column 'mac' twice"],
    ['mac,rack,position\n"02,C03,1', 'file: '],
  ])('%j', async (csv, words) => {
    const { status, body } = await farm.change(csv);
    expect([status, body.message]).toEqual([400, expect.stringContaining(words)]);
  });

  test('a list of miners is all or nothing too', async () => {
    const { status, body } = await farm.place(
      { miner: '10.0.0.3', rack: 'C09', position: 1 },
      { miner: 'nobody', rack: 'C09', position: 2 },
    );
    expect([status, body.message]).toEqual([400, expect.stringContaining('miners[1]: no miner of the farm has the')]);
    for (const wrong of [{}, { miners: [] }, { miners: [{ miner: '10.0.0.3' }] }, { rows: [] }])
      expect((await farm.ask('POST', '/location-changes', wrong)).status, JSON.stringify(wrong)).toBe(400);
    expect(await farm.standing()).toEqual(START);
  });
});

describe('undo', () => {
  const undo = (id: string, body?: object) => farm.ask('POST', `/location-changes/${id}/undo`, body);
  const moved = async (...miners: readonly object[]) => movedSchema.parse((await farm.place(...miners)).body).meta;
  const swap = [
    { miner: '10.0.0.1', rack: 'C03', position: 2 },
    { miner: '10.0.0.2', rack: 'C03', position: 1 },
  ];

  test('puts all miners of a change back, is tried first, and can be undone itself', async () => {
    const { change_id: id } = await moved(...swap);
    const tried = movedSchema.parse((await undo(id ?? '', { dry_run: true })).body);
    expect(tried.data.map(({ ip, after }) => [ip, after.position])).toEqual([
      ['10.0.0.1', 1],
      ['10.0.0.2', 2],
    ]);
    expect(await farm.standing()).toEqual(['10.0.0.1 C03-2', '10.0.0.2 C03-1']);
    const undone = movedSchema.parse((await undo(id ?? '')).body);
    expect(await farm.standing()).toEqual(START);
    const again = await undo(id ?? '');
    expect([again.status, again.body.message]).toEqual([
      409,
      'Nothing was undone: test has undone this change already',
    ]);
    const changes = locationChangesSchema.parse((await farm.ask('GET', '/location-changes?limit=2')).body).data;
    expect(changes).toMatchObject([
      { id: undone.meta.change_id, undoes: id, undone_by: null, miner_count: 2, actor: { name: 'test' } },
      { id, undoes: null, undone_by: undone.meta.change_id },
    ]);
    expect((await undo(undone.meta.change_id ?? '')).status).toBe(200);
    expect(await farm.standing()).toEqual(['10.0.0.1 C03-2', '10.0.0.2 C03-1']);
  });

  test('is refused where somebody has moved one of the miners since, and names who', async () => {
    const { change_id: id } = await moved(...swap);
    const { key } = await farm.rig.service.admin.createKey({
      ...{ workspaceId: farm.rig.workspaceId, name: 'Ann', role: 'admin' },
    });
    await callsOf(farm.rig, key).place({ miner: '10.0.0.2', rack: 'C09', position: 5 });
    const { status, body } = await undo(id ?? '');
    expect([status, body.message]).toEqual([409, 'Nothing was undone: 10.0.0.2 stands at C09-5 now, moved by Ann']);
    expect(await farm.standing()).toEqual(['10.0.0.1 C03-2', '10.0.0.2 C09-5']);
  });

  test('is refused where another miner stands there now, or the rack has no such slot any more', async () => {
    const { change_id: id } = await moved({ miner: '10.0.0.1', rack: null });
    await farm.place({ miner: '10.0.0.3', rack: 'C03', position: 1 });
    expect((await undo(id ?? '')).body.message).toBe('Nothing was undone: C03-1 is held by 10.0.0.3');
    await farm.place({ miner: '10.0.0.3', rack: 'C99', position: 9 });
    const { change_id: away } = await moved({ miner: '10.0.0.3', rack: null });
    await farm.ask('PUT', '/racks/C99', { shape: SHAPE });
    expect((await undo(away ?? '')).body.message).toContain('C99-9 does not exist');
    expect((await undo(id ?? '')).status).toBe(200);
  });

  test('of what is no change of locations is not found', async () => {
    expect((await undo('0198c0de-0000-7000-8000-000000000000')).status).toBe(404);
    const { body } = await farm.ask('GET', '/miners?page_size=1');
    await farm.ask('PATCH', `/miners/${body.data[0].id}`, { ops_status: 'transit' });
    const [batch] = (await farm.ask('GET', '/task-batches?page_size=1')).body.data;
    expect([batch.task_name, (await undo(batch.id)).status]).toEqual(['miner.asset.update', 404]);
  });
});
