// Positions as CSV over HTTP: the same as from the command line, for keys that may, of bodies that are CSV.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { movedSchema } from '../../../src/wire/api/farm/locations.ts';
import { minerRecord } from './records.ts';
import { call, type Rig, startOwnedRig } from './rig.ts';
import { connect } from './wire-agent.ts';

let rig: Rig;
let stop: () => Promise<void>;
let ids: string[];

beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  const agent = await connect(rig);
  await agent.report([1, 2, 3].map((n) => minerRecord(n, rig.clock.nowMs())));
  const { body } = await rig.get(rig.farm('/miner/latest'));
  ids = body.data.map(({ id }: { id: string }) => id);
});
afterAll(() => stop());

const url = (parameters = '') =>
  `${rig.url}/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/miner-positions${parameters}`;
async function exported(): Promise<string> {
  const answer = await fetch(url(), { headers: { 'x-api-key': rig.key } });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="positions.csv"');
  return answer.text();
}
const send = (body: string | Uint8Array<ArrayBuffer>, parameters = '', headers: Record<string, string> = {}) =>
  call(url(parameters), {
    method: 'POST',
    headers: { 'x-api-key': rig.key, 'content-type': 'text/csv', ...headers },
    body,
  });
const racks = async () =>
  (await rig.get(rig.farm('/miner/latest'))).body.data.map(({ rack, position }: { rack: string; position: number }) => [
    rack,
    position,
  ]);

test('out, tried, in, and out again; the formula is guarded on its way to the spreadsheet only', async () => {
  const before = await exported();
  expect(before.split('\n')[0]).toBe('id,mac,serial_number,ip,rack,position,container');
  const wanted = `rack,position,id\n=SUM(A1),1,${ids[0]}\nR2,,${ids[1]}\n`;
  const moves = [
    { id: ids[0], ip: '10.0.0.1', before: { rack: null, position: null }, after: { rack: '=SUM(A1)', position: 1 } },
    { id: ids[1], ip: '10.0.0.2', before: { rack: null, position: null }, after: { rack: 'R2', position: null } },
  ];
  const tried = await send(wanted, '?dry_run=true');
  expect([tried.status, movedSchema.parse(tried.body)]).toEqual([
    200,
    {
      ...{ success: true, data: moves, error: null },
      meta: { dry_run: true, changed_count: 2, change_id: null, ignored_columns: [], rack_containers: [] },
    },
  ]);
  expect(await exported()).toBe(before);

  const done = await send(wanted);
  expect(movedSchema.parse(done.body)).toMatchObject({ data: moves, meta: { dry_run: false, changed_count: 2 } });
  expect(await racks()).toEqual([
    ['=SUM(A1)', 1],
    ['R2', null],
    [null, null],
  ]);
  const after = await exported();
  expect(after).toContain(`${ids[0]},02:00:00:00:00:01,SN-0001,10.0.0.1,'=SUM(A1),1,`);
  expect((await send(after)).body).toMatchObject({ data: [], meta: { changed_count: 0 } });
  const { body } = await rig.get(rig.farm('/tasks/batches?pageSize=1'));
  expect(body.data).toMatchObject([
    { task_name: 'miner.rack_location.update', task_count: 2, created_by: { type: 'api_key', name: 'test' } },
  ]);
});

test('what is wrong is named with its line, and nothing is changed', async () => {
  const before = await exported();
  const { status, body } = await send(`id,rack,position\n${ids[2]},R7,1\n${ids[1]},R7,1\nnobody,R8,x\n`);
  expect([status, Object.keys(body).toSorted()]).toEqual([400, ['error', 'message', 'statusCode']]);
  expect(body.message).toMatch(
    /^Invalid request parameters: body: line 3: R7-1 is also given in line 2; body: line 4: no miner/,
  );
  for (const [text, words] of [
    ['', 'body: '],
    ['\n\n', 'body: line 1'],
    ['id,rack\n', 'without position'],
    [`id,rack,position\n"${ids[2]},R,1\n`, 'body: file'],
    [`id,rack,position\n${'nobody,R,1\n'.repeat(30)}`, 'and 20 more'],
  ] as const)
    expect([(await send(text)).status, (await send(text)).body.message]).toEqual([400, expect.stringContaining(words)]);
  expect((await send('id,rack,position\n', '?dry_run=maybe')).body.message).toContain('dry_run: received "maybe"');
  expect(await exported()).toBe(before);
});

test('a trial that is misspelt is refused, not carried out', async () => {
  const before = await exported();
  const wanted = `id,rack,position\n${ids[2]},R9,9\n`;
  for (const [parameters, words] of [
    ['?dry_run', 'dry_run: received "", accepted: true, false'],
    ['?dry_run=', 'dry_run: received "", accepted: true, false'],
    ['?dry-run=true', 'parameters: received "dry-run", accepted: dry_run; did you mean dry_run?'],
    ['?dryRun=true', 'parameters: received "dryRun", accepted: dry_run; did you mean dry_run?'],
    ['?dry_run=true&dry_run=true', 'dry_run: received ["true","true"], accepted: true, false'],
  ] as const) {
    const { status, body } = await send(wanted, parameters);
    expect([status, body.message], parameters).toEqual([400, expect.stringContaining(words)]);
  }
  expect(await exported()).toBe(before);
});

test('the line that is named is that of the file, whatever came before it', async () => {
  const lines = ['', 'id,rack,position', '', `${ids[0]},"R\n1",1`, '', 'nobody,R,1'];
  for (const end of ['\n', '\r\n', '\r'])
    expect((await send(`\uFEFF${lines.join(end)}${end}`)).body.message, JSON.stringify(end)).toMatch(
      /line 4: rack: .*; body: line 7: no miner of the farm has the id 'nobody'/,
    );
  expect((await send('\n\nid,rack\n')).body.message).toContain('line 3: received without position');
});

test('a column that is there twice is refused: nobody knows which is meant', async () => {
  const { status, body } = await send(`id,rack,position,rack\n${ids[2]},R7,1,R8\n`);
  expect([status, body.message]).toEqual([
    400,
    expect.stringContaining("line 1: received with the column 'rack' twice"),
  ]);
});

test('only CSV in UTF-8 is taken, up to its limit, and CSV is taken nowhere else', async () => {
  const csv = 'id,rack,position\n';
  const json = await send('{}', '', { 'content-type': 'application/json' });
  expect([json.status, json.body.message]).toEqual([415, 'The request body must be text/csv']);
  expect((await send(csv, '', { 'content-type': 'text/csv; charset=utf-16' })).body.message).toContain('text/csv');
  expect((await send(csv, '', { 'content-encoding': 'gzip' })).status).toBe(415);
  expect((await send(new Uint8Array([0x69, 0xff]))).body.message).toContain('not UTF-8');
  expect((await send(`\uFEFF${csv}`, '', { 'content-type': 'text/csv; charset=UTF-8' })).status).toBe(200);
  expect((await send(`${csv}${' '.repeat(2 * 1024 * 1024)}`)).status).toBe(400);
  const large = await send('x'.repeat(9 * 1024 * 1024));
  expect([large.status, large.body.message]).toEqual([413, expect.stringContaining('8 MiB')]);
  const elsewhere = await rig.post(rig.farm('/tasks/search'), {}, { 'x-api-key': rig.key, 'content-type': 'text/csv' });
  expect(elsewhere.status).toBe(415);
});

test('reading takes miners.read, writing miners.update', async () => {
  const keyOf = async (permission: 'miners.read' | 'miners.update') =>
    (await rig.service.admin.createKey({ workspaceId: rig.workspaceId, name: 'k', permissions: [permission] })).key;
  const [reader, writer] = [await keyOf('miners.read'), await keyOf('miners.update')];
  const csv = 'id,rack,position\n';
  expect((await send(csv, '', { 'x-api-key': reader })).status).toBe(403);
  expect((await send(csv, '', { 'x-api-key': writer })).status).toBe(200);
  expect((await fetch(url(), { headers: { 'x-api-key': reader } })).status).toBe(200);
  expect((await fetch(url(), { headers: { 'x-api-key': writer } })).status).toBe(403);
});
