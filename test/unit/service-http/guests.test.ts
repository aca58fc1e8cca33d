// What a caller who came by a grant does not see of the miners: which of them accept a factory login.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { minerRecord } from './records.ts';
import { type Rig, startOwnedRig } from './rig.ts';
import { connect, enrol } from './wire-agent.ts';

let rig: Rig;
let stop: () => Promise<void>;
let guestKey: string;
beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  const { admin } = rig.service;
  const { id: granteeId } = await admin.createWorkspace({ name: 'Guest', slug: 'guest' });
  await admin.createGrant({ grantorId: rig.workspaceId, granteeId, permissions: ['miners.read'] });
  guestKey = (await admin.createKey({ workspaceId: granteeId, name: 'guest', role: 'admin' })).key;
  const agent = await connect(rig, { identity: await enrol(rig, rig.farmId) });
  const nowMs = rig.clock.nowMs();
  const { extras, ...third } = minerRecord(3, nowMs);
  await agent.report([
    minerRecord(1, nowMs, { extras: { default_password: true } }),
    minerRecord(2, nowMs),
    // An agent that writes it before all other fields.
    { ...third, extras: { default_password: true, ...extras } },
  ]);
  await agent.close();
});
afterAll(() => stop());

const v2 = () => `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/miners`;

// A page of 1,000 is made inside the database and kept for a second: it must not be the other caller's.
test.each([20, 1_000])('a page of %i shows factory logins to the own workspace only', async (size) => {
  const shown = async (key: string) => {
    const headers = { 'x-api-key': key };
    const list = await rig.get(`${v2()}?page_size=${size}`, headers);
    const search = await rig.post(`${v2()}/search`, { page_size: size }, headers);
    for (const { status, body } of [list, search]) expect([status, body.data?.length]).toEqual([200, 3]);
    expect(search.body).toEqual(list.body);
    return list.body.data;
  };
  const isShown = (miners: { default_password?: boolean }[]) => miners.map((miner) => miner.default_password);
  for (let n = 0; n < 2; n++) {
    const [own, guest] = [await shown(rig.key), await shown(guestKey)];
    expect(isShown(own)).toEqual([true, undefined, true]);
    expect(isShown(guest)).toEqual([undefined, undefined, undefined]);
    const withoutIt = own.map(({ default_password: _, ...miner }: { default_password?: true }) => miner);
    expect(guest).toEqual(withoutIt);
  }
});

test('v1 shows them to nobody', async () => {
  for (const key of [rig.key, guestKey]) {
    const { status, body } = await rig.get(rig.farm('/miner/latest'), { 'x-api-key': key });
    expect([status, body.data.length]).toEqual([200, 3]);
    expect(JSON.stringify(body)).not.toContain('default_password');
  }
});
