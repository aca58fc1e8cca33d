// What the service makes of errors of its database: SQLite calls a page damaged that the disk refused to read, and that
// costs nobody a database.
import { expect, test } from 'vitest';
import { SQLITE } from '../../../../../src/base/storage/sqlite.ts';
import { createFaultWatch } from '../../../../../src/service/store/sqlite/storage-watch.ts';

const corrupt = Object.assign(new Error('database disk image is malformed'), { errcode: SQLITE.corrupt });

function newWatch() {
  const disk = { reads: true, isInPlace: true, writes: 0 };
  const file = { isInPlace: () => disk.isInPlace, canBeRead: async () => disk.reads };
  const watch = createFaultWatch('/', file, async () => void disk.writes++);
  return { disk, watch, storage: watch.storage };
}

test.each(['onWriter', 'onReader'] as const)(
  'a disk that reads nothing for a while damages nothing (%s)',
  async (heard) => {
    const { disk, watch, storage } = newWatch();
    disk.reads = false;
    for (let look = 0; look < 5; look++) {
      watch[heard](corrupt);
      await storage.probe();
      expect([storage.fault(), storage.damaged.aborted]).toEqual(['the disk does not answer', false]);
    }
    expect(disk.writes).toBe(0);
    disk.reads = true;
    await storage.probe();
    expect([storage.fault(), storage.damaged.aborted]).toEqual([undefined, false]);
  },
);

test('what is wrong with a page after the disk has read the whole file is damage', async () => {
  const { watch, storage } = newWatch();
  watch.onWriter(corrupt);
  await storage.probe();
  expect([storage.fault(), storage.damaged.aborted]).toEqual([undefined, false]);
  watch.onReader(corrupt);
  expect([storage.fault(), storage.damaged.aborted]).toEqual(['the file is damaged', true]);
});

test('a file that is no longer where it was opened keeps nothing, until it is there again', async () => {
  const { disk, storage } = newWatch();
  await storage.probe();
  expect(storage.fault()).toBeUndefined();
  disk.isInPlace = false;
  await storage.probe();
  expect(storage.fault()).toBe('the file is not where it was opened');
  disk.isInPlace = true;
  await storage.probe();
  expect(storage.fault()).toBeUndefined();
});
