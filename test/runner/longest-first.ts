// The order of test files: those that take longest begin first, so that none of them runs alone at the end. A fresh
// checkout has no times of an earlier run, and the size of a file says little: these are named.
import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Longest first: minutes in `npm run test:fault`, a third of one in `npm test`. */
const LONGEST = [
  'r16-resident',
  'r10-flapping-net',
  'r3-kill-at-each-step',
  'r1-agent-kills',
  'r2-service-kills',
  'impostors',
  'r20-service-clock',
  'secrets',
  's3-forged-tasks',
  'webhook-kills',
  'r14-costly',
  'damaged-files',
  'r12-herd',
  'r6-full-disk-farm',
  'r8-outage',
  's5-scan-manners',
  'r5-failing-disk',
  'r11-half-open',
  'r13-ill-miners',
  'r15-hang',
  'running',
  'demo',
  'selftest',
  'setup',
  'farm-to-interface',
  'addresses',
];

const placeOf = ({ moduleId }: TestSpecification) => {
  const place = LONGEST.indexOf(basename(moduleId).replace(/\..*/, ''));
  return place < 0 ? LONGEST.length : place;
};

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
