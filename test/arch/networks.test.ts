// Files run side by side, and a simulated farm takes its addresses for itself: no two test files may name networks that overlap.
// What is written as `network: '…'`, as the value of `--network`, as `NETWORK = '…'` for a farm of abilities or one that is weighed; what is computed is not seen.
import { expect, test } from 'vitest';
import { type Ipv4Range, parseIpv4Range } from '../../src/base/net/ipv4.ts';
import { sources } from './sources.ts';

const NETWORK = /(?:network: |NETWORK = |'--network', |abilityFarm\(|kept\()'(127\.[\d./-]+)'/g;

test('no two test files have their farms at the same addresses', () => {
  const taken: { readonly path: string; readonly range: Ipv4Range }[] = [];
  const clashes = new Set<string>();
  for (const { path, text } of sources('test')) {
    if (path.startsWith('test/bench/')) continue;
    for (const [, written = ''] of text.matchAll(NETWORK)) {
      const range = parseIpv4Range(written);
      if (typeof range === 'string') throw new Error(`${path}: ${range}`);
      for (const other of taken)
        if (other.path !== path && other.range.first <= range.last && range.first <= other.range.last)
          clashes.add(`${path} and ${other.path}: ${written}`);
      taken.push({ path, range });
    }
  }
  expect(taken.length).toBeGreaterThan(50);
  expect([...clashes]).toEqual([]);
});
