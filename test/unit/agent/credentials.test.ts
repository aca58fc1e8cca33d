// What an agent keeps of a service when it enrols: its identity in a file that earlier versions can read too, the key of orders beside it.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { enrolOnce, loadCredentials } from '../../../src/agent/credentials.ts';
import { newSigner } from './orders/signed.ts';

const ID = '0198c0de-0000-7000-8000-0000000000a1';
const REALM = 'https://pithead.example';

async function setUp() {
  const stateDir = mkdtempSync(join(tmpdir(), 'pithead-credentials-'));
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }));
  const answer: Record<string, string> = { agent_id: ID, token: 'token', workspace_id: 'w', farm_id: ID };
  const server = createServer((_, response) => response.end(JSON.stringify(answer)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const keyFile = join(stateDir, 'pithead.key');
  return {
    stateDir,
    answer,
    enrol: () => enrolOnce({ stateDir, keyFile, realm: REALM, url, code: 'c', allowPlain: true }),
    load: () => loadCredentials(stateDir, REALM, keyFile),
    files: () => readdirSync(stateDir).filter((name) => /^agent-.*\.json$/.test(name)),
  };
}

test('the key of orders is kept beside the identity, which stays as earlier versions read it', async () => {
  const { answer, enrol, load, files, stateDir } = await setUp();
  const { publicKey } = newSigner();
  answer.task_key = publicKey;
  expect((await enrol()).pin.read()).toBe(publicKey);
  expect(load()?.pin.read()).toBe(publicKey);
  const [identity = '', pin = ''] = files().toSorted((a, b) => a.length - b.length);
  expect(pin).toBe(identity.replace('.json', '.key.json'));
  const written = JSON.parse(readFileSync(join(stateDir, identity), 'utf8'));
  expect(Object.keys(written).toSorted()).toEqual(['agent_id', 'farm_id', 'token', 'url', 'workspace_id']);
  for (const name of files()) expect(statSync(join(stateDir, name)).mode & 0o777).toBe(0o600);
});

test('enrolled with a service that shows no key, the agent learns it later and keeps it', async () => {
  const { enrol, load, files } = await setUp();
  expect((await enrol()).pin.read()).toBeUndefined();
  expect(files()).toHaveLength(1);
  const { publicKey } = newSigner();
  load()?.pin.keep(publicKey);
  expect(load()?.pin.read()).toBe(publicKey);
});

test('enrolled anew, what was learnt of the service before is forgotten', async () => {
  const { answer, enrol, load, files, stateDir } = await setUp();
  answer.task_key = newSigner().publicKey;
  await enrol();
  const pin = files().find((name) => name.endsWith('.key.json')) ?? '';
  writeFileSync(join(stateDir, pin), 'torn');
  expect(load).toThrow(expect.objectContaining({ problems: [expect.objectContaining({ path: '(file)' })] }));
  delete answer.task_key;
  expect((await enrol()).pin.read()).toBeUndefined();
  expect(load()?.pin.read()).toBeUndefined();
});
