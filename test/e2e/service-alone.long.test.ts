// `pithead status` where only the service runs: it says how the service is doing, and that no agent is there.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startPithead } from './process.ts';

function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, '127.0.0.1', () => {
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    server.close(() => resolve(port));
  });
  return promise;
}

test('the status of a host without an agent is that of its service', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-alone-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'state'));
  const port = await freePort();
  const config = join(folder, 'pithead.yaml');
  writeFileSync(config, JSON.stringify({ stateDir: 'state', listen: { host: '127.0.0.1', port } }));
  const status = (...more: string[]) => startPithead(['status', '-c', config, ...more], { cwd: folder }).end();
  const url = `http://127.0.0.1:${port}`;

  const service = startPithead(['service', '-c', config], { cwd: folder });
  await service.untilPrinted('stderr', `service on ${url}`);
  const shown = await status();
  expect([shown.code, shown.stderr]).toEqual([0, '']);
  expect(shown.stdout).toMatch(
    new RegExp(`^service +${url}, without an agent on this host\nhealth +takes requests\n$`),
  );
  const asked = await status('--json');
  expect([asked.code, JSON.parse(asked.stdout)]).toEqual([
    0,
    { running: false, state_dir: join(folder, 'state'), troubles: [], service: { url, ready: true } },
  ]);

  service.kill('SIGTERM');
  await service.end();
  const gone = await status();
  expect([gone.code, gone.stdout]).toEqual([3, '']);
  expect(gone.stderr).toContain(`no agent runs on ${join(folder, 'state')}`);
});
