// The process whose disk fails: stores numbered records and tells the ledger outside what it was promised. Arguments:
// folder, slices, samples per slice. Ends with 0 when it came through, 75 when the outbox could not be opened (to be
// started again).
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { openOutbox } from '../../src/agent/outbox/open.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { acknowledgeOldest, outcome, readOldest, sample } from '../unit/agent/outbox/farm-records.ts';

const [folder = '', slices = '1', perSlice = '3'] = process.argv.slice(2);
const settings = { flushMs: 5, sliceRecords: 500 };

const open = () => {
  try {
    return openOutbox(folder, { clock: systemClock, log: silentLog, newEpoch: randomUUID, settings });
  } catch {
    return undefined;
  }
};

const outbox = open();
if (outbox === undefined) {
  writeSync(1, 'not opened\n');
  process.exitCode = 75;
} else {
  await outbox.setUplinks(['farm']);
  let number = 0;
  for (let slice = 1; slice <= Number(slices); slice++) {
    for (let index = 0; index < Number(perSlice); index++) {
      number++;
      const record = sample(number, Date.now());
      // Figures that differ, as those of real miners do.
      const document = {
        ...record.document,
        hashrate: number,
        power: 3_000 + (number % 977),
        temp: 40 + (number % 31),
      };
      outbox.offer({ ...record, key: randomUUID(), document });
    }
    writeSync(1, `produced ${number}\n`);
    const isKept = await new Promise<boolean>((resolve) => {
      const cancel = systemClock.after(8_000, () => resolve(false));
      const settle = (isDone: boolean) => {
        cancel();
        resolve(isDone);
      };
      outbox.append([outcome(slice, Date.now())]).then(
        () => settle(true),
        () => settle(false),
      );
    });
    if (isKept) writeSync(1, `committed ${number} ${slice}\n`);
    const last = (await readOldest(outbox, 'farm', { maxSlices: 2, maxBytes: 1e9 })).at(-1)?.header.seq;
    if (slice % 3 === 0 && last !== undefined && process.argv[5] === 'acknowledge')
      await acknowledgeOldest(outbox, 'farm', last);
  }
  await outbox.flush();
  const { bytes } = outbox.state();
  await outbox.close();
  writeSync(1, `closed ${bytes}\n`);
}
