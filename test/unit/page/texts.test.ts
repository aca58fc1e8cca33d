// Every language says everything that English says, and counts as its speakers do.
import { expect, test } from 'vitest';
import { loadTexts } from '../../../src/page/text/load.ts';
import { pluralsOf } from '../../../src/page/text/plural.ts';
import { ENGLISH, LANGUAGE_NAMES, LANGUAGES, languageOf, type Texts } from '../../../src/page/text/texts.ts';

type Given = number | string;
type Leaf = string | readonly string[] | ((...given: Given[]) => string);

/** Each text by its path, such as `now.mark.done`. */
function leavesOf(texts: unknown, path = ''): readonly (readonly [string, Leaf])[] {
  if (typeof texts === 'string' || Array.isArray(texts)) return [[path, texts]];
  if (typeof texts === 'function') return [[path, (...given) => String(Reflect.apply(texts, undefined, given))]];
  return Object.entries(Object(texts)).flatMap(([key, inner]) => leavesOf(inner, path === '' ? key : `${path}.${key}`));
}

const parametersOf = (texts: Texts, path: string): number => {
  const found: unknown = path.split('.').reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), texts);
  return typeof found === 'function' ? found.length : -1;
};
const englishLeaves = leavesOf(ENGLISH);
const FOREIGN = LANGUAGES.filter((language) => language !== 'en');
const kindOf = (leaf: Leaf) => (typeof leaf === 'object' ? `list of ${leaf.length}` : typeof leaf);

/** Commands, examples of addresses, and words of the trade that are the same there. */
const SAME_EVERYWHERE = [
  'login.command',
  'login.forgottenCommand',
  'scan.hint',
  'miner.fields.mac',
  'help.topics.postgres',
  'truth.noAgentCommand',
];
const SAME_IN: Readonly<Record<string, readonly string[]>> = {
  es: [
    ...['flag.firmware', 'flag.pool', 'list.sorts.hashrate', 'list.columns.hashrate', 'miner.sections.pools'],
    ...['hashrate', 'hashrate24h', 'chips', 'firmware', 'worker', 'pool'].map((name) => `miner.fields.${name}`),
    ...['people.roles', 'places.racks', 'walk.no', 'audit.subjects.pool_set', 'audit.subjects.webhook'],
    ...['act.pools', 'task.names.miner.pool.update', 'task.names.miner.firmware.update'],
    ...['pools.title', 'pools.worker', 'setAct.firmware'],
  ],
};

for (const language of FOREIGN) {
  test(`${language}: the keys, kinds and parameters of English`, async () => {
    const texts = await loadTexts(language);
    const kinds = (leaves: typeof englishLeaves) => leaves.map(([path, leaf]) => `${path}: ${kindOf(leaf)}`).toSorted();
    expect(kinds(leavesOf(texts))).toEqual(kinds(englishLeaves));
    const paths = englishLeaves.map(([path]) => path).filter((path) => !path.startsWith('task.names.'));
    const parameters = (of: Texts) => paths.map((path) => `${path}: ${parametersOf(of, path)}`);
    expect(parameters(texts)).toEqual(parameters(ENGLISH));
    expect(texts.name).toBe(LANGUAGE_NAMES[language]);
  });

  test(`${language}: no text is empty, and none is left in English`, async () => {
    const english = new Map(englishLeaves);
    const same = [...SAME_EVERYWHERE, ...(SAME_IN[language] ?? [])];
    const found: string[] = [];
    for (const [path, leaf] of leavesOf(await loadTexts(language))) {
      const [own, other] = [leaf, english.get(path)].map((one) => wordsOf(one ?? ''));
      own?.forEach((text, index) => {
        expect(text.trim(), path).not.toBe('');
        if (text === other?.[index]) found.push(path);
      });
    }
    expect(found.toSorted()).toEqual([...same].toSorted());
  });

  test(`${language}: keys of the keyboard are the same`, async () => {
    const keys = ({ keys: { list } }: Texts) => list.map((text) => text.split(' = ')[0]);
    const texts = await loadTexts(language);
    expect(keys(texts)).toEqual(keys(ENGLISH));
    for (const text of texts.keys.list) expect(text.split(' = ')).toHaveLength(2);
  });
}

/** The fixed texts of a leaf. */
function wordsOf(leaf: Leaf): readonly string[] {
  if (typeof leaf === 'string') return [leaf];
  return typeof leaf === 'object' ? leaf : [];
}

for (const language of LANGUAGES) {
  test(`${language}: what a text is given stands in it`, async () => {
    const number = new Intl.NumberFormat(language);
    for (const [path, leaf] of leavesOf(await loadTexts(language))) {
      if (typeof leaf !== 'function') continue;
      for (const count of [0, 1, 2, 5, 21, 1_000]) {
        const given = Array.from({ length: 4 }, (_, index) => count * 10 ** index);
        const used = parametersOf(await loadTexts(language), path);
        const text = leaf(...given);
        // What there is none of is left out of a summary.
        const shown = given.slice(0, path === 'task.summary' && count === 0 ? 1 : used);
        for (const value of shown) {
          const isIn = text.includes(String(value)) || text.includes(number.format(value));
          expect(isIn, `${path}(${given}): ${text}`).toBe(true);
        }
        expect(text, path).not.toMatch(/undefined|NaN|null|#/);
      }
    }
  });

  test(`${language}: a text with something in it says more than that`, async () => {
    for (const [path, leaf] of leavesOf(await loadTexts(language))) {
      if (typeof leaf !== 'function') continue;
      expect(leaf('7', '7', '7', '7').replaceAll('7', '').trim(), path).not.toBe('');
    }
  });
}

test.each([
  [0, '0 майнеров'],
  [1, '1 майнер'],
  [2, '2 майнера'],
  [4, '4 майнера'],
  [5, '5 майнеров'],
  [11, '11 майнеров'],
  [12, '12 майнеров'],
  [21, '21 майнер'],
  [22, '22 майнера'],
  [25, '25 майнеров'],
  [111, '111 майнеров'],
  [1_001, '1\u00a0001 майнер'],
])('Russian counts %d', async (count, text) => {
  expect((await loadTexts('ru')).miners(count)).toBe(text);
});

test('the verb of a Russian sentence goes with the number', async () => {
  const { task, list } = await loadTexts('ru');
  expect([1, 3, 7].map((count) => task.stopped(count))).toEqual([
    '1 задача остановлена',
    '3 задачи остановлены',
    '7 задач остановлено',
  ]);
  expect(list.moved(31)).toBe('31 майнер сместился: отсортировать');
});

test('other languages count in their forms', async () => {
  expect([0, 1, 2].map(ENGLISH.miners)).toEqual(['0 miners', '1 miner', '2 miners']);
  expect([0, 1, 2].map((await loadTexts('es')).miners)).toEqual(['0 mineros', '1 minero', '2 mineros']);
  expect([0, 1, 2].map((await loadTexts('zh')).miners)).toEqual(['0 台矿机', '1 台矿机', '2 台矿机']);
  expect(ENGLISH.miners(10_000)).toBe('10,000 miners');
});

test('a form that is not written is the one for any number', () => {
  expect(pluralsOf('ru')(3, { other: 'всего #' })).toBe('всего 3');
});

test('commands stay as they are typed', async () => {
  for (const language of LANGUAGES) {
    const { login, trust } = await loadTexts(language);
    expect(login.command).toBe('pithead people claim');
    expect(login.forgottenCommand).toBe('pithead people reset <name>');
    expect(trust.compare).toContain('pithead doctor');
  }
});

test('words for what is pressed on a phone are short', async () => {
  for (const language of LANGUAGES) {
    const { nav, act, common } = await loadTexts(language);
    for (const text of Object.values(nav)) expect(text.length, text).toBeLessThanOrEqual(9);
    const buttons = [act.light, act.lightOff, act.refresh, act.reboot, act.sleep, act.wake, act.log, act.pools];
    for (const text of [...buttons, common.cancel, common.undo, common.save, common.close])
      expect(text.length, text).toBeLessThanOrEqual(14);
  }
});

test.each([
  [['ru-RU', 'en'], 'ru'],
  [['de-DE', 'es-419', 'en'], 'es'],
  [['zh-Hans-CN'], 'zh'],
  [['ZH'], 'zh'],
  [['en-GB', 'ru'], 'en'],
  [['de', 'fr'], 'en'],
  [['rus'], 'en'],
  [[], 'en'],
] as const)('a browser that asks for %j reads %s', (wanted, language) => {
  expect(languageOf(wanted)).toBe(language);
});
