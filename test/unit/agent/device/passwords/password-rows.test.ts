// Passwords that tasks have set, on a real record of trust: encrypted, the same for all programs of the host, never
// written over by one that knows less, and none without the key.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KeptPassword } from '../../../../../src/agent/device/passwords/kept-password.ts';
import { openTrustRecord, TRUST_FILE, type TrustRecord } from '../../../../../src/agent/device/trust/trust-record.ts';
import { systemClock } from '../../../../../src/base/clock.ts';
import { createVault, type Vault } from '../../../../../src/base/storage/vault.ts';

const NAME = 'mac:02:00:00:00:00:01';
const KEPT: KeptPassword = { user: 'its-user', current: 'its-old-word', isSet: false, next: 'its-new-word' };

let folder: string;
let open: TrustRecord[];
const vault = createVault(randomBytes(32));
const record = (key: Vault | undefined = vault) => {
  const opened = openTrustRecord(join(folder, TRUST_FILE), systemClock, { vault: key });
  open.push(opened);
  return opened;
};
const withoutKey = () => {
  const opened = openTrustRecord(join(folder, TRUST_FILE), systemClock);
  open.push(opened);
  return opened;
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-passwords-'));
  open = [];
});
afterEach(() => {
  for (const each of open) each.close();
  rmSync(folder, { recursive: true, force: true });
});

test('what is kept is there for the next program, found by any of the names, and nothing of it lies in the open', () => {
  expect(record().passwords.replace(undefined, NAME, KEPT)).toBe(true);
  const found = record().passwords.of(['ip:10.0.0.5', NAME]);
  expect(found).toMatchObject({ name: NAME, kept: KEPT });
  expect(record().passwords.of(['ip:10.0.0.5'])).toBeUndefined();
  expect(record().passwords.all().toSorted()).toEqual(['its-new-word', 'its-old-word']);
  const written = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  expect(written.join('')).toContain('sealed:1:');
  for (const word of ['its-user', 'its-old-word', 'its-new-word']) expect(written.join('')).not.toContain(word);
});

test('of two programs that change the same one, the one that knows less writes nothing', () => {
  const [agent, command] = [record().passwords, record().passwords];
  agent.replace(undefined, NAME, KEPT);
  const before = command.of([NAME]);
  const settled = { ...KEPT, current: 'its-new-word', isSet: true, next: null };
  expect(agent.replace(agent.of([NAME]), NAME, settled)).toBe(true);
  expect(command.replace(before, NAME, { ...KEPT, next: 'another' })).toBe(false);
  expect(command.replace(undefined, NAME, KEPT)).toBe(false);
  expect(agent.of([NAME])?.kept).toEqual(settled);
  expect(agent.replace(agent.of([NAME]), NAME, undefined)).toBe(true);
  expect(agent.of([NAME])).toBeUndefined();
});

test('without the key there are none, and what is kept with it stays', () => {
  record().passwords.replace(undefined, NAME, KEPT);
  for (const other of [withoutKey(), record(createVault(randomBytes(32)))]) {
    expect(other.passwords.of([NAME])).toBeUndefined();
    expect(other.passwords.all()).toEqual([]);
    expect(other.passwords.replace(undefined, NAME, { ...KEPT, next: null })).toBe(false);
  }
  expect(withoutKey().passwords.hasKey).toBe(false);
  expect(withoutKey().passwords.replace(undefined, 'mac:02:00:00:00:00:02', KEPT)).toBe(false);
  expect(record().passwords.of([NAME])?.kept).toEqual(KEPT);
});
