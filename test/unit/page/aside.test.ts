// Lines that a person has put aside come back when there is new work behind them, or tomorrow.
import { describe, expect, it } from 'vitest';
import { createKept } from '../../../src/page/kept.ts';
import type { WorkLine } from '../../../src/page/model/causes.ts';
import { createAside } from '../../../src/page/screens/now/aside.ts';

const NOW = new Date(2026, 5, 10, 15, 0).getTime();
const HOUR = 3_600_000;

function createStore() {
  const texts = new Map<string, string>();
  return {
    texts,
    getItem: (name: string) => texts.get(name) ?? null,
    setItem: (name: string, text: string) => void texts.set(name, text),
    removeItem: (name: string) => void texts.delete(name),
  };
}

const line = (with_: Partial<WorkLine> = {}): WorkLine => ({
  ...{ key: 'k', cause: 'fan', place: { container: 'C1', rack: 'C1-01' }, isWholeContainer: false, isUnplaced: false },
  ...{ pool: null, count: 3, sinceMs: NOW - 9 * HOUR, newestMs: NOW - HOUR, message: null },
  ...with_,
});
const aside = () => createAside(createKept(createStore()), 'f');

describe('done', () => {
  const done = aside().mark(line(), 'done', NOW);

  it('hides the line while it is the same work or less, for days', () => {
    expect(done.isAside(line(), NOW)).toBe(true);
    expect(done.isAside(line({ count: 1 }), NOW + 72 * HOUR)).toBe(true);
    expect(done.isAside(line({ sinceMs: null, newestMs: null }), NOW)).toBe(true);
  });

  it('shows it with one miner more', () => {
    expect(done.isAside(line({ count: 4 }), NOW)).toBe(false);
  });

  it('shows it with a miner that has it since then, also when others are well again', () => {
    expect(done.isAside(line({ count: 2, newestMs: NOW + 1 }), NOW + HOUR)).toBe(false);
  });

  it('says nothing of other lines', () => {
    expect(done.isAside(line({ key: 'other' }), NOW)).toBe(false);
  });
});

it('not today hides it until midnight, whatever comes', () => {
  const later = aside().mark(line(), 'notToday', NOW);
  expect(later.isAside(line({ count: 9, newestMs: NOW + 1 }), NOW + 8 * HOUR)).toBe(true);
  expect(later.isAside(line(), NOW + 10 * HOUR)).toBe(false);
});

it('what is shown again is no longer aside', () => {
  expect(aside().mark(line(), 'done', NOW).mark(line(), 'back', NOW).isAside(line(), NOW)).toBe(false);
});

it('is kept on the device, for each farm', () => {
  const kept = createKept(createStore());
  createAside(kept, 'a').mark(line(), 'done', NOW);
  expect(createAside(kept, 'a').isAside(line(), NOW)).toBe(true);
  expect(createAside(kept, 'b').isAside(line(), NOW)).toBe(false);
});

it('keeps the newest two hundred', () => {
  let marks = aside();
  for (let n = 0; n <= 200; n++) marks = marks.mark(line({ key: `["fan",${n}]` }), 'done', NOW);
  expect(marks.isAside(line({ key: '["fan",0]' }), NOW)).toBe(false);
  expect(marks.isAside(line({ key: '["fan",1]' }), NOW)).toBe(true);
  expect(marks.isAside(line({ key: '["fan",200]' }), NOW)).toBe(true);
});

it.each(['{', 'null', '7', '"text"', '{"k":null}', '{"k":7}', '{"k":{"how":"done"}}', '[1]'])(
  'what a device has kept wrongly (%s) hides nothing and breaks nothing',
  (text) => {
    const store = createStore();
    store.texts.set('pithead.aside.f', text);
    const read = createAside(createKept(store), 'f');
    expect(read.isAside(line(), NOW)).toBe(false);
    expect(read.mark(line(), 'done', NOW).isAside(line(), NOW)).toBe(true);
  },
);

it('a browser that keeps nothing works until it is closed', () => {
  const refuse = () => {
    throw new Error('denied');
  };
  const kept = createKept({ getItem: refuse, setItem: refuse, removeItem: refuse });
  expect(createAside(kept, 'f').mark(line(), 'done', NOW).isAside(line(), NOW)).toBe(true);
});
