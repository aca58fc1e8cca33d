// The sample of an unknown device that its owner may send us: what says who or where the owner is is not in it.
import { describe, expect, test } from 'vitest';
import { pleaseAddMe } from '../../../../src/agent/capture/please-add-me.ts';
import { cpuMsOf } from '../../../support/cpu-time.ts';

describe('the sample', () => {
  const secrets = [
    'hunter2',
    'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    'satoshi.rig7',
    '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
    'B4:A2:EB:31:22:33',
    'THQING0BDJAB024NF',
    '10.20.30.40',
    'me@example.org',
  ] as const;
  const [password, wallet, worker, wallet2, mac, serial, ip, mail] = secrets;
  const raw = {
    pools: {
      POOLS: [
        {
          POOL: 0,
          URL: `stratum+tcp://${worker}:${password}@pool.example:3333`,
          User: `${wallet}.${worker}`,
          Pass: password,
          Status: 'Alive',
        },
        { 'Stratum URL': 'pool.example', User: worker, note: `pays ${wallet2} and ${mail}` },
      ],
    },
    system: { macaddr: mac, serinum: serial, ipaddress: ip, odd: `mac is ${mac} at ${ip}` },
    nested: `{"user":"${worker}","pass":"${password}"`,
    doubly: JSON.stringify({ conf: JSON.stringify({ worker, password }) }),
    avalon: { STATS: [{ 'MM ID0': `Temp[30] Worker[${worker}] DNA[${serial}] Fan1[5000]` }] },
    text: `user=${worker},pass=${password}|Elapsed=5`,
  };
  const sample = pleaseAddMe(
    {
      family: undefined,
      version: `{"VERSION":[{"Miner":"odd 1.2","MAC":"${mac}","DNA":"${serial}"}`,
      web: {
        status: 401,
        body: `<a href="http://${ip}/?user=${worker}">`,
        authenticate: 'Digest realm="odd", nonce="n0nce"',
      },
    },
    raw,
  );

  test.each([...secrets, 'n0nce'])('hides %s', (secret) => expect(sample).not.toContain(secret));

  test('keeps what a driver author needs', () => {
    for (const kept of [
      'odd 1.2',
      'realm=odd',
      'Temp[30]',
      'Fan1[5000]',
      '"Status": "Alive"',
      'Elapsed=5',
      'Stratum URL',
    ])
      expect(sample).toContain(kept);
  });

  test('is bounded, and quick on hostile answers', () => {
    const hostile = {
      a: '"'.repeat(400_000),
      b: 'a="'.repeat(100_000),
      c: Array.from({ length: 100_000 }, () => ({ user: 'x' })),
    };
    const costMs = cpuMsOf(() =>
      expect(pleaseAddMe({ family: undefined, version: 'x'.repeat(1e6) }, hostile).length).toBeLessThanOrEqual(
        96 * 1024,
      ),
    );
    expect(costMs).toBeLessThan(5_000);
  });
});
