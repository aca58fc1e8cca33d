// A note or a place that is sent again with its Idempotency-Key, because its answer was lost, is carried out once.
import { expect, onTestFinished, test } from 'vitest';
import { startLocationFarm } from './location-farm.ts';
import { call } from './rig.ts';

const DAY_MS = 86_400_000;

async function start() {
  const farm = await startLocationFarm(3);
  onTestFinished(farm.stop);
  const { rig, ask } = farm;
  const base = `${rig.url}/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}`;
  const send = (path: string, body: unknown, key: string) =>
    call(base + path, {
      method: 'POST',
      headers: { 'x-api-key': rig.key, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    });
  const { body } = await ask('GET', '/miners?page_size=100');
  const ids: readonly string[] = body.data.map(({ id }: { id: string }) => id);
  return { ...farm, send, ids };
}

test('a note is written once, with the same answer; another text or miner with its key is a conflict', async () => {
  const { rig, send, ask, ids } = await start();
  const notes = `/miners/${ids[0]}/notes`;
  const [one, two] = await Promise.all([1, 2].map(() => send(notes, { text: 'fan ordered' }, 'k1')));
  expect(one?.status).toBe(200);
  expect(two?.body).toEqual(one?.body);
  expect((await ask('GET', notes)).body.data).toHaveLength(1);
  const events = async () => (await ask('GET', `/events?page_size=100&type=note_added`)).body.data;
  expect(await events()).toHaveLength(1);
  expect((await send(notes, { text: 'another' }, 'k1')).status).toBe(409);
  expect((await send(`/miners/${ids[1]}/notes`, { text: 'fan ordered' }, 'k1')).status).toBe(409);
  expect((await send(notes, { text: 'fan ordered' }, 'k2')).status).toBe(200);
  rig.clock.step(DAY_MS + 1_000);
  expect((await send(notes, { text: 'fan ordered' }, 'k1')).status).toBe(200);
  expect((await ask('GET', notes)).body.data).toHaveLength(3);
  expect((await send(notes, { text: 'fan ordered' }, 'k'.repeat(256))).status).toBe(400);
});

test('a miner is placed once: it is not brought back when it was moved meanwhile', async () => {
  const { send, ask, ids, standing, place } = await start();
  const miners = [{ miner: ids[0], rack: 'C03', position: 1 }];
  const first = await send('/location-changes', { miners }, 'k1');
  expect(first.body.meta.changed_count).toBe(1);
  await place({ miner: '10.0.0.1', rack: 'C04', position: 2 });
  const again = await send('/location-changes', { miners }, 'k1');
  expect([again.status, again.body]).toEqual([200, first.body]);
  expect(await standing()).toEqual(['10.0.0.1 C04-2']);
  expect((await ask('GET', '/location-changes')).body.data).toHaveLength(2);
});

test('what was refused may be asked again with its key; a dry run uses none', async () => {
  const { send, ids, standing, place } = await start();
  await place({ miner: '10.0.0.2', rack: 'C03', position: 1 });
  const miners = [{ miner: ids[0], rack: 'C03', position: 1 }];
  expect((await send('/location-changes', { miners }, 'k1')).status).toBe(400);
  await place({ miner: '10.0.0.2', rack: 'C05', position: 9 });
  expect((await send('/location-changes', { miners, dry_run: true }, 'k1')).body.meta.change_id).toBeNull();
  expect((await send('/location-changes', { miners }, 'k1')).body.meta.changed_count).toBe(1);
  const swap = { miners: [{ miner: ids[1], rack: 'C03', position: 1 }], swap: true };
  const swapped = await send('/location-changes', swap, 'k2');
  expect(swapped.body.meta.changed_count).toBe(2);
  expect((await send('/location-changes', swap, 'k2')).body).toEqual(swapped.body);
  expect(await standing()).toEqual(['10.0.0.1 C05-9', '10.0.0.2 C03-1']);
});
