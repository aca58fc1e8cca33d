// The process that is killed: stores numbered samples as fast as it can and tells the ledger outside what it was promised. Arguments: database, first number.
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { createOutbox } from '../../../../src/agent/outbox/outbox.ts';
import { outboxMigrations } from '../../../../src/agent/outbox/schema.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { openSqlite } from '../../../../src/base/sqlite.ts';
import { contents, sample } from './farm-records.ts';

const [path = '', first = '1'] = process.argv.slice(2);
const db = openSqlite(path, [outboxMigrations]);
const outbox = createOutbox(db, {
  clock: systemClock,
  log: silentLog,
  newEpoch: randomUUID,
  settings: { sliceRecords: 5, flushMs: 3 },
});
const { epoch } = outbox.source('farm').position();
for (let number = Number(first); ; number += 3) {
  // Offered, not promised: may be lost by the kill, and is then covered by the restart gap.
  outbox.offer(sample(number, Date.now()));
  outbox.offer(sample(number + 1, Date.now()));
  writeSync(1, `produced ${number + 2}\n`);
  await outbox.append([sample(number + 2, Date.now())]);
  writeSync(1, `committed ${number + 2}\n`);
  const slices = outbox.read('farm', { maxSlices: 2, maxBytes: 1e9 });
  for (const slice of slices) {
    const { samples, gaps } = contents([slice]);
    writeSync(1, `stored ${epoch} ${slice.header.seq} ${gaps.length} ${samples.join(',')}\n`);
  }
  const last = slices.at(-1)?.header.seq;
  if (last !== undefined && number % 2 === 0) outbox.acknowledge('farm', last);
}
