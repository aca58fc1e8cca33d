// What the answers of one address mean: its class, and whether it is asked again.
import { expect, test } from 'vitest';
import { HostProbe } from '../../../../src/agent/scan/host-probe.ts';
import type { Identification } from '../../../../src/agent/scan/plan.ts';
import { readRanges } from '../../../../src/base/net/ranges.ts';
import type { ProbeResult } from '../../../../src/transport/tcp/exchange.ts';

const [range] = readRanges(['10.0.0.1'], []).ranges;
const host = (isKnown = false, answers: readonly (ProbeResult | 'none')[] = []) => {
  if (range === undefined) throw new Error('no range');
  const probe = new HostProbe<Identification>({ address: 0x0a_00_00_01, range }, isKnown);
  const given = answers.flatMap((answer, port) => (answer === 'none' ? [] : [[port, answer] as const]));
  probe.take([...answers.keys()], new Map(given));
  return probe;
};
const verdict = ({ status, deservesSecondChance }: HostProbe<Identification>) => [status, deservesSecondChance];

test.each([
  ['silent', false, ['silent', 'silent'], ['silent', false]],
  ['silent where a miner is known', true, ['silent', 'silent'], ['missing', true]],
  ['closed', false, ['refused', 'refused'], ['closed', false]],
  ['closed in part: the silent port may have lost its answer', false, ['refused', 'silent'], ['closed', true]],
  ['closed where a miner is known', true, ['refused'], ['closed', true]],
  ['not asked', false, ['none'], [undefined, true]],
  ['up, one port not asked', false, ['refused', 'none'], ['closed', true]],
  ['open and not identified yet', false, ['open'], [undefined, false]],
] as const)('an address that is %s', (_, isKnown, answers, expected) => {
  expect(verdict(host(isKnown, answers))).toEqual(expected);
});

test.each([
  ['identified', { status: 'identified' }, ['identified', false]],
  ['that refuses our login', { status: 'login_refused' }, ['login_refused', false]],
  ['no driver knows', { status: 'unknown' }, ['unknown', true]],
  ['without proof', { status: 'likely', target: { driver: { id: 'x' } } }, ['likely', true]],
  ['whose identification failed', undefined, ['unknown', true]],
] as const)('an address %s', (_, found, expected) => {
  const probe = host(false, ['open']);
  probe.found = found;
  probe.isIdentified = true;
  expect(verdict(probe)).toEqual(expected);
});

test('a second answer replaces what was silent and keeps what was open', () => {
  const probe = host(false, ['open', 'silent', 'none']);
  probe.take([1, 2], new Map([[1, 'refused']]));
  expect([...probe.open]).toEqual([0]);
  expect(probe).toMatchObject({ isUp: true, hasSilentPort: false, isUnasked: true, isAnswering: true });
});
