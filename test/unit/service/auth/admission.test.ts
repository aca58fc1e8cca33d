// Sockets: what a request is admitted by admits them too, and a cookie only with the Origin of our own page.
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../../src/base/log.ts';
import { createAdmission } from '../../../../src/service/auth/admission.ts';
import { createAuthSource } from '../../../../src/service/auth/authorise.ts';
import type { Asked } from '../../../../src/service/auth/page-origin.ts';
import { RULES, V2_FARM } from '../../../../src/service/auth/rules.data.ts';
import { createVouchers } from '../../../../src/service/auth/vouchers.ts';
import { openStore } from '../../../../src/service/store/store.ts';
import { addPerson, claimAdmin } from '../../service-http/browser.ts';
import { startRig } from '../../service-http/rig.ts';

const ROUTE = `GET ${V2_FARM}/board`;

async function startAdmission() {
  const rig = await startRig();
  const store = await openStore(rig.databasePath);
  onTestFinished(() => store.close());
  const source = createAuthSource(store.tenants, store.keys, store.people, silentLog);
  const page = { allowPlain: false, hosts: [] };
  const admission = createAdmission({ source, vouchers: createVouchers(), clock: rig.clock, page });
  const { host } = new URL(rig.url);
  const asking = (headers: Asked['headers'], more: Partial<Asked> = {}): Asked => ({
    ...{ method: 'GET', headers: { upgrade: 'websocket', ...headers }, host, isSecure: false, address: '127.0.0.1' },
    ...more,
  });
  const params = { workspace_id: rig.workspaceId, farm_id: rig.farmId };
  const admit = async (one: Asked) => {
    const rule = RULES[ROUTE];
    if (rule?.access !== 'key') throw new Error(`${ROUTE} takes no key`);
    return admission.admit(await admission.identify(one), rule, params);
  };
  return { rig, admission, admit, asking, params, host, origin: rig.url };
}

test('a socket with the cookie of a session needs the origin and the host of our page; a key needs neither', async () => {
  const { rig, admit, asking, host, origin } = await startAdmission();
  const admin = await claimAdmin(rig);
  const cookie = admin.cookie() ?? '';
  const access = await admit(asking({ cookie, origin }));
  expect(access).toMatchObject({ caller: { actor: { type: 'user', name: 'Ada' } }, farm: { id: rig.farmId } });
  for (const [what, one] of Object.entries({
    'no origin': asking({ cookie }),
    'another origin': asking({ cookie, origin: 'http://evil.example' }),
    'another site': asking({ cookie, origin, 'sec-fetch-site': 'cross-site' }),
    'plain HTTP from beyond this host': asking({ cookie, origin }, { address: '192.0.2.1' }),
    'another host': asking({ cookie, origin: 'http://evil.example' }, { host: 'evil.example' }),
    'plain origin over TLS': asking(
      { cookie: cookie.replace('pithead', '__Host-pithead'), origin },
      { isSecure: true },
    ),
  }))
    await expect(admit(one), what).rejects.toMatchObject({ family: 'refused' });
  const secured = { cookie: cookie.replace('pithead', '__Host-pithead'), origin: `https://${host}` };
  expect(await admit(asking(secured, { isSecure: true }))).toMatchObject(access);
  // The cookie of plain HTTP counts for nothing over TLS.
  const plain = { cookie, origin: `https://${host}` };
  await expect(admit(asking(plain, { isSecure: true }))).rejects.toThrow('Missing x-api-key');
  const keyed = await admit(asking({ 'x-api-key': rig.key }));
  expect(keyed.caller.actor.type).toBe('api_key');
  await expect(admit(asking({}))).rejects.toThrow('Missing x-api-key');
});

test('whether a socket may stay is seen at once, and looking is no use of the session', async () => {
  const { rig, admission, asking, params, origin } = await startAdmission();
  const admin = await claimAdmin(rig);
  const farmRoles = [{ farmId: rig.farmId, role: 'viewer' as const }];
  const person = await addPerson(rig, 'Grace', { farmRoles });
  const one = asking({ cookie: person.cookie(), origin });
  const used = async () => (await rig.service.admin.people.list()).find(({ name }) => name === 'Grace')?.lastSeenAt;
  const before = await used();
  rig.clock.step(120_000);
  await admission.recheck(one, ROUTE, params);
  expect(await used()).toBe(before);
  const other = (await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: 'South' })).id;
  const moved = { role: null, farm_roles: [{ farm_id: other, role: 'viewer' }] };
  const path = `/public-api/v2/workspaces/${rig.workspaceId}/people/${person.id}`;
  expect((await admin.patch(path, moved)).status).toBe(200);
  await expect(admission.recheck(one, ROUTE, params)).rejects.toMatchObject({ code: 'request.not-found' });
  await admin.patch(path, { is_disabled: true });
  await expect(admission.recheck(one, ROUTE, params)).rejects.toMatchObject({ code: 'auth.session' });
});
