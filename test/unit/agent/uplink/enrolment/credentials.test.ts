// What an agent keeps of a service when it enrols: its identity, sealed for its owner alone and worth nothing without
// the key file, and beside it the key of the service.
import { verify } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { enrolOnce, loadCredentials } from '../../../../../src/agent/uplink/enrolment/credentials.ts';
import { ConfigError } from '../../../../../src/base/errors.ts';
import { readPublicKey } from '../../../../../src/base/secrets.ts';
import { openOrCreateVault } from '../../../../../src/base/storage/vault.ts';
import { proofBytes } from '../../../../../src/wire/protocol.ts';
import { newSigner } from '../signatures/signed.ts';

const ID = '0198c0de-0000-7000-8000-0000000000a1';
const REALM = 'https://pithead.example';

async function setUp() {
  const stateDir = mkdtempSync(join(tmpdir(), 'pithead-credentials-'));
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }));
  const { publicKey } = newSigner();
  const answer = { agent_id: ID, token: 'token', workspace_id: 'w', farm_id: ID, task_key: publicKey };
  const asked: Buffer[] = [];
  const server = createServer((request, response) => {
    request.on('data', (chunk) => asked.push(chunk));
    request.on('end', () => response.end(JSON.stringify(answer)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const keyFile = join(stateDir, 'pithead.key');
  return {
    stateDir,
    keyFile,
    answer,
    /** The agent's key as the service got it. */
    publicKey: () => String(JSON.parse(Buffer.concat(asked).toString()).identity_key),
    enrol: () => enrolOnce({ stateDir, keyFile, realm: REALM, url, code: 'c', allowPlain: true }),
    load: () => loadCredentials(stateDir, REALM, keyFile),
    files: () => readdirSync(stateDir).filter((name) => /^agent-.*\.json$/.test(name)),
  };
}

test('what is kept is the same after a restart, sealed and for its owner alone', async () => {
  const { answer, enrol, load, files, publicKey, stateDir } = await setUp();
  expect((await enrol()).pin.read()).toBe(answer.task_key);
  const kept = load();
  expect(kept?.pin.read()).toBe(answer.task_key);
  expect([kept?.agentId, kept?.token.reveal()]).toEqual([ID, 'token']);
  const [identity = '', pin = ''] = files().toSorted((a, b) => a.length - b.length);
  expect(pin).toBe(identity.replace('.json', '.key.json'));
  const written = JSON.parse(readFileSync(join(stateDir, identity), 'utf8'));
  expect([written.token, written.identity_key]).toEqual(Array(2).fill(expect.stringMatching(/^sealed:1:/)));
  for (const name of files()) expect(statSync(join(stateDir, name)).mode & 0o777).toBe(0o600);

  const key = readPublicKey(publicKey());
  if (key === undefined) throw new Error('the service got no key');
  const proof = Buffer.from(kept?.prove('a', 'c') ?? '', 'base64');
  expect(verify(null, proofBytes('a', 'c'), key, proof)).toBe(true);
  expect(verify(null, proofBytes('a', 'd'), key, proof)).toBe(false);
});

test('without the key file it cannot be opened, and the file is named', async () => {
  const { enrol, load, files, keyFile, stateDir } = await setUp();
  expect(load()).toBeUndefined();
  await enrol();
  rmSync(keyFile);
  expect(load).toThrow(ConfigError);
  expect(load).toThrow(files().find((name) => !name.endsWith('.key.json')));
  openOrCreateVault(keyFile);
  expect(load).toThrow(ConfigError);
  expect(files()).toHaveLength(2);
  expect(readdirSync(stateDir)).toHaveLength(3);
});

test('what was kept without a key is sealed once there is one', async () => {
  const { enrol, load, files, keyFile, stateDir } = await setUp();
  mkdirSync(keyFile);
  await enrol();
  const read = () => {
    const name = files().find((file) => !file.endsWith('.key.json')) ?? '';
    return JSON.parse(readFileSync(join(stateDir, name), 'utf8'));
  };
  expect([read().token, load()?.token.reveal()]).toEqual(['token', 'token']);
  rmSync(keyFile, { recursive: true });
  openOrCreateVault(keyFile);
  expect(load()?.token.reveal()).toBe('token');
  expect([read().token, read().identity_key]).toEqual(Array(2).fill(expect.stringMatching(/^sealed:1:/)));
  expect(load()?.token.reveal()).toBe('token');
});

test('one that cannot be read is not taken for none, and a damaged one is named', async () => {
  const { enrol, load, files, stateDir } = await setUp();
  await enrol();
  const path = join(stateDir, files().find((name) => !name.endsWith('.key.json')) ?? '');
  writeFileSync(path, 'torn');
  const named = (message: string) =>
    expect.objectContaining({ problems: [expect.objectContaining({ message: expect.stringContaining(message) })] });
  expect(load).toThrow(named('is damaged'));
  rmSync(path);
  mkdirSync(path);
  expect(load).toThrow(named('it is a folder'));
});

test('enrolled anew, what was learnt of the service before is forgotten', async () => {
  const { answer, enrol, load, files, stateDir } = await setUp();
  await enrol();
  const pin = files().find((name) => name.endsWith('.key.json')) ?? '';
  writeFileSync(join(stateDir, pin), 'torn');
  expect(load).toThrow(expect.objectContaining({ problems: [expect.objectContaining({ path: '(file)' })] }));
  answer.task_key = newSigner().publicKey;
  expect((await enrol()).pin.read()).toBe(answer.task_key);
  expect(load()?.pin.read()).toBe(answer.task_key);
  rmSync(join(stateDir, pin));
  expect(load()?.pin.read()).toBeUndefined();
});
