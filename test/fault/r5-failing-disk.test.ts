// The n-th call of each kind on the files of the outbox fails, for every n of a full cycle. Memory-mapped access is
// left alone. The agent's other databases are in agent-disk.test.ts, that of the service in service-disk.test.ts.
import { test } from 'vitest';
import { OUTBOX_FILE } from '../../src/agent/outbox/open.ts';
import { makeDir } from '../unit/agent/outbox/farm-records.ts';
import { failEachCall, filesOf, reportFailures } from './failing-disk.ts';
import { buildOther } from './program.ts';
import { canTrace } from './strace.ts';
import { isFull } from './table.ts';

test.runIf(canTrace)('whichever write, sync or open fails: no crash, no silent loss', async () => {
  const dir = makeDir({ isQuick: true });
  try {
    const child = buildOther(dir.path('.'), 'outbox-failing-child.ts');
    const disk = { folder: dir.path('.'), child, files: filesOf(OUTBOX_FILE), step: isFull ? 1 : 8 };
    reportFailures('outbox', await failEachCall(disk));
  } finally {
    dir.remove();
  }
});
