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

function page(changes: readonly Change[], more: Partial<Changes> = {}, width: number | undefined = 80): string[] {
  const summary: Changes = {
    ...{
      from: at(2, 0),
      to: at(14, 0),
      flags_raised: 3,
      flags_cleared: 2,
      events: 9,
      events_left_out: 0,
      kinds: [],
    },
    changes: [...changes],
    ...more,
  };
  return changesText(summary, { farm: 'North', paint: plain, width }).split('\n');
}

test('begins with the farm and the span in local time, and ends with what did not happen', () => {
  const lines = page([change('open', 'fan 1 stands')]);
  expect(lines[0]).toBe('Changes of North');
  expect(lines[1]).toMatch(/^2026-11-23 02:00 to 2026-11-23 14:00, local time, UTC([+-]\d\d:\d\d)?$/);
  expect(lines[2]).toBe('3 flags raised, 2 cleared');
  expect(lines.slice(4, 6)).toEqual(['RAISED AND STILL OPEN (1)', '07:58  C03-04  10.31.3.45  fan 1 stands']);
  expect(lines.join(' ')).toContain('Nothing: raised and healed, raised before and healed, missing, back, new');
});

test('what began and ended has both times; those of another day have their day', () => {
  const healed = change('healed', 'fan 1 stands', { ended_at: at(8, 10) });
  expect(page([healed])[5]).toMatch(/^07:58–08:10 {2}C03-04/);
  expect(page([healed], { from: new Date(2026, 10, 22).toISOString() })[5]).toMatch(/^11-23 07:58–11-23 08:10 /);
});

test('a task has who wanted it, and below it who did not succeed; a name that is not checked is marked', () => {
  const task = change('task', 'miner.system.reboot, 2 tasks: 1 succeeded, 1 failed', {
    ...{ miner: null, by: KEY, unsuccessful: [{ miner: LOOSE, status: 'failed', message: 'no hashrate' }] },
  });
  const lines = page([task, change('note', 'fan 2 replaced', { by: ANNA })]);
  expect(lines.join('\n')).toMatch(/miner\.system\.reboot, 2 tasks: 1 succeeded, 1 failed +dashboard/);
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
