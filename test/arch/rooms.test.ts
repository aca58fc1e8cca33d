// Folders stay small enough to see at a glance, and the rules that hold them find what they look for.
import { expect, test } from 'vitest';
import { crowded, mayImport, overfull, PICTURE_CAPS, pictureOf, roomOf } from './rooms.ts';
import { type Source, sources } from './sources.ts';

test('no folder has more files at its root than a stranger can take in', () => {
  expect(crowded(sources('src'))).toEqual([]);
});

test.each(Object.keys(PICTURE_CAPS))('the picture of %s has few rooms and few arrows', (folder) => {
  expect(overfull(folder, pictureOf(folder, sources(folder)))).toEqual([]);
});

const source = (path: string, ...lines: string[]): Source => ({ path, text: lines.join('\n'), lines });

test('a picture counts files and lines of each room, and each pair of rooms once', () => {
  const picture = pictureOf('src/agent', [
    source('src/agent/agent.ts', "import { a } from './poll/a.ts';", "import type { b } from './poll/b.ts';", ''),
    source('src/agent/poll/a.ts', "import { b } from './b.ts';", "import { c } from '../../base/c.ts';", ''),
    source('src/agent/poll/b.ts', ''),
    source('src/cli/up.ts', "import { agent } from '../agent/agent.ts';", ''),
  ]);
  expect(picture).toEqual({
    rooms: [
      { name: 'agent.ts', files: 1, lines: 2 },
      { name: 'poll', files: 2, lines: 2 },
    ],
    arrows: [{ from: 'agent.ts', to: 'poll' }],
  });
});

test('too many rooms, arrows and files are told', () => {
  const rooms = Array.from({ length: 21 }, (_, i) => ({ name: `room-${i}`, files: 1, lines: 1 }));
  const arrows = rooms.flatMap(({ name }) => rooms.slice(0, 4).map((to) => ({ from: name, to: to.name })));
  expect(overfull('src/agent', { rooms, arrows })).toEqual([
    'src/agent has 21 rooms, at most 20 are allowed',
    'src/agent has 84 arrows, at most 70 are allowed',
  ]);
  expect(overfull('src/cli', { rooms, arrows })).toEqual([]);
  const files = (folder: string, count: number) =>
    Array.from({ length: count }, (_, i) => source(`${folder}/file-${i}.ts`));
  expect(crowded([...files('src/a', 11), ...files('src/b', 10), ...files('src/service/store', 15)])).toEqual([
    'src/a: 11 files, at most 10',
  ]);
  expect(crowded(files('src/agent/fleet/anomaly/rules', 16))).toHaveLength(1);
});

test.each([
  ['src/agent/poll/poller.ts', 'src/agent/fleet/fleet.ts', true],
  ['src/agent/fleet/fleet.ts', 'src/agent/poll/poller.ts', false],
  ['src/agent/poll/poller.ts', 'src/agent/scan/scan.ts', false],
  ['src/agent/tasks/kinds/update.ts', 'src/update/notes.ts', true],
  ['src/agent/scan/scan.ts', 'src/agent/config/config.ts', false],
  ['src/agent/agent.ts', 'src/service/service.ts', false],
  ['src/service/store/store.ts', 'src/service/auth/secrets.ts', false],
  ['src/service/ingest/uplink.ts', 'src/service/auth/secrets.ts', true],
  ['src/service/ingest/uplink.ts', 'src/service/tasks/plan.ts', false],
  ['src/service/http/server.ts', 'src/service/tasks/plan.ts', true],
  ['src/service/tasks/plan.ts', 'src/service/http/server.ts', false],
  ['src/transport/request.ts', 'src/driver/visit/visit.ts', false],
  ['drivers/avalon/index.ts', 'src/driver/contract.ts', true],
  ['drivers/avalon/index.ts', 'src/transport/request.ts', false],
  ['drivers/avalon/index.ts', 'drivers/hiveon/read.ts', false],
  ['drivers/avalon/index.ts', 'drivers/avalon/farm.ts', false],
  ['drivers/avalon/index.ts', 'drivers/_farm/device.ts', false],
  ['drivers/avalon/farm-old.ts', 'drivers/_farm/device.ts', true],
  ['drivers/avalon/farm-old.ts', 'drivers/hiveon/farm.ts', false],
  ['drivers/avalon/farm.ts', 'drivers/avalon/read.ts', false],
  ['drivers/index.ts', 'drivers/avalon/farm.ts', false],
  ['drivers/farm-index.ts', 'drivers/avalon/farm.ts', true],
  ['fixtures/farm/mix.ts', 'drivers/farm-index.ts', true],
  ['src/agent/modules.ts', 'drivers/farm-index.ts', false],
  ['src/agent/nowhere/x.ts', 'src/base/errors.ts', false],
  ['src/agent/agent.ts', 'src/agent/config/config.ts', true],
  ['src/agent/agent.ts', 'src/agent/standalone/scan.ts', false],
  ['src/agent/nowhere/x.ts', 'src/agent/host/host.ts', false],
])('%s may import %s: %s', (from, to, isAllowed) => {
  expect(mayImport(roomOf(from), roomOf(to))).toBe(isAllowed);
});
