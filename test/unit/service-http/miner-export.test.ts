// Miners as sheets over HTTP: just those that were asked for in that order, moments by the clock of the client, and no
// cell that a spreadsheet would run.
import { parse } from 'csv-parse/sync';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { minerRecord } from './records.ts';
import { type Rig, startOwnedRig } from './rig.ts';
import { connect } from './wire-agent.ts';

const EVIL = '=HYPERLINK("http://evil.example")';
let rig: Rig;
let stop: () => Promise<void>;
let ids: string[];

beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  const agent = await connect(rig);
  const pools = (worker_id: string) => [
    {
      ...{ url: 'stratum+tcp://pool.example:3333', worker_id },
      ...{ difficulty_accepted: null, difficulty_rejected: null, difficulty_stale: null },
    },
  ];
  const recordOf = (n: number) =>
    minerRecord(n, rig.clock.nowMs(), { document: { pools: pools(n === 2 ? EVIL : `rig${n}`) } });
  await agent.report([1, 2, 3].map(recordOf));
  rig.clock.step(1_001);
  const { body } = await rig.get(rig.farm('/miner/latest'));
  ids = body.data.map(({ id }: { id: string }) => id);
});
afterAll(() => stop());

const url = () => `${rig.url}/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/miners/export`;
const ask = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(url(), {
    method: 'POST',
    headers: { 'x-api-key': rig.key, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
async function rowsOf(body: object): Promise<string[][]> {
  const answer = await ask({ format: 'csv', ...body });
  expect(answer.status).toBe(200);
  return parse(await answer.text(), { bom: true });
}
const column = ([head = [], ...rows]: string[][], title: string) => rows.map((row) => row[head.indexOf(title)]);

it('has the miners in the order in which they were named, and leaves out those of others', async () => {
  const [one = '', two = '', three = ''] = ids;
  const rows = await rowsOf({ miner_ids: [three, one, crypto.randomUUID(), three] });
  expect(column(rows, 'address')).toEqual(['10.0.0.3', '10.0.0.1']);
  expect(column(await rowsOf({ miner_ids: [two] }), 'worker')).toEqual([`'${EVIL}`]);
});

it('has all without a selector, in the order of a walk, and those that a selector means', async () => {
  expect(column(await rowsOf({}), 'address')).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3']);
  expect(column(await rowsOf({ select: '10.0.0.2' }), 'address')).toEqual(['10.0.0.2']);
});

it('is a file with a name that a browser keeps, and says moments by the clock that was asked for', async () => {
  const answer = await ask({ format: 'csv', time_zone: 'Asia/Kolkata' });
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="miners-[\d-]{15}\.csv"$/);
  const there = column(parse(await answer.text(), { bom: true }), 'seen')[0] ?? '';
  const utc = column(await rowsOf({}), 'seen')[0] ?? '';
  expect(Date.parse(`${there}Z`) - Date.parse(`${utc}Z`)).toBe(5.5 * 3_600_000);
});

it('is a workbook with as many rows, whose cells are the same', async () => {
  const answer = await ask({ format: 'xlsx' });
  expect(answer.status).toBe(200);
  const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
  const textOf = (name: string) => new TextDecoder().decode(files[name]);
  expect(textOf('xl/worksheets/sheet1.xml').match(/<row /g)).toHaveLength(1 + 3);
  const strings = [...textOf('xl/sharedStrings.xml').matchAll(/<t[^>]*>([^<]*)<\/t>/g)].map(([, text]) => text);
  expect(strings).toContain(`'${EVIL}`);
  expect(strings.filter((text) => text?.startsWith('='))).toEqual([]);
});

it.each([
  [{ format: 'pdf' }, 'format'],
  [{ format: 'csv', time_zone: 'Mars/Olympus' }, 'time_zone'],
  [{ format: 'csv', limit: 2 }, 'at least the 3 miners'],
  [{ format: 'csv', select: 'rack:' }, 'select'],
  [{ format: 'csv', select: 'rack:C1', miner_ids: [] }, 'cannot be combined with miner_ids'],
])('%j is refused, and nothing is cut', async (body, words) => {
  const answer = await ask(body);
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain(words);
});
