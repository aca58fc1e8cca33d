import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import { parseConfig } from '../../src/agent/config/config.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { startStack } from '../../src/cli/run/all-in-one.ts';
import { createService } from '../../src/service/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'pithead-two-'));
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.toReversed()) await stop();
  rmSync(folder, { recursive: true, force: true });
});

test('an agent reports to the own service of the farm and to that of the company at once', async () => {
  const company = await createService({
    databasePath: join(folder, 'company.sqlite'),
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    log: silentLog,
    version: '0.0.0',
  });
  const { url } = await company.start();
  stops.push(() => company.stop());
  const { farmId } = await company.admin.ensureDefaults();
  const { code } = await company.admin.createEnrolmentCode({ farmId, ttlMs: 600_000 });
  const text = JSON.stringify({ stateDir: 'state', service: { url, enrolmentCode: code, keepLocal: true } });
  const config = parseConfig(text, { baseDir: folder, environment: { XDG_CONFIG_HOME: folder }, name: 'test' });
  const stack = await startStack({ config, host: '127.0.0.1', port: 0, log: silentLog });
  stops.push(() => stack.stop());
  // A host is known once a report of it has been stored.
  for (const file of ['company.sqlite', 'state/service.sqlite']) {
    const book = new DatabaseSync(join(folder, file), { readOnly: true });
    stops.push(async () => book.close());
    const hosts = () => book.prepare('SELECT name FROM agents WHERE host IS NOT NULL').all().length;
    await expect.poll(hosts, { interval: 50 }).toBe(1);
  }
});
