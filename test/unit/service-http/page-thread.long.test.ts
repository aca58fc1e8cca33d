// The thread of large pages: other work goes on while it makes one, what fails in it reaches who asked, and the next
// page is made all the same.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock, yieldToEventLoop } from '../../../src/base/clock.ts';
import { DatabaseError } from '../../../src/base/errors.ts';
import { sqliteCode } from '../../../src/base/storage/sqlite.ts';
import type { WantedPage } from '../../../src/service/http/pages/page.ts';
import { createPageThread } from '../../../src/service/http/pages/page-thread.ts';
import { createAvailability } from '../../../src/service/store/availability.ts';
import { minerRecord } from './records.ts';
import { type Rig, startOwnedRig, temporaryFolder } from './rig.ts';
import { connect } from './wire-agent.ts';

const MINERS = 3_000;

let rig: Rig;
let stop: () => Promise<void>;
beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  const agent = await connect(rig);
  const nowMs = rig.clock.nowMs();
  for (let n = 0; n < MINERS; n += 500)
    await agent.report(Array.from({ length: 500 }, (_, index) => minerRecord(n + index, nowMs)));
});
afterAll(() => stop());

const wanted = (): WantedPage => ({
  ...{ version: 'v1', page: { limit: 10_000, offset: 0 }, nowMs: rig.clock.nowMs(), list: 'miners' },
  query: { farmId: rig.farmId, window: { limit: 10_000, offset: 0 }, item: ['{', { membersOf: 'document' }, '}'] },
});

function open(target: string) {
  const availability = createAvailability();
  const heard: unknown[] = [];
  const noteReadError = (error: unknown) => void heard.push(error);
  const thread = createPageThread({ target, availability, noteReadError, clock: systemClock });
  onTestFinished(() => thread.close());
  return { thread, availability, heard };
}

test('the loop of the service turns while a page is made', async () => {
  const { thread } = open(rig.databasePath);
  await thread.make(wanted(), false).then((made) => made?.body.release());
  let isMade = false;
  const making = thread.make(wanted(), false).finally(() => {
    isMade = true;
  });
  let turns = 0;
  while (!isMade) {
    await yieldToEventLoop();
    turns++;
  }
  expect(turns).toBeGreaterThan(100);
  const made = await making;
  const page = JSON.parse(String(Buffer.concat([...(made?.body.slices(1_000) ?? [])])));
  made?.body.release();
  expect(page.data).toHaveLength(MINERS);
});

test('a database that cannot be opened fails who asks, each time, and names the cause', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'service.sqlite');
  writeFileSync(file, 'this is no database, but long enough to be taken for one'.repeat(100));
  const { thread, heard } = open(file);
  for (let tries = 1; tries <= 2; tries++) {
    await expect(thread.make(wanted(), false)).rejects.toThrow(/not a database/);
    expect(heard).toHaveLength(tries);
    expect(sqliteCode(heard.at(-1))).toBe(26);
  }
  mkdirSync(join(folder, 'a folder'));
  await expect(open(join(folder, 'a folder')).thread.make(wanted(), false)).rejects.toThrow();
});

test('when the database is away who waits hears it at once, and nothing is begun until it is back', async () => {
  const { thread, availability } = open(rig.databasePath);
  const waiting = thread.make(wanted(), false);
  availability.away('for a test');
  await expect(waiting).rejects.toThrow(DatabaseError);
  await expect(thread.make(wanted(), false)).rejects.toThrow(DatabaseError);
  availability.back();
  const made = await thread.make(wanted(), true);
  expect(made?.isPacked).toBe(true);
  made?.body.release();
});

test('who waits when it closes is refused, and so is who comes later', async () => {
  const { thread } = open(rig.databasePath);
  const waiting = thread.make(wanted(), false);
  const refused = expect(waiting).rejects.toThrow(DatabaseError);
  await thread.close();
  await refused;
  await expect(thread.make(wanted(), false)).rejects.toThrow(DatabaseError);
});
