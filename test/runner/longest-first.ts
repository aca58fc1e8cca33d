// The order of test files: those that take longest begin first, so that none of them runs alone at the end. A fresh
// checkout has no times of an earlier run, and the size of a file says little: these are named.
import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Longest first: minutes in `npm run test:slow`, a third of one in `npm test`. */
const LONGEST = [
  'r16-resident',
  'r10-flapping-net',
  'r1-agent-kills',
  'r3-kill-at-each-step',
  's3-forged-tasks',
  'r2-service-kills',
  'r14-costly',
  'r15-hang',
  'hostile-miners',
  'copy-clock',
  'running',
  's6-task-flood',
  'damaged-files',
  'webhook-kills',
  'impostors',
  'secrets',
  'sandbox',
  'restore-kills',
  'outages',
  'two-attackers',
  'r20-service-clock',
  'r12-herd',
  'r6-full-disk-farm',
  'r8-outage',
  's5-scan-manners',
  'r5-failing-disk',
  'r11-half-open',
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
