// Who may import whom, and what some rooms may not load.
import { expect, test } from 'vitest';
import { isFarm, mayImport, roomOf } from './rooms.ts';
import { type Import, importsOf, programSources } from './sources.ts';

const all = programSources('src', 'drivers', 'fixtures').flatMap(importsOf);
const isOurs = ({ to }: Pick<Import, 'to'>) => /^(src|drivers|fixtures|test|packaging)\//.test(to);

test('a room imports only what lies below it', () => {
  const wrong = all
    .filter(isOurs)
    .filter(({ from, to }) => roomOf(from) !== roomOf(to) && !mayImport(roomOf(from), roomOf(to)))
    .map(({ from, to }) => `${from} (${roomOf(from)}) imports ${to} (${roomOf(to)})`);
  expect(wrong).toEqual([]);
});

test('driver/ sees the types of transport and nothing else of it', () => {
  // A case is read from its files as the link reads it from the wire.
  const isCase = (from: string, to: string) =>
    from === 'src/driver/check/cases/case-file.ts' && to === 'src/transport/cgminer/json-fixer.ts';
  const wrong = all.filter(
    ({ from, to, isTypeOnly }) =>
      roomOf(from) === 'driver' && roomOf(to) === 'transport' && !isTypeOnly && !isCase(from, to),
  );
  expect(wrong).toEqual([]);
});

test('only the demo brings the simulated farm into the command line', () => {
  const wrong = all.filter(
    ({ from, to }) => from.startsWith('src/') && to.startsWith('fixtures/') && from !== 'src/cli/demo/demo-farm.ts',
  );
  expect(wrong).toEqual([]);
});

test('drivers do no I/O: no node modules, no network or log libraries', () => {
  const wrong = all.filter(
    ({ from, to }) => from.startsWith('drivers/') && !isFarm(roomOf(from)) && !isOurs({ to }) && to !== 'zod',
  );
  expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
});

test('model/ does no I/O', () => {
  const wrong = all.filter(({ from, to }) => from.startsWith('src/model/') && !isOurs({ to }) && to !== 'zod');
  expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
});

test('no file leads back to itself, not by types either', () => {
  const left = new Map<string, Set<string>>();
  for (const { path } of programSources('src', 'drivers', 'fixtures')) left.set(path, new Set());
  for (const { from, to } of all) if (left.has(to)) left.get(from)?.add(to);
  // A file that imports none of those left, or that none of them imports, is on no circle.
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const [path, targets] of left) if (![...targets].some((to) => left.has(to))) left.delete(path);
    const imported = new Set([...left.values()].flatMap((targets) => [...targets]));
    for (const path of left.keys()) if (!imported.has(path)) left.delete(path);
  }
  expect([...left.keys()]).toEqual([]);
});

test('nothing outside test/ imports test/', () => {
  expect(all.filter(({ to }) => to.startsWith('test/'))).toEqual([]);
});

test('a page of a browser can load what reads boards: it reaches no module of Node and no library', () => {
  const loaded = new Set(['src/wire/api/board/reader.ts']);
  for (const path of loaded)
    for (const { from, to, isTypeOnly } of all) if (from === path && !isTypeOnly) loaded.add(to);
  expect([...loaded].filter((to) => !isOurs({ to }))).toEqual([]);
  expect(loaded).toContain('src/wire/api/board/codec.ts');
});

test('an agent that runs alone has loaded no service, no simulated farm and no command but its own', () => {
  const loaded = new Set(['src/main.ts', 'src/cli/run/up.ts', 'src/cli/admin/agents.ts', 'src/agent/agent.ts']);
  for (const path of loaded)
    for (const { from, to, isTypeOnly, isLazy } of all) if (from === path && !isTypeOnly && !isLazy) loaded.add(to);
  expect(
    [...loaded].filter(
      (path) =>
        /^(src\/service|src\/agent\/standalone|fixtures)\/|^(kysely|pg|@clack\/prompts)$/.test(path) ||
        isFarm(roomOf(path)),
    ),
  ).toEqual([]);
  expect(loaded.size).toBeGreaterThan(100);
});
