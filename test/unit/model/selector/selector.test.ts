// The selector grammar: what words mean, alone and together, and that it never selects more than was written.
import { describe, expect, it } from 'vitest';
import { toBitmask } from '../../../../src/model/flags/anomaly-types.ts';
import { parseSelector, type SelectableMiner, select, selectorText } from '../../../../src/model/selector/selector.ts';

const NOW_MS = Date.UTC(2026, 5, 1);

function miner(ip: string, with_: Partial<SelectableMiner> = {}): SelectableMiner {
  return {
    ...{ id: `id-${ip}`, key: `key-${ip}`, agentId: 'a', ip, mac: null, serial: null, hostname: null },
    ...{ make: 'Bitmain', model: 'Antminer S19j Pro', algorithm: 'sha256', container: null, rack: null },
    ...{ position: null, driver: 'antminer-stock', firmware: '2024', abilities: [], opsStatus: null, mode: 'normal' },
    ...{ isMining: true, isOnline: true, isUnknown: false, isHung: false, flags: 0, firstFlag: null, hashrateHs: 1e14 },
    ...{ expectedHs: 1e14, powerW: 3_000, tempC: 60, fanRpm: 5_000, pool: null, worker: null, uptimeS: 60 },
    ...{ seenAtMs: NOW_MS, createdAtMs: NOW_MS - 30 * 86_400_000, serials: [], pools: [], workers: [] },
    ...with_,
  };
}

const farm = [
  miner('10.0.0.1', { mac: '02:AA:00:00:00:01', serials: ['SN1', 'BOARD1'], rack: 'C03', container: '1' }),
  miner('10.0.0.2', { mac: '02:AA:00:00:00:02', serials: ['SN2'], rack: 'C03', flags: toBitmask(['fan']) }),
  miner('10.0.0.3', { rack: 'C04', flags: toBitmask(['fan', 'pool']), pools: ['stratum+tcp://old.example:3333'] }),
  miner('10.0.0.40', { make: 'MicroBT', model: 'M30S', workers: ['acme.rig40'], serials: ['TWIN'], mode: 'sleep' }),
  miner('10.0.0.41', { serials: ['TWIN'], isOnline: false, seenAtMs: NOW_MS - 2 * 3_600_000, rack: 'C03 b' }),
];

const outcome = (written: string | readonly string[]) => {
  const read = parseSelector(written);
  if (read.kind === 'wrong') throw new Error(read.problems.join('; '));
  return select(read.selector, farm, NOW_MS);
};
const last = (written: string | readonly string[]) =>
  outcome(written)
    .miners.map(({ ip }) => ip.slice('10.0.0.'.length))
    .join(' ');
const wrong = (written: string) => {
  const read = parseSelector(written);
  return read.kind === 'wrong' ? read.problems.join('; ') : 'accepted';
};

describe('words', () => {
  it.each([
    ['10.0.0.2', '2'],
    ['10.0.0.0/30', '1 2 3'],
    ['10.0.0.3-40', '3 40'],
    ['02-aa-00-00-00-01', '1'],
    ['02aa.0000.0002', '2'],
    ['sn2', '2'],
    ['board1', '1'],
    ['acme.rig40', '40'],
    ['rig40', '40'],
    ['rack:c03', '1 2'],
    ['rack:C0*', '1 2 3 41'],
    ['rack:"C03 b"', '41'],
    ['container:1', '1'],
    ['model:m30', '40'],
    ['model:"antminer s19"', '1 2 3 41'],
    ['flag:fan', '2 3'],
    ['pool:OLD.example', '3'],
    ['worker:acme', '40'],
    ['driver:antminer', '1 2 3 40 41'],
    ['algorithm:SHA256', '1 2 3 40 41'],
    ['state:ill', '2 3'],
    ['state:asleep', '40'],
    ['state:silent', '41'],
    ['state:missing', '41'],
    ['all', '1 2 3 40 41'],
  ])('%s', (written, miners) => expect(last(written)).toBe(miners));

  it('of different kinds narrow, of one kind widen, and a comma means or', () => {
    expect(last('rack:C03 flag:fan')).toBe('2');
    expect(last('rack:C03 rack:C04')).toBe('1 2 3');
    expect(last('rack:C03,C04')).toBe('1 2 3');
    expect(last('10.0.0.1 sn2 rig40')).toBe('1 2 40');
    expect(last('10.0.0.1,sn2 rack:C03')).toBe('1 2');
  });

  it('after `not` exclude, and only the next one', () => {
    expect(last('flag:fan not rack:C04')).toBe('2');
    expect(last('rack:C03 not 10.0.0.1')).toBe('2');
    expect(last('not rack:C03 flag:fan')).toBe('3');
    expect(last('not flag:fan,pool')).toBe('1 40 41');
  });

  it('of a command line hold blanks', () => expect(last(['rack:C03 b'])).toBe('41'));
});

describe('what selects nothing', () => {
  it('is named with the reason', () => {
    expect(outcome('10.0.0.9 10.0.0.1 nobody').unmatched).toEqual([
      { text: '10.0.0.9', reason: 'no known miner has this address' },
      { text: 'nobody', reason: 'no known miner has this MAC, serial number, worker or host name' },
    ]);
  });

  it('is a serial number of two miners', () => {
    expect(outcome('twin')).toEqual({
      miners: [],
      unmatched: [{ text: 'twin', reason: 'several miners show it: 10.0.0.40, 10.0.0.41; name one by its address' }],
    });
  });

  it('is a filler that many show', () => {
    const read = parseSelector('""');
    expect(read.kind).toBe('wrong');
  });
});

describe('what is wrong', () => {
  it.each([
    ['flags:fan', "'flags:' is no kind of word: do you mean flag?"],
    ['flag:fann', 'flag:fann: do you mean fan?'],
    ['state:sick', 'state:sick: accepted: ill, silent, missing, hung, new, asleep, maintenance'],
    ['10.0.0.9-10.0.0.1', "'10.0.0.9-10.0.0.1' runs downwards: write the lower address first"],
    ['10.0.0.300', "'10.0.0.300' is not an address"],
    ['rack:C03 not', "'not' has no word after it"],
    ['rack:', "'rack:' has no value"],
    ['rack:"C03', 'a quotation mark is not closed'],
    ['rack:C03,flag:fan', "'flag:fan' stands after a comma"],
    ['rack:****', 'at most 3 stars'],
  ])('%s', (written, text) => expect(wrong(written)).toContain(text));
});

describe('text', () => {
  it.each(['rack:C03 not flag:fan', 'model:"S19 Pro",S21 10.0.0.1,SN1', 'rack:"a,b"'])('%s', (written) => {
    const read = parseSelector(written);
    if (read.kind === 'wrong') throw new Error(read.problems.join());
    const again = parseSelector(selectorText(read.selector));
    expect(again).toEqual(read);
  });

  it('that is empty is told apart from all', () => {
    const read = parseSelector('  ');
    expect(read.kind === 'ok' && read.selector.isEmpty).toBe(true);
    expect(last('')).toBe('1 2 3 40 41');
  });
});
