// A device that tells no mode: `normal` in v1, where the text is required, and null in v2. Each list's filter acts on
// what that list shows.
import { expect, test } from 'vitest';
import { minerRecord } from './records.ts';
import { call, startRig } from './rig.ts';
import { connect } from './wire-agent.ts';

const MODES = ['normal', 'sleep', undefined] as const;

/** More than a page that is made from rows. */
const MANY = 240;

async function start(count: number = MODES.length) {
  const rig = await startRig();
  const agent = await connect(rig);
  const nowMs = rig.clock.nowMs();
  await agent.report(
    Array.from({ length: count }, (_, n) => {
      const mode = MODES[Math.min(n, 2)];
      return minerRecord(n, nowMs, {
        document: { mining_mode: mode ?? 'normal' },
        extras: mode === undefined ? { mining_mode_reported: false } : {},
      });
    }),
  );
  const v2 = (path: string, body?: unknown) =>
    call(`${rig.url}/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-api-key': rig.key, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const modes = ({ body }: { body: { data: { mining_mode: string | null }[] } }) =>
    body.data.map(({ mining_mode }) => mining_mode);
  return { v1: (query: string) => rig.get(rig.farm(`/miner/latest?${query}`)).then(modes), v2, modes };
}

test('v1 shows normal and v2 null, and nothing else of it', async () => {
  const { v1, v2, modes } = await start();
  expect(await v1('')).toEqual(['normal', 'sleep', 'normal']);
  const list = await v2('/miners');
  expect(modes(list)).toEqual(['normal', 'sleep', null]);
  expect(JSON.stringify(list.body)).not.toContain('mining_mode_reported');
});

test('large pages, which are made inside the database, say the same', async () => {
  const { v1, v2, modes } = await start(MANY);
  expect(new Set((await v1('pageSize=1000')).slice(2))).toEqual(new Set(['normal']));
  expect(new Set(modes(await v2('/miners?page_size=1000')).slice(2))).toEqual(new Set([null]));
});

test('filters act on what their list shows', async () => {
  const { v1, v2, modes } = await start();
  expect(await v1('mining_modes_in=normal')).toEqual(['normal', 'normal']);
  expect(await v1('mining_modes_not_in=normal')).toEqual(['sleep']);
  expect(modes(await v2('/miners?mining_modes_in=normal'))).toEqual(['normal']);
  expect(modes(await v2('/miners?mining_modes_not_in=normal'))).toEqual(['sleep', null]);
  expect(modes(await v2('/miners/search', { mining_mode: { eq: 'normal' } }))).toEqual(['normal']);
  expect(modes(await v2('/miners/search', { mining_mode: { ne: 'normal' } }))).toEqual(['sleep', null]);
});

test('it counts as without a mode', async () => {
  const { v2 } = await start();
  const { body } = await v2('/miner-metrics/query', {});
  expect(body.data.mining_mode).toEqual(
    expect.arrayContaining([
      { value: null, count: 1 },
      { value: 'normal', count: 1 },
      { value: 'sleep', count: 1 },
    ]),
  );
});
