// Every rule that compares one sample: it holds before it raises, keeps its evidence, clears apart, and is silent about
// what it cannot see.
import { describe, expect, test } from 'vitest';
import { holdsOf } from '../../../../../src/agent/fleet/anomaly/judge.ts';
import { RULES } from '../../../../../src/agent/fleet/anomaly/rules.ts';
import type { Sample, SampleContext } from '../../../../../src/agent/fleet/anomaly/sample.ts';
import { anomalySettingsSchema } from '../../../../../src/agent/fleet/anomaly/settings.ts';
import type { AnomalyType } from '../../../../../src/model/flags/anomaly-types.ts';
import { flagSchema } from '../../../../../src/model/flags/flags.ts';
import type { ErrorReading, Reading } from '../../../../../src/model/reading.ts';
import { type Change, createBench, put, same } from './fixture.ts';

type Row = {
  readonly id: string;
  readonly type: AnomalyType;
  readonly bad: Change;
  readonly context?: Partial<SampleContext>;
  readonly more?: Partial<Extract<Sample, { kind: 'ok' }>>;
  readonly settings?: Parameters<typeof anomalySettingsSchema.parse>[0];
  /** The sample without the data that the rule needs. Absent = the rule needs nothing but an answer. */
  readonly blind?: Change;
  readonly evidence: { value?: unknown; limit?: unknown; source: string; severity: string; message?: string };
};

const boards =
  (change: (board: NonNullable<Reading['boards']>[number]) => object): Change =>
  (reading) =>
    put({ boards: (reading.boards ?? []).map((board) => (board.slot === 1 ? { ...board, ...change(board) } : board)) })(
      reading,
    );
const fan =
  (rpm: number): Change =>
  (reading) =>
    put({ fans: (reading.fans ?? []).map((it) => (it.index === 2 ? { ...it, rpm } : it)) })(reading);
const pool =
  (fields: object): Change =>
  (reading) =>
    put({ pools: (reading.pools ?? []).map((it) => ({ ...it, ...fields })) })(reading);
const withBackup = ({ pools = [] }: Reading, first: object): NonNullable<Reading['pools']> => [
  { index: 1, url: 'stratum+ssl://backup.example:443', user: 'farm.w1', isAlive: true, isActive: true },
  ...pools.map((it) => ({ ...it, ...first })),
];
const strip =
  (...names: string[]): Change =>
  (reading) =>
    put({
      boards: (reading.boards ?? []).map((board) => {
        const kept: Record<string, unknown> = { ...board };
        for (const name of names) delete kept[name];
        return { slot: board.slot, ...kept };
      }),
    })(reading);
const reports = (error: ErrorReading): Change => put({ errors: [error], hashrateSettledHs: 90e12 });

const vendor = (type: AnomalyType, category: ErrorReading['category']): Row => ({
  id: `${type.replaceAll('_', '-')}.vendor`,
  type,
  bad: reports({ code: 'E7', message: 'as the device says', category }),
  blind: put({ errors: undefined }),
  evidence: { value: 'E7', limit: null, source: 'errors[E7]', severity: 'major' },
});

const ROWS: readonly Row[] = [
  {
    id: 'fan.stopped',
    type: 'fan',
    bad: fan(0),
    blind: put({ fans: undefined }),
    evidence: { value: 0, limit: 4, source: 'fans[2].rpm', severity: 'critical' },
  },
  {
    id: 'fan.slow',
    type: 'fan',
    bad: fan(900),
    blind: put({ fans: undefined }),
    evidence: { value: 900, source: 'fans[2].rpm', severity: 'major' },
  },
  {
    id: 'power.supply',
    type: 'power',
    bad: put({ psus: [{ isOk: true }, { isOk: false }] }),
    blind: put({ psus: undefined }),
    evidence: { source: 'psus[1].isOk', severity: 'major' },
  },
  {
    id: 'power.idle-supply',
    type: 'power',
    bad: put({ psus: [{ outputPowerW: 3_100 }, { outputPowerW: 0 }] }),
    blind: put({ psus: undefined }),
    evidence: {
      ...{ value: 0, source: 'psus[1].outputPowerW', severity: 'major' },
      message: 'power supply 1 gives no power: 1 of 2 do',
    },
  },
  {
    id: 'power.above-limit',
    type: 'power',
    bad: put({ powerW: 3_800 }),
    blind: put({ powerW: undefined }),
    evidence: { value: 3_800, limit: 3_740, source: 'powerW', severity: 'major' },
  },
  {
    id: 'power.zero',
    type: 'power',
    bad: put({ powerW: 0 }),
    blind: put({ powerW: undefined }),
    evidence: { value: 0, source: 'powerW', severity: 'minor' },
  },
  {
    id: 'temperature.chip',
    type: 'temperature',
    bad: boards(() => ({ chipTempMaxC: 95 })),
    blind: strip('chipTempMaxC'),
    evidence: { value: 95, limit: 95, source: 'boards[1].chipTempMaxC', severity: 'critical' },
  },
  {
    id: 'temperature.board',
    type: 'temperature',
    bad: boards(() => ({ boardTempsC: [60, 86] })),
    blind: strip('boardTempsC'),
    evidence: { value: 86, limit: 85, source: 'boards[1].boardTempsC', severity: 'major' },
  },
  {
    id: 'temperature.overall',
    type: 'temperature',
    bad: (reading) => put({ boards: undefined, tempC: 96 })(reading),
    blind: put({ boards: undefined, tempC: undefined }),
    evidence: { value: 96, limit: 95, source: 'tempC', severity: 'critical' },
  },
  {
    id: 'temperature.cold',
    type: 'temperature',
    bad: boards(() => ({ boardTempsC: [-3] })),
    blind: put({ boards: undefined, tempC: undefined }),
    evidence: { value: -3, limit: 0, severity: 'minor', source: 'boards[1].boardTempsC' },
  },
  {
    id: 'temperature.inlet-high',
    type: 'temperature',
    settings: { temperature: { inletMaxC: 40 } },
    bad: put({ inletTempC: 41 }),
    blind: put({ inletTempC: undefined }),
    evidence: { value: 41, limit: 40, source: 'inletTempC', severity: 'major' },
  },
  {
    id: 'temperature.inlet-low',
    type: 'temperature',
    settings: { temperature: { inletMinC: 10 } },
    bad: put({ inletTempC: 9 }),
    blind: put({ inletTempC: undefined }),
    evidence: { value: 9, limit: 10, source: 'inletTempC', severity: 'minor' },
  },
  {
    id: 'temperature.outlet-high',
    type: 'temperature',
    settings: { temperature: { outletMaxC: 70 } },
    bad: put({ outletTempC: 71 }),
    blind: put({ outletTempC: undefined }),
    evidence: { value: 71, limit: 70, source: 'outletTempC', severity: 'major' },
  },
  {
    id: 'hashboard.missing',
    type: 'hashboard',
    bad: (reading) => put({ boards: (reading.boards ?? []).slice(0, 2) })(reading),
    blind: put({ boards: undefined }),
    evidence: { value: 2, limit: 3, source: 'boards', severity: 'critical' },
  },
  {
    id: 'hashboard.dead',
    type: 'hashboard',
    bad: boards(() => ({ hashrateHs: 0 })),
    blind: strip('hashrateHs', 'isAlive'),
    evidence: { value: 0, source: 'boards[1].hashrateHs', severity: 'critical' },
  },
  {
    id: 'hashboard.dead',
    type: 'hashboard',
    bad: boards(() => ({ isAlive: false })),
    blind: strip('hashrateHs', 'isAlive'),
    evidence: { value: 'dead', source: 'boards[1].isAlive', severity: 'critical' },
  },
  {
    id: 'hashboard.chips',
    type: 'hashboard',
    bad: boards(() => ({ chips: 113 })),
    blind: strip('chips'),
    evidence: { value: 113, limit: 114, source: 'boards[1].chips', severity: 'minor' },
  },
  {
    id: 'hashboard.chips',
    type: 'hashboard',
    bad: boards(() => ({ chips: 60 })),
    blind: strip('chips'),
    evidence: { value: 60, limit: 114, source: 'boards[1].chips', severity: 'major' },
  },
  {
    id: 'hashboard.bad-chips',
    type: 'hashboard',
    bad: boards(() => ({ badChips: 3 })),
    blind: strip('badChips'),
    evidence: { value: 3, limit: 0, source: 'boards[1].badChips', severity: 'minor' },
  },
  {
    id: 'network.duplicate-mac',
    type: 'network',
    bad: same,
    context: { macState: 'duplicate', macTwins: '10.0.0.5 and 10.0.0.9 (Antminer S19)' },
    evidence: {
      ...{ value: 'AA:00:00:00:00:01', source: 'mac', severity: 'major' },
      message: '10.0.0.5 and 10.0.0.9 (Antminer S19) show the same MAC address',
    },
  },
  {
    id: 'network.duplicate-serial',
    type: 'network',
    bad: same,
    context: { serialState: 'duplicate', serialTwins: '10.0.0.5 and 10.0.0.9 (Antminer S19)' },
    evidence: {
      ...{ source: 'serialNumber', severity: 'minor' },
      message: '10.0.0.5 and 10.0.0.9 (Antminer S19) show the same serial number',
    },
  },
  {
    id: 'firmware.not-allowed',
    type: 'firmware',
    settings: { firmware: { allowed: ['FR-1.12', 'FR-1.13'] } },
    bad: put({ firmwareVersion: 'FR-1.09' }),
    blind: put({ firmwareVersion: undefined }),
    evidence: { value: 'FR-1.09', limit: 'FR-1.12, FR-1.13', source: 'firmwareVersion', severity: 'minor' },
  },
  {
    id: 'unknown.unparsable',
    type: 'unknown',
    bad: same,
    more: { unparsable: ['stats', 'pools'] },
    evidence: { value: 'stats, pools', source: 'replies', severity: 'minor' },
  },
  {
    id: 'unknown.login',
    type: 'unknown',
    bad: same,
    more: { loginRefused: true },
    evidence: { source: 'login', severity: 'minor' },
  },
  {
    id: 'unknown.implausible',
    type: 'unknown',
    bad: put({ hashrateHs: 110e15 }),
    evidence: { value: 110e15, limit: 330e12, source: 'hashrateHs', severity: 'major' },
  },
  {
    id: 'low-hashrate.low',
    type: 'low_hashrate',
    bad: put({ hashrateSettledHs: 80e12 }),
    blind: put({ hashrateHs: undefined, hashrateSettledHs: undefined }),
    evidence: { value: 80e12, limit: 82.5e12, source: 'hashrateSettledHs', severity: 'major' },
  },
  {
    id: 'pool.none-set',
    type: 'pool',
    bad: put({ pools: [], hashrateHs: undefined, hashrateSettledHs: undefined, isMining: false }),
    blind: put({ pools: undefined, hashrateHs: undefined, hashrateSettledHs: undefined, isMining: false }),
    evidence: { value: 0, limit: 1, source: 'pools', severity: 'critical' },
  },
  {
    id: 'pool.all-dead',
    type: 'pool',
    bad: pool({ isAlive: false }),
    blind: put({ pools: undefined }),
    evidence: { value: 0, limit: 1, source: 'pools.isAlive', severity: 'critical' },
  },
  {
    id: 'pool.first-dead',
    type: 'pool',
    bad: (reading) => put({ pools: withBackup(reading, { isAlive: false, isActive: false }) })(reading),
    blind: put({ pools: undefined }),
    evidence: {
      ...{ value: 'eu.pool.example:3333', source: 'pools[0].isAlive', severity: 'minor' },
      message: 'its first pool eu.pool.example:3333 is dead; backup.example:443 is alive',
    },
  },
  {
    id: 'pool.lock',
    type: 'pool',
    bad: same,
    context: { poolTrouble: 'the locked pools could not be set again in 3 attempts' },
    evidence: {
      value: null,
      limit: null,
      source: 'pools.lock',
      severity: 'critical',
    },
  },
  {
    id: 'pool.foreign',
    type: 'pool',
    settings: { pool: { allowedHosts: ['pool.example'] } },
    bad: pool({ url: 'stratum+tcp://u:secret@evil.example:25?pool.example' }),
    blind: put({ pools: undefined }),
    evidence: { value: 'evil.example', source: 'pools[0].url', severity: 'critical' },
  },
  vendor('fan', 'fan'),
  vendor('power', 'psu'),
  vendor('temperature', 'environment'),
  vendor('hashboard', 'eeprom'),
  vendor('network', 'network'),
  vendor('firmware', 'security'),
  vendor('unknown', 'unknown'),
  vendor('low_hashrate', 'performance'),
  vendor('control_board', 'integrity'),
  vendor('pool', 'pool'),
];

/** Tested where they belong: they judge movement, failed visits, or what was learned. */
const ELSEWHERE = [
  'power.above-habit',
  'hashboard.hw-errors',
  'network.contact',
  'network.address-changes',
  'network.losses',
  'unknown.answer',
  'unknown.frozen',
  'unknown.mining',
  'low-hashrate.none',
  'control-board.restarts',
  'pool.rejects',
  'pool.no-share',
];

test('every rule has a case, every case a rule', () => {
  expect(new Set([...ROWS.map((row) => row.id), ...ELSEWHERE])).toEqual(new Set(RULES.map((rule) => rule.id)));
  expect(new Set(RULES.map((rule) => rule.id)).size).toBe(RULES.length);
});

describe.each(ROWS.map((row) => ({ ...row, name: `${row.id} (${row.evidence.source})` })))('$name', (row) => {
  const settings = anomalySettingsSchema.parse(row.settings ?? {});
  const rule = RULES.find(({ id }) => id === row.id);
  const { raise, clear } = holdsOf(rule ?? row, settings);
  const pollsToRaise = Math.max(raise.polls, 1 + raise.time / 60_000);
  const condition = (bench: ReturnType<typeof createBench>) => bench.judgement?.conditions[row.id];
  const bench = () => {
    const it = createBench(settings);
    it.polls(5);
    expect(it.types()).toEqual([]);
    return it;
  };
  const raised = () => {
    const it = bench();
    it.polls(pollsToRaise, row.bad, row.context, row.more);
    return it;
  };

  test('raises after its hold, not before, with evidence', () => {
    const it = bench();
    const firstBad = it.minute;
    for (let poll = 1; poll < pollsToRaise; poll++) {
      it.poll(row.bad, row.context, row.more);
      expect(condition(it)?.isRaised).toBe(false);
      expect(it.types()).toEqual([]);
    }
    const { flags } = it.poll(row.bad, row.context, row.more);
    expect(it.types()).toEqual([row.type]);
    expect(it.flag(row.type)).toMatchObject(row.evidence);
    expect(flagSchema.safeParse(it.flag(row.type)).error).toBeUndefined();
    expect(Date.parse(it.flag(row.type)?.since ?? '')).toBe(Date.UTC(2026, 2, 1) + firstBad * 60_000);
    expect(it.poll(row.bad, row.context, row.more).flags.map(({ since }) => since)).toEqual([flags[0]?.since]);
  });

  test('clears after its own hold, not before', () => {
    const it = raised();
    for (let poll = 1; poll < clear.polls; poll++) {
      it.poll();
      expect(it.types()).toEqual([row.type]);
    }
    it.poll();
    expect(it.types()).toEqual([]);
  });

  test('a good poll in between starts the hold again', () => {
    const it = bench();
    for (let turn = 0; turn < 4; turn++) {
      for (let poll = 1; poll < pollsToRaise; poll++) it.poll(row.bad, row.context, row.more);
      it.poll();
    }
    expect(it.types()).toEqual([]);
  });

  const { blind } = row;
  if (blind !== undefined)
    test('missing data neither raises nor clears', () => {
      const never = createBench(settings);
      never.polls(40, blind);
      expect(never.types()).toEqual([]);
      const it = raised();
      it.polls(10, blind);
      expect(it.types()).toContain(row.type);
    });

  test('failed visits neither raise nor clear it', () => {
    const it = raised();
    for (let poll = 1; poll <= 3; poll++) it.fail(poll);
    expect(it.types()).toContain(row.type);
    expect(condition(it)?.isRaised).toBe(true);
  });

  test('survives a restart in the middle of its hold', () => {
    const it = bench();
    for (let poll = 1; poll <= pollsToRaise; poll++) {
      it.poll(row.bad, row.context, row.more);
      it.restart();
    }
    expect(it.types()).toEqual([row.type]);
  });
});

test('without a login a device may show another version: the firmware is not judged', () => {
  const it = createBench(anomalySettingsSchema.parse({ firmware: { allowed: ['FR-1.12'] } }));
  it.polls(5, put({ firmwareVersion: 'FR-1.09' }), undefined, { loginRefused: true });
  expect(it.types()).toEqual(['unknown']);
});
