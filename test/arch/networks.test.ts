// Files run side by side, in this checkout and in others, and a simulated farm takes its addresses for itself: they are
// handed out by `test/support/loopback.ts`, and no test file chooses one.
import { expect, test } from 'vitest';
import { isTest, sources } from './sources.ts';

/** An address of loopback that could be another one. */
const CHOSEN = /\b127\.(?!0\.0\.(1\b|0\/8))[\d$]/;

const MAY_CHOOSE: Readonly<Record<string, string>> = {
  'test/e2e/demo.long.test.ts': 'the address that canBind() tries, in a container without rights',
  'test/e2e/doctor.long.test.ts': 'a /16 that is only weighed',
  'test/fault/reach.test.ts': 'writes addresses in many forms; its ports are free ones',
  'test/support/loopback.ts': 'hands them out',
  'test/unit/agent/scan/scan-limits.test.ts': 'a /16 that is only weighed',
  'test/unit/farm/farm.test.ts': 'lays out ranges that nothing stands in',
  'test/unit/service/webhooks/addresses.test.ts': 'addresses in many forms that no packet may reach',
  'test/unit/transport/transport.test.ts': 'addresses that no packet may reach',
};

test('no test file chooses its addresses on loopback', () => {
  const choosing = sources('test', 'drivers').flatMap(({ path, lines }) => {
    if (/^test\/(arch|bench)\//.test(path) || path in MAY_CHOOSE) return [];
    if (path.startsWith('drivers/') && !isTest({ path })) return [];
    return lines.flatMap((line, index) => (CHOSEN.test(line) ? [`${path}:${index + 1}`] : []));
  });
  expect(choosing).toEqual([]);
});

test('what may choose them does', () => {
  const still = sources('test').filter(({ path, text }) => path in MAY_CHOOSE && CHOSEN.test(text));
  expect(still.map(({ path }) => path).toSorted()).toEqual(Object.keys(MAY_CHOOSE).toSorted());
});
