// Who may import whom: the rooms of DESIGN section 1. A room that is not in the table may not exist.
import { expect, test } from 'vitest';
import { type Import, importsOf, sources } from './sources.ts';

/** The room of a file: an organ or a service room is a room of its own; files directly in agent/ and service/ compose. */
function roomOf(path: string): string {
  const parts = path.split('/');
  const [top, second, third] = parts;
  if (top === 'drivers') {
    if (parts.length === 2) return path.endsWith('.data.ts') ? 'drivers/data' : 'drivers/index';
    return second === '_families' ? 'drivers/_families' : `drivers/${second}`;
  }
  if (top !== 'src') return top ?? path;
  if (parts.length === 2) return 'main';
  if (second === 'agent' || second === 'service') return parts.length === 3 ? second : `${second}/${third}`;
  return second ?? path;
}

const BELOW_ORGANS = ['base', 'model', 'wire', 'transport', 'driver'];

/** Rooms that `room` may import, its own aside. */
function allowed(room: string): (target: string) => boolean {
  const oneOf =
    (...rooms: string[]) =>
    (target: string) =>
      rooms.includes(target);
  switch (room) {
    case 'base':
      return () => false;
    case 'model':
      return oneOf('base');
    case 'update':
      return oneOf('base', 'model');
    case 'wire':
    case 'transport':
      return oneOf('base', 'model');
    case 'driver':
      return oneOf('base', 'model', 'wire', 'transport');
    case 'drivers/data':
      return oneOf('base', 'model');
    case 'drivers/_families':
      return oneOf('base', 'model', 'driver', 'drivers/data');
    case 'drivers/index':
      return (target) => target === 'driver' || target.startsWith('drivers/');
    case 'agent':
      return (target) => [...BELOW_ORGANS, 'update', 'drivers/index'].includes(target) || target.startsWith('agent/');
    case 'service':
      return (target) => BELOW_ORGANS.includes(target) || target.startsWith('service/');
    case 'cli':
      return (target) => ['base', 'model', 'update', 'agent', 'service', 'fixtures'].includes(target);
    case 'main':
      return oneOf('base', 'cli');
    case 'fixtures':
      return oneOf('base', 'model', 'transport');
    case 'page':
      return oneOf('base', 'model', 'wire');
    default:
      if (room.startsWith('drivers/')) return oneOf('base', 'model', 'driver', 'drivers/_families', 'drivers/data');
      if (room.startsWith('agent/')) return (target) => BELOW_ORGANS.includes(target);
      // Rooms of the service meet at the store's interface.
      if (room.startsWith('service/'))
        return (target) => BELOW_ORGANS.includes(target) || target === 'service/store' || target === 'service/auth';
      return () => false;
  }
}

const all = sources('src', 'drivers', 'fixtures').flatMap(importsOf);
const isOurs = ({ to }: Pick<Import, 'to'>) => /^(src|drivers|fixtures|test|packaging)\//.test(to);

test('a room imports only what lies below it', () => {
  const wrong = all
    .filter(isOurs)
    .filter(({ from, to }) => roomOf(from) !== roomOf(to) && !allowed(roomOf(from))(roomOf(to)))
    .map(({ from, to }) => `${from} (${roomOf(from)}) imports ${to} (${roomOf(to)})`);
  expect(wrong).toEqual([]);
});

test('driver/ sees the types of transport and nothing else of it', () => {
  const wrong = all.filter(
    ({ from, to, isTypeOnly }) => roomOf(from) === 'driver' && roomOf(to) === 'transport' && !isTypeOnly,
  );
  expect(wrong).toEqual([]);
});

test('only the demo brings the simulated farm into the command line', () => {
  const wrong = all.filter(
    ({ from, to }) => from.startsWith('src/') && to.startsWith('fixtures/') && from !== 'src/cli/demo-farm.ts',
  );
  expect(wrong).toEqual([]);
});

test('drivers do no I/O: no node modules, no network or log libraries', () => {
  const wrong = all.filter(({ from, to }) => from.startsWith('drivers/') && !isOurs({ to }) && to !== 'zod');
  expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
});

test('model/ does no I/O', () => {
  const wrong = all.filter(({ from, to }) => from.startsWith('src/model/') && !isOurs({ to }) && to !== 'zod');
  expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
});

test('nothing outside test/ imports test/', () => {
  expect(all.filter(({ to }) => to.startsWith('test/'))).toEqual([]);
});

test('an agent that runs alone has loaded no service, no simulated farm and no command but its own', () => {
  const loaded = new Set(['src/main.ts', 'src/cli/up.ts', 'src/cli/admin/agent.ts', 'src/agent/agent.ts']);
  for (const path of loaded)
    for (const { from, to, isTypeOnly, isLazy } of all) if (from === path && !isTypeOnly && !isLazy) loaded.add(to);
  expect([...loaded].filter((path) => /^(src\/service|fixtures)\/|^(kysely|pg|@clack\/prompts)$/.test(path))).toEqual(
    [],
  );
  expect(loaded.size).toBeGreaterThan(100);
});
