// Which boards of farms are kept: those of the last minute, so many and no more, and those that are streamed.
import { expect, it } from 'vitest';
import { createBoards } from '../../../../src/service/board/boards.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

function start() {
  const clock = createVirtualClock();
  const unread = () => Promise.reject(new Error('it is not to be read'));
  const store = {
    ...{ marks: unread, marksSince: unread, marksOf: unread, operatorText: unread, heard: unread },
    // biome-ignore lint/correctness/useYield: it is not to be read
    async *documents() {
      await unread();
    },
  };
  return { clock, boards: createBoards({ store, hasCopies: true, statusAt: () => 'online', clock }) };
}

it('keeps a board for a minute after the last request, and as long as it is streamed', async () => {
  const { clock, boards } = start();
  const [asked, streamed] = [boards.of('a'), boards.keep('b')];
  await clock.advance(59_000);
  expect(boards.of('a')).toBe(asked);
  await clock.advance(61_000);
  expect(boards.of('a')).not.toBe(asked);
  expect(boards.of('b')).toBe(streamed?.board);
  streamed?.release();
  await clock.advance(59_000);
  expect(boards.of('b')).toBe(streamed?.board);
  await clock.advance(61_000);
  expect(boards.of('b')).not.toBe(streamed?.board);
});

it('forgets the one that was not asked for longest, never one that is streamed, and streams so many and no more', () => {
  const { boards } = start();
  const streamed = Array.from({ length: 40 }, (_, n) => boards.keep(`s${n}`));
  expect(streamed).not.toContain(undefined);
  expect(boards.keep('one more')).toBeUndefined();
  const asked = Array.from({ length: 11 }, (_, n) => boards.of(`a${n}`));
  expect(streamed.map((one) => one?.board)).toEqual(streamed.map((_, n) => boards.of(`s${n}`)));
  expect(boards.of('a10')).toBe(asked[10]);
  expect(boards.of('a0')).not.toBe(asked[0]);
  streamed[0]?.release();
  expect(boards.keep('one more')).toBeDefined();
});
