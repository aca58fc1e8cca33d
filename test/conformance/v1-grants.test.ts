// Grants of v1: which are listed, what is in them, what they open.
import { afterAll, beforeAll, expect } from 'vitest';
import { query } from '../unit/service-http/database.ts';
import { type Rig, startOwnedRig } from '../unit/service-http/rig.ts';
import { rows } from './rows.ts';

/** Longer than these tests, and than two clocks may differ. */
const LONG_MS = 3_600_000;
const GRANTS = '/private-api/v1/me/grants';

let rig: Rig;
let stop: () => Promise<void>;
let grantor: { id: string; farmId: string };
/** Of every farm without end, and of one farm for an hour. */
let all: string;
let some: string;
let expiresAt: string;
let createdMs: number;

beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  const { admin } = rig.service;
  const { id } = await admin.createWorkspace({ name: 'Grantor', slug: 'grantor' });
  grantor = { id, farmId: (await admin.createFarm({ workspaceId: id, name: null })).id };
  const base = { grantorId: id, granteeId: rig.workspaceId };
  createdMs = rig.clock.nowMs();
  expiresAt = new Date(createdMs + LONG_MS).toISOString();
  all = (await admin.createGrant({ ...base, permissions: ['miners.read'] })).id;
  // Grants are listed in the order of their ids, and the clock of the database may be some milliseconds off.
  rig.clock.step(1_000);
  const narrow = {
    ...base,
    farmIds: [grantor.farmId],
    permissions: ['tasks.read', 'tasks.create'],
    expiresAt,
  } as const;
  some = (await admin.createGrant(narrow)).id;
  const ended = await admin.createGrant({ ...base, permissions: ['miners.read'] });
  await admin.revokeGrant(ended.id);
  const over = new Date(createdMs - LONG_MS).toISOString();
  await admin.createGrant({ ...base, permissions: ['miners.read'], expiresAt: over });
  // The other way round: no grant to the workspace of the key.
  await admin.createGrant({ grantorId: rig.workspaceId, granteeId: id, permissions: ['miners.read'] });
});
afterAll(() => stop());

const idsNow = async () => (await rig.get(GRANTS)).body.data.map(({ id }: { id: string }) => id);

rows('6. List my grants', {
  '`GET /private-api/v1/me/grants` (no workspace id in the path)': async () => {
    expect((await rig.get(GRANTS)).status).toBe(200);
    expect((await rig.get(`/private-api/v1/${rig.workspaceId}/me/grants`)).status).toBe(404);
  },
  'Returns active authorization grants where the authenticated workspace is the grantee': async () => {
    expect(await idsNow()).toEqual([all, some]);
  },
  'No parameters': async () => {
    expect((await rig.get(`${GRANTS}?page=0&pageSize=x`)).body).toEqual((await rig.get(GRANTS)).body);
  },
  '`{success: true, data: [Grant], error: null}`': async () => {
    const { body } = await rig.get(GRANTS);
    expect(Object.keys(body).toSorted()).toEqual(['data', 'error', 'success']);
    expect(body).toMatchObject({ success: true, error: null });
  },
  'Errors: 400, 401, 403, 404': async () => {
    const nobody = await rig.service.admin.createKey({ workspaceId: rig.workspaceId, name: 'no', permissions: [] });
    expect((await rig.get(GRANTS, {})).status).toBe(401);
    expect((await rig.get(GRANTS, { 'x-api-key': nobody.key })).status).toBe(403);
    expect((await rig.get(`${GRANTS}/x`)).status).toBe(404);
    expect((await rig.get('/private-api/v1/%zz/grants')).status).toBe(400);
  },
});

rows('Grant', {
  'An active authorization grant in which the authenticated workspace is the grantee': async () => {
    expect(await idsNow()).toEqual([all, some]);
    // A copy that has PostgreSQL takes its time from there: a step of this clock would last as long as it likes.
    const endsAt = (ms: number) => query(rig, 'UPDATE grants SET expires_at = ? WHERE id = ?', ms, some);
    await endsAt(createdMs - LONG_MS);
    expect(await idsNow()).toEqual([all]);
    await endsAt(Date.parse(expiresAt));
    expect(await idsNow()).toEqual([all, some]);
  },
  'Fields of a grant': async () => {
    const workspaces = {
      grantor: { id: grantor.id, name: 'Grantor', slug: 'grantor' },
      grantee: { id: rig.workspaceId, name: 'Default', slug: 'default' },
    };
    const { body } = await rig.get(GRANTS);
    const created_at = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/);
    expect(body.data).toEqual([
      { id: all, ...workspaces, farm_ids: null, permissions: ['miners.read'], created_at, expires_at: null },
      {
        id: some,
        ...workspaces,
        farm_ids: [grantor.farmId],
        // What `tasks.create` means.
        permissions: ['tasks.read', 'tasks.reboot'],
        created_at,
        expires_at: expiresAt,
      },
    ]);
    expect(Math.abs(Date.parse(body.data[0].created_at) - createdMs)).toBeLessThan(10_000);
  },
});
