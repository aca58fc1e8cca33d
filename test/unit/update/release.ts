// Keys, sets and bundles for the tests of updates.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { newKey, publicHalf, type SignedSet, signSet, writeBundle } from '../../../packaging/release/sign.ts';
import type { Expected, Manifest } from '../../../src/update/trust/bundle.ts';

export const NOW = Date.parse('2030-06-01T00:00:00Z');
export const PROGRAM = Buffer.from('#!/bin/sh\necho a program of some length\n'.repeat(50));

export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-update-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const root = newKey();
export const signing = newKey();

export const setOf = (keys: readonly string[], roots = [root], about: { sequence?: number; expires?: string } = {}) =>
  signSet({ sequence: 1, expires: '2031-01-01T00:00:00Z', ...about, keys: keys.map(publicHalf) }, roots);

let made = 0;
export async function bundleIn(
  folder: string,
  about: Partial<Manifest> = {},
  {
    set = setOf([signing]),
    key = signing,
    program = PROGRAM,
  }: { set?: SignedSet; key?: string; program?: Buffer } = {},
): Promise<string> {
  const path = join(folder, `${++made}.bundle`);
  writeFileSync(`${path}.program`, program);
  await writeBundle(
    `${path}.program`,
    path,
    { name: 'pithead', version: '1.1.0', target: 'linux-x64', ...about },
    set,
    key,
  );
  return path;
}

export function expectations(about: Partial<Omit<Expected, 'pins'>> & { roots?: readonly string[] } = {}): Expected {
  let highest = 0;
  const { roots = [root], ...rest } = about;
  return {
    target: 'linux-x64',
    installed: '1.0.0',
    pins: { roots: roots.map(publicHalf), minSequence: 0 },
    seen: {
      read: () => highest,
      remember(sequence) {
        highest = sequence;
      },
    },
    nowMs: NOW,
    ...rest,
  };
}
