// A login that a person has entered: kept while it is tried, forgotten where it was not accepted, and no password that
// a task has set is lost by it.
import { expect, test } from 'vitest';
import { GivenLogins } from '../../../../../src/agent/device/passwords/given-logins.ts';
import type { KeptPassword } from '../../../../../src/agent/device/passwords/kept-password.ts';

const IP = '10.0.0.7';
const LOGIN = { user: 'root', password: 'the-right-one' };
const SET: KeptPassword = { user: 'root', current: 'set-by-a-task', isSet: true, next: null };

type Said = { readonly role: 'next' | 'current' | 'usual'; readonly isTaken: boolean };

function setUp({ hasKey = true, before }: { hasKey?: boolean; before?: KeptPassword } = {}) {
  const rows = new Map<string, KeptPassword>(before === undefined ? [] : [['mac:A', before]]);
  const said = new Map<string, Said>();
  const forgotten: string[] = [];
  const given = new GivenLogins({
    rows: {
      hasKey,
      of(names) {
        const name = names.find((one) => rows.has(one));
        const kept = rows.get(name ?? '');
        return name === undefined || kept === undefined ? undefined : { name, kept, stamp: JSON.stringify(kept) };
      },
      replace(found, name, kept) {
        if (JSON.stringify(rows.get(found?.name ?? name)) !== found?.stamp) return false;
        if (kept === undefined) rows.delete(name);
        else rows.set(name, kept);
        return true;
      },
      all: () => [],
    },
    kept: { lastSaid: ({ name }) => said.get(name), forgetSaid: (name) => void said.delete(name) },
    trust: { keptAs: () => ['mac:A', `ip:${IP}`] },
    trials: { forget: (_, { user }, role) => void forgotten.push(`${user} ${role}`) },
    keyFile: () => '/etc/pithead.key',
  });
  const begin = (login = LOGIN) => given.begin(IP, login, [{ id: 'test' }]);
  const mustBegin = () => {
    const trial = begin();
    if (typeof trial === 'string') throw new Error(trial);
    return trial;
  };
  return { given, rows, said, forgotten, begin, mustBegin };
}

test('one that is accepted stays, and what was refused before may be tried once more', () => {
  const { given, rows, said, forgotten, mustBegin } = setUp();
  const trial = mustBegin();
  expect(rows.get('mac:A')).toEqual({ user: 'root', current: LOGIN.password, isSet: true, next: null });
  expect(forgotten).toEqual(['root next', 'root current']);
  said.set('mac:A', { role: 'current', isTaken: true });
  expect(given.end(trial)).toBe('taken');
  expect(rows.get('mac:A')?.current).toBe(LOGIN.password);
});

test.each<[string, Said | undefined, string]>([
  ['refused', { role: 'current', isTaken: false }, 'refused'],
  ['refused, and another one accepted', { role: 'usual', isTaken: true }, 'refused'],
  ['never sent', undefined, 'untried'],
])('one that was %s is forgotten', (_, answer, shown) => {
  const { given, rows, said, mustBegin } = setUp();
  const trial = mustBegin();
  if (answer !== undefined) said.set('mac:A', answer);
  expect(given.end(trial)).toBe(shown);
  expect(rows.size).toBe(0);
});

test('a password that a task has set is tried too, and is back where the new one was refused', () => {
  const { given, rows, said, mustBegin } = setUp({ before: SET });
  const trial = mustBegin();
  expect(rows.get('mac:A')).toEqual({ ...SET, next: LOGIN.password });
  said.set('mac:A', { role: 'next', isTaken: false });
  expect(given.end(trial)).toBe('refused');
  expect(rows.get('mac:A')).toEqual(SET);
});

test('what has changed meanwhile is left alone', () => {
  const { given, rows, said, mustBegin } = setUp({ before: SET });
  const trial = mustBegin();
  const other = { ...SET, current: 'of-another-task' };
  rows.set('mac:A', other);
  said.set('mac:A', { role: 'next', isTaken: false });
  expect(given.end(trial)).toBe('refused');
  expect(rows.get('mac:A')).toEqual(other);
});

test('nothing is begun for another user than the one of a password that a task has set, or while a change is open', () => {
  const user = setUp({ before: SET });
  expect(user.begin({ ...LOGIN, user: 'admin' })).toContain('enter that user');
  const open = setUp({ before: { ...SET, next: 'open' } });
  expect(open.begin()).toContain('still open');
  expect([user.rows.get('mac:A'), open.rows.get('mac:A')?.next]).toEqual([SET, 'open']);
});

test('without a key none can be kept', () => {
  expect(setUp({ hasKey: false }).given.whyNot).toContain('/etc/pithead.key holds no key');
  expect(setUp().given.whyNot).toBeUndefined();
});
