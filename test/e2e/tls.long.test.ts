// TLS between the programs: `up` serves it and its own agent still gets in; an agent reports to nobody whose
// certificate is no good.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createService } from '../../src/service/service.ts';
import { authority, elsewhere, expired, good, selfSigned } from '../unit/service-http/certificates.data.ts';
import { runPithead, startPithead } from './process.ts';
import { until } from './until.ts';

const folder = mkdtempSync(join(tmpdir(), 'pithead-tls-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function file(text: string, name = `file-${files++}`): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

const filesOf = ({ cert, key }: { cert: string; key: string }) => ({ certFile: file(cert), keyFile: file(key) });
const trusting = { NODE_EXTRA_CA_CERTS: file(authority, 'authority.pem') };

test('up serves TLS, believes the named proxy, and its own agent reports all the same', async () => {
  const { certFile, keyFile } = filesOf(good);
  const listen = {
    host: '127.0.0.1',
    tls: { certFile, keyFile },
    trustProxy: ['127.0.0.1'],
    publicUrl: 'https://farm.example',
  };
  const config = file(JSON.stringify({ stateDir: join(folder, 'up'), listen }), 'up.yaml');
  const up = startPithead(['up', '--config', config, '--port', '0']);
  onTestFinished(() => up.kill('SIGKILL'));
  const said = await up.untilPrinted('stderr', /service on https:\S+,/);
  const url = /service on (https:[^\s,]+)/.exec(said)?.[1] ?? '';
  const dispatcher = new Agent({ connect: { ca: authority } });
  onTestFinished(() => dispatcher.close());
  const made = await runPithead(['key', 'create', '--name', 'x', '--role', 'admin', '--config', config, '--json']);
  const { key } = z.object({ key: z.string() }).parse(JSON.parse(made.stdout));
  const ask = async (path: string) => {
    const { statusCode, body } = await request(url + path, { dispatcher, headers: { 'x-api-key': key } });
    return { statusCode, body: z.looseObject({}).parse(await body.json()) };
  };
  expect((await ask('/openapi.json')).body.servers).toEqual([{ url: 'https://farm.example' }]);
  const workspaces = z
    .object({ data: z.array(z.object({ id: z.string() })) })
    .parse((await ask('/public-api/v2/workspaces')).body);
  const online = async () => {
    const { body } = await request(`${url}/private-api/v1/${workspaces.data[0]?.id}/agents/search`, {
      dispatcher,
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: '{"status":{"eq":"online"}}',
    });
    return z.object({ pagination: z.object({ total: z.number() }) }).parse(await body.json()).pagination.total;
  };
  expect(await until(online, (total) => total === 1)).toBe(1);
  up.kill('SIGTERM');
  expect((await up.end()).code).toBe(0);
});

/** A service with this certificate, and an agent that is to report to it and trusts the authority of the tests. */
async function startPair(pair: { cert: string; key: string }) {
  const service = await createService({
    databasePath: join(folder, `service-${files++}.sqlite`),
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    log: silentLog,
    version: '0',
    tls: filesOf(pair),
  });
  const { url } = await service.start();
  onTestFinished(() => service.stop());
  const { farmId } = await service.admin.ensureDefaults();
  const { code } = await service.admin.createEnrolmentCode({ farmId, ttlMs: 600_000 });
  return { agent: startAgent(url, code), service };
}

function startAgent(url: string, enrolmentCode: string) {
  const config = { stateDir: join(folder, `agent-${files++}`), service: { url, enrolmentCode } };
  const agent = startPithead(['agent', '--config', file(JSON.stringify(config))], { environment: trusting });
  onTestFinished(() => agent.kill('SIGKILL'));
  return agent;
}

test('an agent reports to a service that it trusts', async () => {
  const { agent, service } = await startPair(good);
  const agents = await until(
    () => service.admin.listAgents(),
    ([first]) => first?.lastOnlineAt != null,
  );
  expect(agents).toHaveLength(1);
  agent.kill('SIGTERM');
  expect((await agent.end()).code).toBe(0);
});

test.each([
  ['expired', expired],
  ['for another name', elsewhere],
  ['signed by itself', selfSigned],
])('an agent hands its code to nobody whose certificate is %s', async (_name, pair) => {
  const { agent, service } = await startPair(pair);
  const { code, stderr } = await agent.end();
  expect(code).not.toBe(0);
  expect(stderr).toContain('enrol at https://');
  expect(await service.admin.listAgents()).toEqual([]);
});

test('an agent speaks to nobody who knows TLS 1.1 only, and plain to nobody at all', async () => {
  let requests = 0;
  const old = createServer(
    { ...good, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
    (_request, reply) => {
      requests++;
      reply.end();
    },
  );
  await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void old.close());
  const address: AddressInfo | string | null = old.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const toOld = await startAgent(`https://127.0.0.1:${port}`, 'CODE').end();
  expect(toOld.code).not.toBe(0);
  expect(requests).toBe(0);
  const toPlain = await startAgent(`http://192.0.2.1:${port}`, 'CODE').end();
  expect(toPlain.code).toBe(78);
});
