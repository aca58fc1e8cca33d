// A family whose older devices lack a whole API: what is asked once it is known, and that the API is asked for again
// later.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineDriver, reply } from '../../../src/driver/contract.ts';
import { num } from '../../../src/driver/fields.ts';
import { VisitMemory } from '../../../src/driver/visit/memory.ts';
import { visit } from '../../../src/driver/visit/visit.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { fakeLink, peerError } from './fake-link.ts';

const answer = reply(z.looseObject({ hashrate: num({ min: 0 }) }));
const via = 'cgminer';
const driver = defineDriver({
  id: 'toy',
  make: 'Toy',
  covers: [],
  asks: {
    lead: { every: 'poll', via, command: 'lead' },
    boards: { every: 'poll', via, command: 'boards', goesWith: 'lead' },
    names: { every: 'static', via, command: 'names', goesWith: 'lead' },
    older: { every: 'poll', via, command: 'older', insteadOf: 'lead' },
    olderBoards: { every: 'poll', via, command: 'olderBoards', insteadOf: 'boards', goesWith: 'older' },
    oldest: { every: 'poll', via, command: 'oldest', insteadOf: 'older' },
  },
  replies: z.object({
    lead: answer,
    boards: answer,
    names: answer,
    older: answer,
    olderBoards: answer,
    oldest: answer,
  }),
  abilities: {},
  login: { kind: 'none' },
  quirks: {},
  identify: () => undefined,
  read: ({ lead, older, oldest }) => {
    const hashrateHs = lead?.hashrate ?? older?.hashrate ?? oldest?.hashrate;
    return hashrateHs === undefined ? {} : { hashrateHs };
  },
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
