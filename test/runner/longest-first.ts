// The order of test files: those that take longest begin first, so that none of them runs alone at the end. A fresh
// checkout has no times of an earlier run, and the size of a file says little: these are named.
import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Longest first: 40 s and more in `npm run test:slow`, 20 s in `npm test`. */
const LONGEST = [
  'r16-resident',
  'r1-agent-kills',
  'r3-kill-at-each-step',
  'r2-service-kills',
  'r10-flapping-net',
  'running',
  'hostile-miners',
  'damaged-files',
  's3-forged-tasks',
  'webhook-kills',
  'r14-costly',
  'r15-hang',
  'r8-outage',
  'outages',
  'two-attackers',
  'secrets',
  'r15-dead-uplink',
  'https',
  'r24-model',
  'r23-updates',
  'restore',
  's5-scan-manners',
  'r20-clock',
  'agent-clock',
  'pool-lock',
  'r20-service-clock',
  'copy-clock',
  's6-task-flood',
  'r12-herd',
  'cli',
  'r6-full-disk-farm',
  'sandbox',
  'r25-store-parity',
  'binary',
  'one-login',
  'hostile-site',
  'demo',
  'identity',
  'r7-damage',
  'release',
  'r11-half-open',
  'impostors',
  's24-storage',
  'farm-to-interface',
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
