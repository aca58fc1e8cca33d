// Miners by groups: what is counted, and that rates of different algorithms are never added up.
import { expect, test } from 'vitest';
import { groupJson, groupMiners } from '../../../../src/cli/fleet/list/groups.ts';
import { groupText } from '../../../../src/cli/fleet/list/view.ts';
import { ill, NOW_MS, row } from './rows.ts';

const plain = (_: unknown, text: string) => text;
const SCRYPT = { make: 'Antminer', model: 'L7', algorithm: 'scrypt', hashrateHs: 9.5e9, powerW: 3_425 };
const FARM = [
  row(1, { rack: 'C2', hashrateHs: 100e12, powerW: 3_000 }),
  row(2, { rack: 'C2', hashrateHs: 50e12, powerW: 3_000, ...ill('board 2 is missing', 'hashboard', 'fan') }),
  row(3, { rack: 'C2', ...SCRYPT }),
  row(4, { rack: 'C10', hashrateHs: 80e12, powerW: null }),
  row(5, { rack: 'C10', isOnline: false }),
  row(6, { isUnknown: true }),
];
const lines = (...by: Parameters<typeof groupText>) => groupText(...by).split('\n');
const screen = { width: 80, paint: plain, nowMs: NOW_MS };

test('a line per rack as people count, those without one last; each algorithm stands by itself', () => {
  const shown = lines('rack', FARM, { ...screen, width: undefined }).map((line) => line.trim().split(/ {2,}/));
  expect(shown).toEqual([
    ['RACK', 'MINERS', 'ONLINE', 'ILL', 'HASHRATE', 'POWER', 'EFFICIENCY'],
    ['C2', '3', '3', '1', '9.50 GH/s scrypt, 150.00 TH/s sha256', '9.4 kW', '360.5 J/GH, 40.0 J/TH'],
    ['C10', '2', '1', '0', '80.00 TH/s sha256', '–', '–'],
    ['–', '1', '0', '0', '–', '–', '–'],
  ]);
});

test('what is known of some only is a lower bound', () => {
  const [group] = groupMiners([row(1, { powerW: 3_000 }), row(2, { powerW: null })], 'rack', NOW_MS);
  expect(group?.power).toEqual({ value: 3_000, isWhole: false });
  expect(lines('rack', [row(1, { powerW: 3_000 }), row(2, { powerW: null })], screen)[1]).toContain('≥ 3.0 kW');
});

test('what is not known to be of one algorithm is not added up either, unless it is one model', () => {
  const unknown = [row(1, { algorithm: null }), row(2, { algorithm: null, model: 'L7', hashrateHs: 9.5e9 })];
  expect(groupMiners(unknown, 'rack', NOW_MS)[0]?.algorithms).toEqual([
    { algorithm: null, hashrate: null, wattsPerHs: null },
  ]);
  expect(groupMiners(unknown, 'model', NOW_MS).map(({ algorithms }) => algorithms[0]?.hashrate?.value)).toEqual([
    9.5e9, 104.2e12,
  ]);
});

test('a miner is in the group of each of its flags', () => {
  const counts = groupMiners(FARM, 'flag', NOW_MS).map(({ name, miners }) => [name, miners]);
  expect(counts).toEqual([
    ['fan', 1],
    ['hashboard', 1],
    [null, 5],
  ]);
});

test('models have their makes, and by algorithm nothing is named twice', () => {
  expect(groupMiners(FARM, 'model', NOW_MS).map(({ name }) => name)).toEqual(['Antminer L7', 'Antminer S19 Pro']);
  expect(lines('algorithm', FARM, screen)[1]?.replaceAll('\u00a0', ' ')).toMatch(
    /^scrypt +1 +1 +0 +9\.50 GH\/s +3\.4 kW +360\.5 J\/GH$/,
  );
});

test('JSON has a part per algorithm', () => {
  const [group] = groupMiners(FARM, 'rack', NOW_MS);
  if (group === undefined) throw new Error('there is no group');
  expect(groupJson('rack', group)).toMatchObject({
    ...{ rack: 'C2', miners: 3, online: 3, ill: 1, power_w: 9_425, power_is_whole: true },
    algorithms: [
      { algorithm: 'scrypt', hashrate_hs: 9.5e9 },
      { algorithm: 'sha256', hashrate_hs: 150e12, efficiency_j_per_th: 40 },
    ],
  });
});
