// Answers of VolcMiners of which there is no recording: a shut web, newer pages, the web of another make. Nothing false
// may be made of them.
import { expect, test } from 'vitest';
import { volcminer } from './index.ts';

const read = (raw: Record<string, unknown>) => volcminer.read(raw, {}).reading;

test('a Blackminer F2 on the web of others is no VolcMiner', () => {
  const status = { summary: { elapsed: '9', ghs5s: '5.5' }, devs: [] };
  const reading = read({ status, system: { minertype: 'Blackminer F2' } });
  expect(reading).toMatchObject({ make: 'Blackminer', model: 'F2' });
  expect(read({ system: { minertype: 'Odd 7' } })).not.toHaveProperty('make');
});

test('a VolcMiner whose web is shut is read over its own port', () => {
  const status = [{ STATUS: 'S', When: 1_765_000_000 }];
  const raw = {
    version: { STATUS: status, VERSION: [{ API: '3.1', CompileTime: '2025-10-08', Type: 'VolcMiner D1' }] },
    summary: { STATUS: status, SUMMARY: [{ Elapsed: 4_200, 'MHS 5s': '18,500.5', 'MHS av': '18,400.0' }] },
    stats: {
      STATUS: status,
      STATS: [
        { Type: 'VolcMiner D1' },
        { STATS: 0, fan1: 5_610, fan2: 0, temp1: 57, chain_acn1: 105, chain_rate1: '18,500.5', frequency: '2000' },
      ],
    },
    pools: { POOLS: [{ POOL: 0, URL: 'stratum+tcp://p:1', User: 'w', Status: 'Alive', 'Stratum Active': true }] },
  };
  expect(read(raw)).toMatchObject({
    make: 'VolcMiner',
    model: 'D1',
    firmwareVersion: '2025-10-08',
    apiVersion: '3.1',
    hashrateHs: 18_500.5e6,
    hashrateAverageHs: 18_400e6,
    uptimeS: 4_200,
    deviceTimeS: 1_765_000_000,
    isMining: true,
    tempC: 57,
    boards: [{ slot: 0, chips: 105, hashrateHs: 18_500.5e6, frequencyMhz: 2_000 }],
    fans: [{ index: 0, rpm: 5_610 }],
    pools: [{ url: 'stratum+tcp://p:1', isActive: true }],
    expected: { boards: 3, fans: 4 },
  });
});

const chain = (index: number, rate: string) =>
  `{"index":"${index}","chain_acn":"105","temp":"6${index}","hw":"${index}","chain_rate":"${rate}","chain_acs":"o","freq":"1900"}`;
const statusV1 = `{
"code": "200", "msg": "",
"data": "{
 "elapsed": "1,355", "ghs5s": "15,410.50", "ghsav": "15,390.1",
 "pools": { "hw": {"h_hw":"3"}, "pool_dtls": "[ {"index":"0","url":"stratum+tcp://p:1","user":"w[1]","status":"Alive","accepted":"1,101"} ]" },
 "chains": "[ ${chain(1, '5,100.25')}, ${chain(2, '5,200.5')} ]",
 "fan": {"fan1":"5,640","fan2":"0","fan3":"0","fan4":"0"} }"
}`;
const systemV1 = '{"code": "200", "data": "{ "minertype": "VolcMiner D1", "hostname": "shed-3" }" }';

test('a VolcMiner with pages that wrap what they tell in quotes', () => {
  expect(read({ statusV1, systemV1 })).toMatchObject({
    model: 'D1',
    hostname: 'shed-3',
    hashrateHs: 15_410.5e6,
    hashrateAverageHs: 15_390.1e6,
    uptimeS: 1_355,
    boards: [
      { slot: 0, chips: 105, hashrateHs: 5_100.25e6, hwErrors: 1, frequencyMhz: 1_900, boardTempsC: [61] },
      { slot: 1, chips: 105, hashrateHs: 5_200.5e6, hwErrors: 2, frequencyMhz: 1_900, boardTempsC: [62] },
    ],
    fans: [{ index: 0, rpm: 5_640 }],
    pools: [{ url: 'stratum+tcp://p:1', user: 'w[1]', isActive: true, accepted: 1_101 }],
  });
  // As JSON that is right, too.
  const { data } = { data: { ghs5s: '9', chains: `[${chain(1, '9')}]` } };
  expect(read({ statusV1: JSON.stringify({ data: JSON.stringify(data) }) }).hashrateHs).toBe(9e6);
  expect(read({ statusV1: '<html>404</html>', systemV1: '{"data": "{' })).not.toHaveProperty('boards');
});

test('of the newer page only what the older lacks', () => {
  const devs = [
    { index: '1', chain_acn: '104', temp: [55, 57], freq: '2000' },
    { index: '4', chain_acn: '0' },
  ];
  const status = { summary: { elapsed: '42', ghs5s: '18,500.5' }, devs, fan1: '1,200' };
  expect(volcminer.asks.statusV1?.isLacking?.(status)).toBe(true);
  expect(volcminer.asks.statusV1?.isLacking?.({ devs: [{ index: '1', rate: '' }] })).toBe(false);
  expect(read({ status, statusV1 })).toMatchObject({
    hashrateHs: 18_500.5e6,
    uptimeS: 42,
    boards: [{ slot: 0, chips: 104, hashrateHs: 5_100.25e6, hwErrors: 1, frequencyMhz: 2_000, boardTempsC: [55, 57] }],
    fans: [{ rpm: 1_200 }],
  });
});
