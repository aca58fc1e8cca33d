// The page of a shift: a part for each kind, who did what, local time, and no line wider than the page.
import measure from 'fast-string-truncated-width';
import { expect, test } from 'vitest';
import { type Changes, changesText } from '../../../../src/cli/fleet/changes/changes-text.ts';

const plain = (_: unknown, text: string) => text;
const at = (hour: number, minute: number) => new Date(2026, 10, 23, hour, minute).toISOString();
const FAN = { id: 'b', ip: '10.31.3.45', mac: null, model: 'S19 Pro', rack: 'C03', position: 4 };
const LOOSE = { id: 'a', ip: '10.31.3.9', mac: null, model: null, rack: null, position: null };

type Change = Changes['changes'][number];
const change = (kind: Change['kind'], text: string, more: Partial<Change> = {}): Change => ({
  ...{ kind, text, at: at(7, 58), ended_at: null, miner: FAN, agent_id: null, evidence: {}, by: null },
  unsuccessful: [],
  ...more,
});

const ANNA = { type: 'user' as const, id: 'host:anna', name: 'anna', via: 'control-socket' };
const KEY = { type: 'api_key' as const, id: 'k', name: 'dashboard' };

function page(changes: readonly Change[], more: Partial<Changes> = {}, lines?: number): string[] {
  const summary: Changes = {
    ...{
      from: at(2, 0),
      to: at(14, 0),
      flags_raised: 3,
      flags_cleared: 2,
      events: 9,
      events_left_out: 0,
      miners_left_out: 0,
      kinds: [],
    },
    changes: [...changes],
    ...more,
  };
  return changesText(summary, { farm: 'North', paint: plain, width: 80, ...(lines && { lines }) }).split('\n');
}

test('begins with the farm and the span in local time, and ends with what did not happen', () => {
  const lines = page([change('open', 'fan 1 stands')]);
  expect(lines[0]).toBe('Changes of North');
  expect(lines[1]).toMatch(/^2026-11-23 02:00 to 2026-11-23 14:00, local time, UTC([+-]\d\d:\d\d)?$/);
  expect(lines[2]).toBe('3 flags raised, 2 cleared');
  expect(lines.slice(4, 6)).toEqual(['RAISED AND STILL OPEN (1)', '07:58  C03-04  10.31.3.45  fan 1 stands']);
  expect(lines.join(' ')).toContain('Nothing: raised before and still open, raised and healed,');
});

test('what began and ended has both times; those of another day have their day', () => {
  const healed = change('healed', 'fan 1 stands', { ended_at: at(8, 10) });
  expect(page([healed])[5]).toMatch(/^07:58–08:10 {2}C03-04/);
  expect(page([healed], { from: new Date(2026, 10, 22).toISOString() })[5]).toMatch(/^11-23 07:58–11-23 08:10 /);
});

test('a task has who wanted it, and below it who did not succeed; a name that is not checked is marked', () => {
  const task = change('task', 'reboot, 2 tasks: 1 succeeded, 1 failed', {
    ...{ miner: null, by: KEY, unsuccessful: [{ miner: LOOSE, status: 'failed', message: 'no hashrate' }] },
  });
  const lines = page([task, change('note', 'fan 2 replaced', { by: ANNA })]);
  expect(lines.join('\n')).toMatch(/reboot, 2 tasks: 1 succeeded, 1 failed +dashboard/);
  expect(lines.join('\n')).toMatch(/10\.31\.3\.9 +failed: no hashrate/);
  expect(lines.join('\n')).toMatch(/fan 2 replaced +anna \(host\)/);
  expect(lines.at(-2)).toMatch(/^\(host\) = /);
});

test('times in texts are those of this host', () => {
  expect(page([change('missing', `has not answered since ${at(6, 12)}`)])[5]).toContain(
    'has not answered since 2026-11-23 06:12',
  );
});

test('no line is wider than the page, and what is left out is counted', () => {
  const long = change('open', `board 2: ${'0 of 108 chips, '.repeat(12)}`, { miner: LOOSE });
  const lines = page([long], { kinds: [{ kind: 'open', count: 300, left_out: 299 }] });
  expect(lines.filter((line) => measure(line).width > 80)).toEqual([]);
  expect(lines).toContain('RAISED AND STILL OPEN (the newest 1 of 300)');
});

test('what was there before has its day, the first of it, and where all of it is listed', () => {
  const old = Array.from({ length: 60 }, () => change('still_open', 'fan 1 stands', { at: at(1, 5) }));
  const kinds = [{ kind: 'still_open' as const, count: 90, left_out: 30 }];
  const lines = page([...old, change('still_missing', 'has not answered')], { kinds, miners_left_out: 7 });
  const first = lines.indexOf('RAISED BEFORE AND STILL OPEN (the worst 50 of 90; all: pithead miners --ill)');
  expect(lines[first + 1]).toBe('11-23 01:05  C03-04  10.31.3.45  fan 1 stands');
  expect(lines.indexOf('')).toBeLessThan(first);
  expect(lines.slice(first + 1).findIndex((line) => !line.startsWith('11-23'))).toBe(50);
  expect(lines).toContain('MISSING SINCE BEFORE (1)');
  expect(lines).toContain('7 miners with a flag were too many to look at');
});

test('on a page of paper what was there before is shortened until it fits, to five of a kind at least', () => {
  const many = (kind: Change['kind'], count: number) => Array.from({ length: count }, () => change(kind, 'fan 1'));
  const shift = [...many('note', 10), ...many('still_open', 80), ...many('still_missing', 80)];
  const lines = page(shift, {}, 66);
  expect(lines.length - 1).toBeLessThanOrEqual(66);
  expect(lines.length - 1).toBeGreaterThan(60);
  expect(lines.filter((line) => line.startsWith('07:58'))).toHaveLength(10);
  const full = page([...many('note', 70), ...many('still_open', 80)], {}, 66);
  expect(full.join('\n')).toContain('(the worst 5 of 80;');
  expect(full.filter((line) => line.startsWith('07:58'))).toHaveLength(70);
});
