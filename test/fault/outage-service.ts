// The service of an outage, on a clock of its own. Arguments: database, port (0 = any free one), by how many ms its
// clock is behind that of this host. Prints its address when it listens.

import { silentLog } from '../../src/base/log.ts';
import { letHeapGrow } from '../../src/base/platform/heap-flags.ts';
import { createService } from '../../src/service/service.ts';
import { clockBehind } from '../support/clock-behind.ts';

// As the program does, which starts with the heap of an agent.
letHeapGrow();
const [databasePath = '', port = '0', behindMs = '0'] = process.argv.slice(2);
const service = await createService({
  databasePath,
  host: '127.0.0.1',
  port: Number(port),
  clock: clockBehind(() => Number(behindMs)),
  log: silentLog,
  version: 'outage',
});
const { url } = await service.start();
process.stdout.write(`${url}\n`);
