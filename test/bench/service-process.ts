// The service in a process of its own, and beside it a bare server that gives back the bytes that were put there: what
// the list is measured against. There are two tenants, the one that benches load and its neighbour. At `/cpu` it says
// how much of the processor the process has used. Its database is the one that is named, else a new file. Prints one
// line of JSON when both listen; ends on SIGTERM.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { letHeapGrow } from '../../src/base/platform/heap-flags.ts';
import { DEFAULT_LIMITS } from '../../src/service/http/server.ts';
import { createService } from '../../src/service/service.ts';

letHeapGrow();
const [database] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'pithead-bench-'));
const unlimited = Number.MAX_SAFE_INTEGER;
const service = await createService({
  databasePath: database ?? join(folder, 'service.sqlite'),
  host: '127.0.0.1',
  port: 0,
  clock: systemClock,
  log: silentLog,
  version: 'bench',
  limits: {
    ...DEFAULT_LIMITS,
    rates: { perWorkspace: unlimited, perStranger: unlimited, perCode: unlimited, perVisitor: unlimited },
  },
});
const { url } = await service.start();

async function tenantOf(workspaceId: string, farmId: string) {
  const { key } = await service.admin.createKey({ workspaceId, name: 'bench', role: 'admin' });
  const { code } = await service.admin.createEnrolmentCode({ farmId, ttlMs: 600_000, maxMiners: 1_000_000 });
  return { workspaceId, farmId, key, code };
}
const first = await service.admin.ensureDefaults();
const tenant = await tenantOf(first.workspaceId, first.farmId);
const { key: otherKey } = await tenantOf(first.workspaceId, first.farmId);
// Each copy of the service on one database has a neighbour of its own.
const other = await service.admin.createWorkspace({ name: 'Neighbour', slug: `neighbour-${process.pid}` });
const otherFarm = await service.admin.createFarm({ workspaceId: other.id, name: 'neighbour' });
const neighbour = await tenantOf(other.id, otherFarm.id);

let bytes: Buffer = Buffer.alloc(0);
const bare = createServer((request, response) => {
  if (request.method === 'PUT') {
    void buffer(request).then((body) => {
      bytes = body;
      response.end();
    });
    return;
  }
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.end(request.url === '/cpu' ? JSON.stringify(process.cpuUsage()) : bytes);
});
await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
const address = bare.address();
const barePort = typeof address === 'object' && address !== null ? address.port : 0;
process.stdout.write(
  `${JSON.stringify({ url, bareUrl: `http://127.0.0.1:${barePort}`, ...tenant, otherKey, neighbour })}\n`,
);
process.once('SIGTERM', () => {
  bare.close();
  void service.stop().then(() => rmSync(folder, { recursive: true, force: true }));
});
