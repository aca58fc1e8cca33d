// Each case of a driver as a device on real sockets: it is recognised as its driver's, every ask that was recorded with
// an answer is answered, and it is read as its own answers are.
import { expect, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import { readCase } from '../../src/case/folder.ts';
import { isReplayable } from '../../src/case/format.ts';
import { tryOut } from '../../src/cli/driver/try-out.ts';
import { bytesByAsk, cases, rawOf } from './answers.ts';

const replayable = cases.filter(({ folder }) => isReplayable(readCase(folder).about));

test.skipIf(replayable.length === 0).each(replayable)('$id', async (recording) => {
  const driver = drivers.find(({ id }) => id === recording.firmware);
  if (driver === undefined) throw new Error(`no driver ${recording.firmware}`);
  const tried = await tryOut(driver, readCase(recording.folder), new AbortController().signal);
  expect(tried.recognisedAs?.driver).toBe(driver.id);
  expect(tried.failed).toEqual([]);
  const known = recording.known ?? {};
  const { reading } = driver.read(rawOf(driver, bytesByAsk(driver, recording, known)), known);
  expect(tried.reading).toEqual(reading);
});
