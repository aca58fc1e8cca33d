// A family whose older devices lack a whole API: what is asked once it is known, and that the API is asked for again
// later.
import { expect, test } from 'vitest';
import { defineDriver, tcp } from '../../../src/driver/kit/index.ts';
import { VisitMemory } from '../../../src/driver/visit/memory.ts';
import { visit } from '../../../src/driver/visit/visit.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { fakeLink, peerError } from './fake-link.ts';

const driver = defineDriver({
  id: 'toy',
  make: 'Toy',
  covers: [],
  asks: {
    lead: { every: 'poll', ...tcp('lead') },
    boards: { every: 'poll', ...tcp('boards'), goesWith: 'lead' },
    names: { every: 'static', ...tcp('names'), goesWith: 'lead' },
    older: { every: 'poll', ...tcp('older'), insteadOf: 'lead' },
    olderBoards: { every: 'poll', ...tcp('olderBoards'), insteadOf: 'boards', goesWith: 'older' },
    oldest: { every: 'poll', ...tcp('oldest'), insteadOf: 'older' },
  },
  identify: () => undefined,
  read: ({ lead, older, oldest }) => ({
    hashrateHs: [lead, older, oldest].map((answer) => answer.number('hashrate')).find((rate) => rate !== undefined),
  }),
});

function device(script: Record<string, unknown>) {
  const clock = createVirtualClock();
  const link = fakeLink(clock, script);
  const memory = new VisitMemory();
  const rhythms = { slowMs: 300_000, staticMs: 3_600_000 };
  return {
    clock,
    link,
    async asked(): Promise<string[]> {
      link.asked.length = 0;
      await clock.finish(visit({ driver, link, known: {}, memory, rhythms, clock, deadlineMs: 10_000 }));
      return [...link.asked];
    },
  };
}
const unknown = peerError('peer.unsupported', 'never');

test('a device with the newest API is asked for that alone', async () => {
  const { asked } = device({ lead: { hashrate: 1 }, boards: {}, names: {} });
  expect(await asked()).toEqual(['lead', 'boards', 'names']);
  expect(await asked()).toEqual(['lead', 'boards']);
});

test('an older one is asked for everything once, then for what it has', async () => {
  const { asked, clock } = device({
    lead: unknown,
    boards: unknown,
    names: unknown,
    older: { hashrate: 2 },
    olderBoards: {},
  });
  expect(await asked()).toEqual(['lead', 'boards', 'names', 'older', 'olderBoards']);
  await clock.advance(60_000);
  expect(await asked()).toEqual(['older', 'olderBoards']);
  await clock.advance(400_000);
  expect(await asked()).toEqual(expect.arrayContaining(['lead', 'older', 'olderBoards']));
});

test('the oldest is not asked for the one between either', async () => {
  const { asked, clock } = device({
    lead: unknown,
    boards: unknown,
    names: unknown,
    older: unknown,
    olderBoards: unknown,
    oldest: { hashrate: 3 },
  });
  await asked();
  await clock.advance(60_000);
  expect(await asked()).toEqual(['oldest']);
});

test('a lead that is only late leaves its followers alone to answer', async () => {
  const { asked } = device({ lead: peerError('peer.timeout', 'soon'), boards: {}, names: {}, older: { hashrate: 2 } });
  expect(await asked()).toEqual(['lead', 'boards', 'names', 'older']);
  expect(await asked()).toEqual(['lead', 'boards', 'older']);
});
