// The service in a process of its own, as it is but for one thing: about to send the acknowledgement that it was told
// of, it is gone. By then the slice is stored and nobody knows. Arguments: database, sequence number (0 = none), its
// version, a network that webhooks may send to. Prints its address when it listens.
import { flushCompileCache } from 'node:module';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { letHeapGrow } from '../../src/base/platform/heap-flags.ts';
import { createService } from '../../src/service/service.ts';

letHeapGrow();
const [target = '', seq = '0', version = 'kill', network] = process.argv.slice(2);
const fatalSeq = Number(seq);
const ackSchema = z.object({ type: z.literal('ack'), seq: z.int() });

const send = WebSocket.prototype.send;
function sendOrDie(this: WebSocket, ...args: Parameters<typeof send>): void {
  const ack = typeof args[0] === 'string' ? ackSchema.safeParse(JSON.parse(args[0])) : undefined;
  // Nothing of this process runs after it: no buffer is flushed, no transaction ended.
  if (fatalSeq > 0 && ack?.success === true && ack.data.seq >= fatalSeq) process.kill(process.pid, 'SIGKILL');
  send.apply(this, args);
}
Reflect.set(WebSocket.prototype, 'send', sendOrDie);

const service = await createService({
  databasePath: target,
  host: '127.0.0.1',
  port: 0,
  clock: systemClock,
  log: silentLog,
  version,
  webhooks: { allowedNetworks: network === undefined ? [] : [network] },
});
const { url } = await service.start();
// What is compiled is otherwise kept by those that end by themselves only.
flushCompileCache();
process.stdout.write(`${url}\n`);
process.once('SIGTERM', () => void service.stop());
