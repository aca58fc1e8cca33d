// Lines of the worklist that people take: all see who has one, and it is taken from another person only on purpose.
import { beforeEach, expect, test } from 'vitest';
import { addPerson, type Browser, claimAdmin } from './browser.ts';
import { type Answer, type Rig, startRig } from './rig.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LINE = { cause: 'hashboard', container: 'C1', rack: 'C1-03', pool: null };
const LONG_POOL = `stratum+tcp://${'p'.repeat(480)}.example:3333`;

let rig: Rig;
let ada: Browser;
let grace: Browser;

beforeEach(async () => {
  rig = await startRig();
  ada = await claimAdmin(rig);
  grace = await addPerson(rig, 'Grace', { role: 'technician' });
});

const path = (what = '') => `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/work${what}`;
async function take(browser: Browser, body: object = LINE): Promise<string> {
  const answer = await browser.post(path('/take'), body);
  expect([answer.status, answer.body.message]).toEqual([200, undefined]);
  return answer.body.data.taken_by.name;
}
const holders = async (browser: { get(path: string): Promise<Answer> }): Promise<readonly string[]> =>
  (await browser.get(path('?page_size=1000'))).body.data.map(
    (item: { rack: string | null; pool: string | null; taken_by: { name: string } }) =>
      `${item.rack ?? item.pool ?? '-'} ${item.taken_by.name}`,
  );
const recorded = async (): Promise<readonly string[]> =>
  (await ada.get(`/public-api/v2/workspaces/${rig.workspaceId}/audit?order=newest&page_size=100`)).body.data.flatMap(
    ({ action, actor }: { action: string; actor: { name: string } }) =>
      action.startsWith('work.') ? [`${action} ${actor.name}`] : [],
  );

test('who takes a line is seen by all, and what one has stays theirs until it is taken over', async () => {
  expect(await take(grace)).toBe('Grace');
  expect(await holders(ada)).toEqual(['C1-03 Grace']);
  expect(await take(ada)).toBe('Grace');
  expect(await take(grace)).toBe('Grace');
  expect(await take(ada, { ...LINE, take_over: true })).toBe('Ada');
  expect(await holders(grace)).toEqual(['C1-03 Ada']);
  expect((await recorded()).toSorted()).toEqual(['work.taken Ada', 'work.taken Grace']);
});

test('other causes, places and pools are lines of their own, whatever the length of an address', async () => {
  await take(grace);
  rig.clock.step(1_000);
  await take(ada, { ...LINE, cause: 'fan' });
  rig.clock.step(1_000);
  await take(ada, { cause: 'pool', container: null, rack: null, pool: LONG_POOL });
  expect(await holders(grace)).toEqual([`${LONG_POOL} Ada`, 'C1-03 Ada', 'C1-03 Grace']);
});

test('a released line is free, also one of another person; to release a free one does nothing', async () => {
  await take(grace);
  expect((await ada.post(path('/release'), LINE)).body.data).toEqual(LINE);
  expect((await ada.post(path('/release'), LINE)).status).toBe(200);
  expect(await holders(ada)).toEqual([]);
  expect((await recorded()).toSorted()).toEqual(['work.released Ada', 'work.taken Grace']);
  expect(await take(ada)).toBe('Ada');
});

test('a line is free again after a shift, and taken by the next one as it was by the first', async () => {
  await take(grace);
  // Sessions have ended by then.
  rig.clock.step(12 * HOUR_MS - MINUTE_MS);
  expect(await holders(rig)).toEqual(['C1-03 Grace']);
  rig.clock.step(MINUTE_MS);
  expect(await holders(rig)).toEqual([]);
  const next = await addPerson(rig, 'Hedy', { role: 'technician' });
  expect(await take(next)).toBe('Hedy');
});

test('who only looks sees them and takes none; what is no line is refused with its field', async () => {
  const viewer = await addPerson(rig, 'Vera', { role: 'viewer' });
  await take(grace);
  expect(await holders(viewer)).toEqual(['C1-03 Grace']);
  expect((await viewer.post(path('/take'), LINE)).status).toBe(403);
  expect((await viewer.post(path('/release'), LINE)).status).toBe(403);
  const wrong = await ada.post(path('/take'), { ...LINE, cause: 'ghosts' });
  expect([wrong.status, wrong.body.message]).toEqual([
    400,
    expect.stringContaining('cause: received "ghosts", accepted: missing'),
  ]);
});
