// Which security descriptors of Windows leave a driver file to the administrators.
import { expect, test } from 'vitest';
import { sddlDoubt } from '../../../../src/driver/load/trust/windows-acl.ts';

const ADMIN = 'O:BAG:SYD:PAI(A;;FA;;;SY)(A;;FA;;;BA)';

test.each([
  [ADMIN, undefined],
  [`${ADMIN}(A;;0x1200a9;;;BU)`, undefined],
  [`${ADMIN}(A;OICIIO;GA;;;CO)`, undefined],
  [`${ADMIN}(D;;FA;;;WD)`, undefined],
  [`${ADMIN}(A;;0x1301bf;;;AU)`, 'can be changed by AU'],
  [`${ADMIN}(A;;FA;;;S-1-5-21-1-2-3-1001)`, 'can be changed by S-1-5-21-1-2-3-1001'],
  [`${ADMIN}(A;;WD;;;BU)`, 'can be changed by BU'],
  [`${ADMIN}(A;;ZZ;;;BU)`, 'can be changed by BU'],
  ['O:S-1-5-21-1-2-3-1001G:SYD:PAI(A;;FA;;;BA)', 'belongs to S-1-5-21-1-2-3-1001, not to the administrators'],
  ['O:BAG:SY', 'can be changed by all users'],
  ['O:BAG:SYD:NO_ACCESS_CONTROL', 'can be changed by all users'],
  ['', 'shows no owner'],
])('%s of a file: %s', (sddl, doubt) => expect(sddlDoubt(sddl, false)).toBe(doubt));

test('a folder above it may take other entries, but not lose its own', () => {
  expect(sddlDoubt(`${ADMIN}(A;;LC;;;AU)(A;OICIIO;SDGXGWGR;;;AU)`, true)).toBeUndefined();
  expect(sddlDoubt(`${ADMIN}(A;;DT;;;AU)`, true)).toBe('can be changed by AU');
});
