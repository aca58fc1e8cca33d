// The process whose disk is looked at: stores numbered records and prints what was promised. Arguments: folder, slices,
// samples per slice, `acknowledge` when the service follows.
import { writeSync } from 'node:fs';
import { runOutboxCycle } from './outbox-cycle.ts';

const [folder = '', slices = '1', perSlice = '3', acknowledge] = process.argv.slice(2);
await runOutboxCycle({
  ...{ folder, slices: Number(slices), perSlice: Number(perSlice), acknowledges: acknowledge === 'acknowledge' },
  say: (line) => void writeSync(1, `${line}\n`),
});
