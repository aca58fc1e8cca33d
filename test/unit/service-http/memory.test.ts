// What the service remembers of miners: notes with who wrote them, who is missing and back, one miner with all of it,
// and what changed in a span of time.
import { expect, test } from 'vitest';
import { changesSchema, noteSchema, oneMinerSchema } from '../../../src/wire/api/farm/memory.ts';
import { query } from './database.ts';
import { type MinerChange, minerRecord } from './records.ts';
import { type Answer, call, type Rig, startRig } from './rig.ts';
import { connect } from './wire-agent.ts';

const MINUTE_MS = 60_000;

async function startFarm(miners: number) {
  const rig = await startRig();
  const agent = await connect(rig);
  const keys = Array.from({ length: miners }, (_, n) => `00000000-0000-4000-8000-00000000000${n}`);
  /** All miners as they are now; `change` of the first. */
  const report = (change: MinerChange = {}) =>
    agent.report(keys.map((key, n) => minerRecord(n, rig.clock.nowMs(), { ...(n === 0 ? change : {}), key })));
  await report();
  const { body } = await rig.get(rig.farm('/miner/latest?pageSize=100'));
  const ids: string[] = body.data.map(({ id }: { id: string }) => id);
  const farm = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}`;
  return { rig, agent, ids, report, farm, miner: `${farm}/miners/${ids[0]}` };
}

/** The first miner does not answer; last read then. */
const silent = (seenAtMs: number): MinerChange => {
  const since = new Date(seenAtMs).toISOString();
  const flag = { type: 'network', since, severity: 'critical', value: 5, limit: 3 } as const;
  return {
    document: { last_check_succeed: false, last_updated_at: since, anomaly_flags: 16 },
    extras: { flags: [{ ...flag, source: 'contact', message: 'does not answer' }] },
  };
};

const eventsOf = async (rig: Rig, farm: string, parameters: string) =>
  (await rig.get(`${farm}/events?${parameters}`)).body.data;

test('a miner is missing after an hour without an answer, once, and back when it answers', async () => {
  const { rig, ids, report, farm, miner } = await startFarm(2);
  const seenAtMs = rig.clock.nowMs();
  for (const minutes of [30, 29, 1, 5, 60]) {
    rig.clock.step(minutes * MINUTE_MS);
    await report(silent(seenAtMs));
  }
  const since = new Date(seenAtMs).toISOString();
  const missing = await eventsOf(rig, farm, 'type=miner_missing');
  expect(missing).toMatchObject([{ miner_id: ids[0], detail: { since, ip: '10.0.0.0' } }]);
  expect(Date.parse(missing[0].at) - seenAtMs).toBeGreaterThanOrEqual(60 * MINUTE_MS);
  expect((await rig.get(miner)).body.data).toMatchObject({ missing_since: since });
  expect((await rig.get(`${farm}/miners/${ids[1]}`)).body.data).toMatchObject({ missing_since: null });
  await report();
  expect(await eventsOf(rig, farm, `miner_id=${ids[0]}&type=miner_back`)).toMatchObject([{ detail: { since } }]);
  expect((await rig.get(miner)).body.data.missing_since).toBeNull();
});

test('while an agent is silent no miner becomes missing, nor does one that answers and cannot be read', async () => {
  const { rig, report, farm } = await startFarm(2);
  const seenAtMs = rig.clock.nowMs();
  rig.clock.step(120 * MINUTE_MS);
  await report({ document: { last_check_succeed: false, last_updated_at: new Date(seenAtMs).toISOString() } });
  expect(await eventsOf(rig, farm, 'type=miner_missing,miner_back')).toEqual([]);
});

const addNote = ({ url, key }: Rig, miner: string, text: unknown, given = key): Promise<Answer> =>
  call(`${url}${miner}/notes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': given },
    body: JSON.stringify({ text }),
  });

test('a note is kept with who wrote it, stands in the trail and the events, and the newest 200 stay', async () => {
  const { rig, ids, farm, miner } = await startFarm(2);
  const made = await addNote(rig, miner, ' fan 2 ordered ');
  expect(noteSchema.parse(made.body.data)).toMatchObject({ text: 'fan 2 ordered', actor: { name: 'test' } });
  const person = await rig.service.local.request({
    ...{ method: 'POST', url: `${miner}/notes`, user: 'ana', body: '{"text":"fan 2 fitted"}' },
  });
  expect(person.status).toBe(200);
  person.body.destroy();
  const { body } = await rig.get(`${miner}/notes`);
  const texts = body.data.map(({ text, actor }: { text: string; actor: { name: string } }) => [text, actor.name]);
  expect(texts).toEqual([
    ['fan 2 fitted', 'ana'],
    ['fan 2 ordered', 'test'],
  ]);
  expect(await eventsOf(rig, farm, `miner_id=${ids[0]}&type=note_added`)).toMatchObject([
    { detail: { text: 'fan 2 fitted', actor: { id: 'host:ana', via: 'control-socket' } } },
    { detail: { text: 'fan 2 ordered', actor: { type: 'api_key', name: 'test' } } },
  ]);
  const trail = await query(
    rig,
    "SELECT actor_name, detail FROM audit_entries WHERE action = 'note.added' ORDER BY seq",
  );
  expect(trail).toEqual([
    { actor_name: 'test', detail: '{}' },
    { actor_name: 'ana', detail: '{}' },
  ]);
  const [{ row_id: rowId } = {}] = await query(rig, 'SELECT row_id FROM miners WHERE id = ?', ids[0] ?? '');
  for (let n = 0; n < 205; n++)
    await query(rig, "INSERT INTO miner_notes VALUES (?, ?, ?, '{}', 'old')", `old-${n}`, Number(rowId), n);
  await addNote(rig, miner, 'one more');
  expect(await query(rig, 'SELECT count(*) AS n FROM miner_notes')).toEqual([{ n: 200 }]);
});

test.each([
  ['no text', ''],
  ['blanks', '   '],
  ['2,001 characters', 'x'.repeat(2_001)],
  ['two lines', 'a\nb'],
  ['a number', 7],
])('a note of %s is refused', async (_what, text) => {
  const { rig, miner } = await startFarm(1);
  expect((await addNote(rig, miner, text)).status).toBe(400);
  expect((await rig.get(`${miner}/notes`)).body.pagination.total).toBe(0);
});

test('who may only read writes no note, and a miner of another farm is not found', async () => {
  const { rig, ids, farm, miner } = await startFarm(1);
  const { workspaceId } = rig;
  const { key } = await rig.service.admin.createKey({ workspaceId, name: 'viewer', role: 'viewer' });
  expect((await addNote(rig, miner, 'x', key)).status).toBe(403);
  const other = await rig.service.admin.createFarm({ workspaceId, name: 'Other' });
  const elsewhere = `${farm.replace(rig.farmId, other.id)}/miners/${ids[0]}`;
  const statuses = [await rig.get(elsewhere), await rig.get(`${elsewhere}/notes`), await addNote(rig, elsewhere, 'x')];
  expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404]);
  expect((await rig.get(`${farm}/miners/none`)).body).toEqual({
    ...{ statusCode: 404, message: 'Resource not found', error: 'Not Found' },
  });
});

test('one miner is shown as in the list, with its abilities, first seen, and newest notes', async () => {
  const { rig, ids, farm, miner } = await startFarm(2);
  for (let n = 0; n < 12; n++) await addNote(rig, miner, `note ${n}`);
  const { body } = await rig.get(miner);
  const shown = oneMinerSchema.parse(body.data);
  const { data } = (await rig.get(`${farm}/miners`)).body;
  expect(shown).toMatchObject(data[0]);
  expect(shown).toMatchObject({
    ...{ id: ids[0], abilities: ['reboot'], task_names: ['miner.system.reboot'], missing_since: null },
    first_seen: data[0].created_at,
  });
  expect(shown.notes.map(({ text }) => text)).toEqual(Array.from({ length: 10 }, (_, n) => `note ${11 - n}`));
});

test('what changed since a time: flags, locations by whom, tasks, notes; each with its miner; counted where it is cut', async () => {
  const { rig, agent, ids, report, farm, miner } = await startFarm(3);
  const flag = { type: 'fan', since: new Date(rig.clock.nowMs()).toISOString(), severity: 'major' } as const;
  const fan = { ...flag, value: 0, limit: 600, source: 'fans[1].rpm', message: 'fan 1 stands still' };
  await report({ document: { anomaly_flags: 1 }, extras: { flags: [fan] } });
  rig.clock.step(MINUTE_MS);
  await report();
  const patched = await rig.service.local.request({
    ...{ method: 'PATCH', url: miner, user: 'ana', body: '{"rack":"C03","position":2,"ops_status":"maintenance"}' },
  });
  patched.body.destroy();
  await addNote(rig, miner, 'fan 1 ordered');
  await rig.post(`${farm}/task-batches`, { task_name: 'miner.system.reboot', miner_ids: ids.slice(1) });
  const { body } = await rig.get(`${farm}/changes`);
  const { changes, kinds, ...counts } = changesSchema.parse(body.data);
  expect(counts).toMatchObject({ flags_raised: 1, flags_cleared: 1, events_left_out: 0 });
  const shown = changes.map(({ kind, miner: named, text, by }) => [kind, named?.ip, named?.rack, text, by?.name]);
  expect(shown).toEqual([
    ['healed', '10.0.0.0', 'C03', 'fan 1 stands still', undefined],
    ['location', '10.0.0.0', 'C03', 'no location → C03 / 2', 'ana'],
    ['ops_status', '10.0.0.0', 'C03', 'in operation → maintenance', 'ana'],
    ['note', '10.0.0.0', 'C03', 'fan 1 ordered', 'test'],
    ['task', undefined, undefined, 'reboot, 2 tasks: none has ended', 'test'],
  ]);
  expect(kinds.find(({ kind }) => kind === 'healed')).toEqual({ kind: 'healed', count: 1, left_out: 0 });
  const some = (await rig.get(`${farm}/changes?kind=note,task&limit=1`)).body.data;
  expect(some.changes.map(({ kind }: { kind: string }) => kind)).toEqual(['note', 'task']);
  expect(some.kinds.find(({ kind }: { kind: string }) => kind === 'healed').left_out).toBe(1);
  const later = `since=${new Date(rig.clock.nowMs() + MINUTE_MS).toISOString()}`;
  expect((await rig.get(`${farm}/changes?${later}`)).status).toBe(400);
  expect((await rig.get(`${farm}/changes?kind=nothing`)).status).toBe(400);
  await agent.close();
});

test('what was there before the span and still is: flags with their miner, miners that are missing; not twice, nor of those off their place', async () => {
  const { rig, agent, ids, report, farm } = await startFarm(2);
  const began = rig.clock.nowMs();
  const since = new Date(began).toISOString();
  const fan = { type: 'fan', since, severity: 'major', value: 0, limit: 600, source: 'fans[1].rpm' } as const;
  const ill: MinerChange = {
    document: { anomaly_flags: 1 },
    extras: { flags: [{ ...fan, message: 'fan 1 stands still' }] },
  };
  await report(ill);
  rig.clock.step(61 * MINUTE_MS);
  await report(silent(began));
  rig.clock.step(MINUTE_MS);
  const ask = async (from: number) => {
    const { body } = await rig.get(`${farm}/changes?since=${new Date(from).toISOString()}`);
    const { changes, ...summary } = changesSchema.parse(body.data);
    return { summary, shown: changes.map(({ kind, miner, at, text }) => [kind, miner?.id, at, text]) };
  };
  const afterwards = rig.clock.nowMs();
  const missing = ['still_missing', ids[0], since, `has not answered since ${since}`];
  expect((await ask(afterwards)).shown).toEqual([missing]);
  const whole = (await ask(began - 1)).shown.map(([kind]) => kind);
  expect(whole).toEqual(['open', 'healed', 'missing']);
  await report(ill);
  rig.clock.step(MINUTE_MS);
  const again = await ask(rig.clock.nowMs());
  expect(again.shown).toEqual([['still_open', ids[0], since, 'fan 1 stands still']]);
  expect(again.summary.kinds.find(({ kind }) => kind === 'still_open')).toMatchObject({ count: 1, left_out: 0 });
  expect(again.summary.miners_left_out).toBe(0);
  const operators = (ops_status: string) =>
    call(`${rig.url}${farm}/miners/${ids[0]}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'x-api-key': rig.key },
      body: JSON.stringify({ ops_status }),
    });
  await operators('maintenance');
  expect((await ask(rig.clock.nowMs())).shown).toHaveLength(1);
  await operators('retired');
  expect((await ask(rig.clock.nowMs() + 1)).shown).toEqual([]);
  await agent.close();
});
