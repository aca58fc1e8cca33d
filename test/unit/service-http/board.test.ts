// The board over HTTP: every miner in a row, what has changed since, of all miners or those that a selector means.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Board, decodeBoard } from '../../../src/wire/api/board/codec.ts';
import { boardAnswerSchema } from '../../../src/wire/api/board/messages.ts';
import { type MinerChange, minerRecord } from './records.ts';
import { call, type Rig, startOwnedRig } from './rig.ts';
import { connect, type WireAgent } from './wire-agent.ts';

let rig: Rig;
let stop: () => Promise<void>;
let agent: WireAgent;
const keys = ['a', 'b', 'c', 'd'].map((letter) => `00000000-0000-4000-8000-00000000000${letter}`);

const report = (...changes: readonly MinerChange[]) =>
  agent.report(changes.map((change, i) => minerRecord(i + 1, rig.clock.nowMs(), { key: keys[i] ?? '', ...change })));

beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  agent = await connect(rig);
});
afterAll(() => stop());

const path = (below = '') => `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/board${below}`;
const messageOf = (body: unknown) => boardAnswerSchema.parse(body).data;

/** A second later: a younger answer may be given again. */
async function ask(select = '', had?: Board): Promise<Board> {
  rig.clock.step(1_001);
  const since = had && { epoch: had.epoch, since: had.seq };
  const { body } = await rig.post(path('/search'), { select, with_keys: true, ...since });
  return decodeBoard(messageOf(body), had);
}
const ipsOf = ({ miners }: Board) => miners.map(({ ip }) => ip);

it('shows what the agent reports and what operators set, and then what has changed', async () => {
  const flag = { type: 'fan', since: new Date(rig.clock.nowMs()).toISOString(), value: 0, limit: 1 } as const;
  const fan = { ...flag, severity: 'major', source: 'fans[0].rpm', message: 'fan 1 stands still' } as const;
  await report({}, { document: { anomaly_flags: 1, hashrate: 98_765_432_100_000 }, extras: { flags: [fan] } }, {});
  const first = await ask();
  const [one, two] = first.miners;
  expect(ipsOf(first)).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3']);
  expect(one).toMatchObject({ isOnline: true, isUnknown: false, flags: 0, firstFlag: null, key: keys[0] });
  expect(one).toMatchObject({ mac: '02:00:00:00:00:01', rack: null, abilities: ['miner.system.reboot'] });
  expect(two).toMatchObject({
    flags: 1,
    firstFlag: { type: 'fan', message: fan.message },
    hashrateHs: 98_770_000_000_000,
  });

  const nothing = await rig.get(`${path()}?epoch=${first.epoch}&since=${first.seq}`);
  expect(messageOf(nothing.body)).toMatchObject({ is_snapshot: false, columns: { row: [] }, removed: [] });

  await rig.service.admin.createKey({ workspaceId: rig.workspaceId, name: 'other', role: 'admin' });
  const edit = { method: 'PATCH', headers: { 'x-api-key': rig.key, 'content-type': 'application/json' } };
  const url = `${rig.url}/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/miners/${one?.id}`;
  await call(url, { ...edit, body: JSON.stringify({ rack: 'C03', ops_status: 'maintenance' }) });
  const changed = messageOf((await rig.get(`${path()}?epoch=${first.epoch}&since=${first.seq}`)).body);
  expect(changed.facts.row).toHaveLength(1);
  const after = decodeBoard(changed, first);
  expect(after.miners[0]).toMatchObject({ rack: 'C03', opsStatus: 'maintenance', ip: '10.0.0.1' });
});

it('takes out of a selection what it means no longer, and takes in what it means now', async () => {
  await report({ document: { anomaly_flags: 1 } }, {}, {});
  const ill = await ask('flag:fan');
  expect(ipsOf(ill)).toEqual(['10.0.0.1']);
  await report({}, { document: { anomaly_flags: 1 } }, {});
  expect(ipsOf(await ask('flag:fan', ill))).toEqual(['10.0.0.2']);
});

it('shows miners of an agent that is not heard as unknown, and those that it reports no more as silent', async () => {
  await report({}, {}, {});
  expect(ipsOf(await ask('state:silent'))).toEqual([]);
  const before = await ask('state:silent');
  rig.clock.step(200_000);
  // Its pings go on.
  await expect.poll(async () => (await ask('state:silent', before)).miners.length).toBe(3);
  const { body } = await rig.post(path('/search'), { select: 'state:silent' });
  expect(messageOf(body).columns.state).toEqual([1, 1, 1]);
  await agent.close();
  rig.clock.step(70_000);
  const unknown = await ask();
  expect(unknown.miners.map(({ isUnknown, isOnline }) => [isUnknown, isOnline])).toEqual(
    Array.from({ length: 3 }, () => [true, false]),
  );
  expect((await ask('state:silent,missing')).miners.length).toBe(0);
});

it('says what it does not understand and whom it does not know', async () => {
  const wrong = await rig.post(path('/search'), { select: 'rakc:C03' });
  expect([wrong.status, wrong.body.message]).toEqual([400, expect.stringContaining("'rakc:' is no kind of word")]);
  expect((await ask('10.0.0.1 SN-NONE')).unmatched).toEqual([{ text: 'SN-NONE', reason: expect.any(String) }]);
  const long = await rig.post(path('/search'), { select: 'a'.repeat(512 * 1024 + 1) });
  expect(long.status).toBe(400);
  const many = Array.from(
    { length: 10_000 },
    (_, n) => `02:00:00:01:${String(n).padStart(4, '0').replace(/^../, '$&:')}`,
  );
  expect((await ask(`${many.join(' ')} 10.0.0.2`)).unmatched).toHaveLength(10_000);
});

it('tells by the tag whether anything has changed, and keeps keys of agents to those who ask for them', async () => {
  const { headers, body } = await rig.get(path());
  const again = await rig.get(path(), { 'x-api-key': rig.key, 'if-none-match': headers.get('etag') ?? '' });
  expect([again.status, messageOf(body).facts.key]).toEqual([304, null]);
});
