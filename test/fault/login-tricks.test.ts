// What a device may try to get more of a login than is meant for it: challenges, redirects, cookies, other addresses
// and other names.
import { expect, test } from 'vitest';
import { loopback } from '../support/loopback.ts';
import type { Act, Reply } from './actor.ts';
import { CANARY, collector, innosilicon, playedSite, ruleFor, secretsIn } from './played-site.ts';

const NET = loopback();
const REALM = 'antMiner Configuration';
const USUAL = `Digest realm="${REALM}", nonce="abc", qop="auth"`;
const STRONGER = 'Digest realm="mine", nonce="abc", qop="auth", algorithm=SHA-256';

/**
 * An accepted Antminer answers each question behind its start page with this challenge: how many digests it gets of one
 * visit.
 */
test.each<readonly [trick: string, digests: number, challenge: string | readonly string[]]>([
  ['its own challenge', 1, USUAL],
  ['Basic', 0, `Basic realm="${REALM}"`],
  ['Basic beside its own', 1, [`Basic realm="${REALM}"`, USUAL]],
  ['kinds that nobody speaks', 0, ['Negotiate', 'NTLM', `Bearer realm="${REALM}"`]],
  ['a stronger one of another realm', 0, [USUAL, STRONGER]],
  ['the same in one line', 0, `${USUAL}, ${STRONGER}`],
  ['auth-int alone', 0, `Digest realm="${REALM}", nonce="abc", qop="auth-int"`],
  ['no qop', 0, `Digest realm="${REALM}", nonce="abc"`],
  ['an empty qop', 0, `Digest realm="${REALM}", nonce="abc", qop=""`],
  ['no nonce', 0, `Digest realm="${REALM}", qop="auth"`],
  ['an algorithm that nobody speaks', 0, `${USUAL}, algorithm=MD5-sess`],
  ['another realm', 0, 'Digest realm="mine", nonce="abc", qop="auth"'],
  ['no realm', 0, 'Digest nonce="abc", qop="auth"'],
  ['a realm that ends its quotes', 0, `Digest realm="${REALM}\\", x=\\"", nonce="abc", qop="auth"`],
  ['a nonce that is stale for ever', 2, `${USUAL}, stale=true`],
  ['a domain elsewhere', 1, `${USUAL}, domain="http://${NET.ip(99)}/"`],
])('an accepted device that asks with %s gets %i digests, and its password nowhere', async (_, digests, challenge) => {
  const { actor, meet, poll, trust } = await playedSite(NET, ruleFor(NET));
  let isAccepted = false;
  const device = await actor(2, {
    web: ({ path }) => ({
      status: 401,
      headers: { server: 'lighttpd/1.4.32', 'www-authenticate': path === '/' || !isAccepted ? USUAL : challenge },
    }),
  });
  const target = await meet(device.ip);
  trust.record.accept(trust.record.devices());
  isAccepted = true;
  device.forget();
  await poll(target);
  expect(device.heard()).toContain('GET /cgi-bin/');
  expect(device.heard().match(/^authorization$/gim) ?? []).toHaveLength(digests);
  expect(device.heard()).not.toContain(CANARY.password);
  expect(device.heard()).not.toContain(Buffer.from(`${CANARY.user}:${CANARY.password}`).toString('base64'));
});

test('no redirect is followed, and no cookie goes back that no login asked for', async () => {
  const { actor, meet, poll } = await playedSite(NET, { trust: 'network', ...ruleFor(NET) });
  const elsewhere = await actor(99, collector);
  const heard: string[] = [];
  const targets = [`http://${elsewhere.ip}/`, `//${elsewhere.ip}/x`, `http://a:b@${elsewhere.ip}:80/`];
  for (const [index, to] of targets.entries()) {
    for (const status of [301, 302, 307, 308]) {
      const reply: Reply = {
        status,
        headers: { location: to, refresh: `0; url=${to}`, 'set-cookie': ['a=b', `c=d; domain=${elsewhere.ip}`] },
        body: `<meta http-equiv="refresh" content="0; url=${to}">`,
      };
      const device = await actor(10 + index * 10 + (status % 10), { ...innosilicon, web: () => reply });
      const target = await meet(device.ip);
      await poll(target);
      heard.push(device.heard());
    }
  }
  expect(elsewhere.heard()).toBe('');
  expect(heard.join('\n')).toContain('/api/auth');
  expect(heard.join('\n')).not.toMatch(/^cookie$/im);
});

test('a complete copy of a family gets the factory login once, with however many MACs and at however many addresses', async () => {
  const { actor, macs, meet } = await playedSite(NET, {});
  const refuses: Act = { ...innosilicon, web: ({ path }) => (path === '/api/auth' ? { status: 401 } : { body: '{}' }) };
  const logins = (text: string) => (text.match(/POST \/api\/auth/g) ?? []).length;
  const one = await actor(60, refuses);
  for (let unit = 0; unit < 50; unit++) {
    macs.set(one.ip, `02:00:00:00:01:${unit.toString(16).padStart(2, '0')}`);
    await meet(one.ip);
  }
  expect(logins(one.heard())).toBe(1);
  let all = '';
  for (let place = 0; place < 50; place++) {
    const device = await actor(100 + place, refuses);
    macs.set(device.ip, '02:00:00:00:02:00');
    await meet(device.ip);
    all += device.heard();
  }
  expect(logins(all)).toBe(1);
  expect(secretsIn(one.heard() + all)).toEqual([]);
});
