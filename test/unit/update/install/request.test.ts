// What the agent puts down for root: nothing but plain files in its own folder is looked at, and what makes no sense is
// taken away.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openBundle, readRequest, removeBundle, removeRequest } from '../../../../src/update/install/request.ts';
import { tempFolder } from '../release.ts';

function folderWith(text?: string) {
  const folder = tempFolder();
  const requests = join(folder, 'update');
  mkdirSync(requests);
  const request = join(requests, 'request.json');
  if (text !== undefined) writeFileSync(request, text);
  return { folder, requests, request };
}

test('a request is read, and taken away when it is taken up', async () => {
  const { requests, request } = folderWith('{"task_id":"t-1","more":1}');
  expect(await readRequest(requests)).toEqual({ task_id: 't-1' });
  await removeRequest(requests);
  expect(existsSync(request)).toBe(false);
  expect(await readRequest(requests)).toBeUndefined();
});

test.each(['', '{}', '[1]', '{"task_id":1}', `{"task_id":"${'x'.repeat(5_000)}"}`, '\0\0'])(
  'a request that makes no sense is gone: %j',
  async (text) => {
    const { requests, request } = folderWith(text);
    expect(await readRequest(requests)).toBeUndefined();
    expect(existsSync(request)).toBe(false);
  },
);

test('links are not followed: not for the request, the bundle or the folder', async () => {
  const { folder, requests, request } = folderWith();
  const secret = join(folder, 'secret');
  writeFileSync(secret, '{"task_id":"t-1"}');
  symlinkSync(secret, request);
  expect(await readRequest(requests)).toBeUndefined();
  expect([existsSync(request), existsSync(secret)]).toEqual([false, true]);
  symlinkSync(secret, join(requests, 'wanted.bundle'));
  await expect(openBundle(requests)).rejects.toThrow();
  await removeBundle(requests);
  expect(existsSync(secret)).toBe(true);

  renameSync(requests, join(folder, 'elsewhere'));
  symlinkSync(join(folder, 'elsewhere'), requests);
  writeFileSync(request, '{"task_id":"t-1"}');
  expect(await readRequest(requests)).toBeUndefined();
  await removeRequest(requests);
  expect(existsSync(request)).toBe(true);
});

test('what would never end is not waited for', async () => {
  const { requests, request } = folderWith();
  for (const path of [request, join(requests, 'wanted.bundle')]) execFileSync('mkfifo', [path]);
  expect(await readRequest(requests)).toBeUndefined();
  await expect(openBundle(requests)).rejects.toThrow('no plain file');
});

test('of a folder in the place of a file nothing is taken away but itself, when it is empty', async () => {
  const { folder, requests, request } = folderWith();
  const bundle = join(requests, 'wanted.bundle');
  mkdirSync(request);
  mkdirSync(join(bundle, 'more'), { recursive: true });
  mkdirSync(join(folder, 'kept'));
  symlinkSync(join(folder, 'kept'), join(bundle, 'link'));
  expect(await readRequest(requests)).toBeUndefined();
  await removeBundle(requests);
  expect([request, join(bundle, 'more'), join(folder, 'kept')].map((path) => existsSync(path))).toEqual([
    false,
    true,
    true,
  ]);
});
