// The same scan over real sockets on loopback: every listener is found once, every other address is counted.
import { createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { Contact } from '../../../../src/agent/scan/plan.ts';
import { runScan } from '../../../../src/agent/scan/scan.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { readRanges } from '../../../../src/base/net/ranges.ts';
import { createTransport } from '../../../../src/transport/transport.ts';
import { loopback } from '../../../support/loopback.ts';
import type { Who } from './network.ts';

const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

const listen = (host: string, port: number) =>
  new Promise<number>((resolve, reject) => {
    const server = createServer((socket) => socket.on('error', () => {}));
    servers.push(server);
    server.on('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });

test('every listener of a /22 is found once, and all other addresses are proved closed', async () => {
  const { network, ip: ipOf } = loopback(22);
  const port = await listen(ipOf(1), 0);
  const there = [ipOf(1), ...Array.from({ length: 40 }, (_, i) => ipOf((i % 4) * 256 + 10 + i))];
  for (const host of there.slice(1)) await listen(host, port);
  const transport = createTransport({ clock: systemClock, log: silentLog, portMap: new Map(), mayReach: () => true });
  const contacts: Contact<Who>[] = [];
  try {
    const account = await runScan(
      { ranges: readRanges([network], [`${ipOf(3 * 256 + 200)}-254`]), ports: [port] },
      {
        clock: systemClock,
        random: () => 0.3,
        probe: transport.probe,
        identify: async (ip) => ({ status: 'identified', name: ip }),
      },
      { onContact: (contact) => contacts.push(contact) },
      new AbortController().signal,
    );
    expect(account).toMatchObject({ addresses: 1_024, excluded: 57, notReached: 0 });
    expect(account.counts).toMatchObject({ identified: there.length, closed: 1_024 - 57 - there.length, silent: 0 });
    const found = contacts.flatMap(({ ip, status }) => (status === 'identified' ? [ip] : []));
    expect(found.toSorted()).toEqual(there.toSorted());
  } finally {
    await transport.close();
  }
});
