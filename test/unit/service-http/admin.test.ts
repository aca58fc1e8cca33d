// The administration behind workspaces, keys and grants, also beside a running service.
import { expect, test } from 'vitest';
import { openAdmin } from '../../../src/service/admin.ts';
import { startRig } from './rig.ts';

test('the defaults are made once', async () => {
  const rig = await startRig();
  expect(await rig.service.admin.ensureDefaults()).toEqual({ workspaceId: rig.workspaceId, farmId: rig.farmId });
  expect(await rig.service.admin.listWorkspaces()).toMatchObject([{ id: rig.workspaceId, slug: 'default' }]);
  expect(await rig.service.admin.listFarms()).toMatchObject([{ id: rig.farmId, workspaceId: rig.workspaceId }]);
});

test('an administrator beside the running service: keys work and end at once', async () => {
  const rig = await startRig();
  const admin = await openAdmin(rig.databasePath, { clock: rig.clock });
  const { id, key } = await admin.createKey({ workspaceId: rig.workspaceId, name: 'beside', role: 'admin' });
  expect((await rig.get(rig.farm('/miner/latest'), { 'x-api-key': key })).status).toBe(200);
  expect(await admin.revokeKey(id)).toBe(true);
  expect(await admin.revokeKey(id)).toBe(false);
  expect((await rig.get(rig.farm('/miner/latest'), { 'x-api-key': key })).status).toBe(401);
  expect((await admin.listKeys()).find((entry) => entry.id === id)?.revokedAt).not.toBeNull();
  expect(key).toMatch(/^phk_[0-9a-f]{8}_[A-Za-z0-9_-]{43}$/);
  await admin.close();
});

test('what does not exist is refused before anything is written', async () => {
  const rig = await startRig();
  const { admin } = rig.service;
  const nobody = '01900000-0000-7000-8000-000000000000';
  await expect(admin.createKey({ workspaceId: nobody, name: 'x', role: 'admin' })).rejects.toThrow('administer');
  await expect(admin.createKey({ workspaceId: 'default', name: 'x', role: 'admin' })).rejects.toThrow('administer');
  await expect(admin.createFarm({ workspaceId: nobody, name: 'x' })).rejects.toThrow('administer');
  await expect(admin.createEnrolmentCode({ farmId: nobody, ttlMs: 1 })).rejects.toThrow('administer');
  await expect(admin.createWorkspace({ name: 'x', slug: 'default' })).rejects.toThrow('administer');
  await expect(
    admin.createKey({ workspaceId: rig.workspaceId, name: 'x', role: 'admin', expiresAt: 'soon' }),
  ).rejects.toThrow('administer');
  const { id: granteeId } = await admin.createWorkspace({ name: 'x', slug: 'x' });
  const grant = { grantorId: rig.workspaceId, granteeId, permissions: ['miners.read'] as const };
  await expect(admin.createGrant({ ...grant, granteeId: rig.workspaceId })).rejects.toThrow('administer');
  expect(await admin.listGrants()).toEqual([]);
  await expect(admin.createGrant({ ...grant, farmIds: [nobody] })).rejects.toThrow('administer');
  expect(await admin.listKeys()).toHaveLength(1);
});

test.each(['', 'bad/slug', 'North', '-x', 'x-', 'a b', 'x'.repeat(64)])('a slug that is none: %j', async (slug) => {
  const rig = await startRig();
  await expect(rig.service.admin.createWorkspace({ name: 'x', slug })).rejects.toMatchObject({
    problems: [{ path: 'slug', message: expect.stringContaining(`'${slug}' is not`) }],
  });
  expect(await rig.service.admin.listWorkspaces()).toHaveLength(1);
});
