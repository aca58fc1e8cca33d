// `up` passes requests of people of this host on to its own service: through the control socket, with no key.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { parseConfig } from '../../src/agent/config/config.ts';
import { findRunningAgent } from '../../src/agent/control/control-client.ts';
import { silentLog } from '../../src/base/log.ts';
import { userName } from '../../src/base/platform/user-name.ts';
import { startStack } from '../../src/cli/run/all-in-one.ts';

const folder = mkdtempSync(join(tmpdir(), 'pithead-passed-on-'));
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.toReversed()) await stop();
  rmSync(folder, { recursive: true, force: true });
});

test('a person of this host asks and changes what the service keeps, and is named there', async () => {
  const config = parseConfig('{"stateDir":"state"}', {
    ...{ baseDir: folder, environment: { XDG_CONFIG_HOME: folder }, name: 'test' },
  });
  const { workspaceId, stop } = await startStack({ config, host: '127.0.0.1', port: 0, log: silentLog });
  stops.push(stop);
  const found = await findRunningAgent(config.stateDir);
  if (found.kind !== 'running') throw new Error(`the agent is ${found.kind}`);
  const { agent } = found;
  stops.push(() => agent.close());
  const own = `/public-api/v2/workspaces/${workspaceId}`;
  const listed = await agent.service({ method: 'GET', path: '/public-api/v2/workspaces' });
  expect(listed).toMatchObject({ status: 200, body: { data: [{ id: workspaceId }] } });
  const body = { name: 'x', url: 'https://example.com/x' };
  expect((await agent.service({ method: 'POST', path: `${own}/webhooks`, body })).status).toBe(200);
  const actor = { type: 'user', id: `host:${userName()}`, name: userName() };
  const trail = await agent.service({ method: 'GET', path: `${own}/audit` });
  expect(trail.body).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ action: 'webhook.created', actor })]),
  });
});
