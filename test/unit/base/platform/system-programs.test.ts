// Programs of the operating system are named by their whole path, whatever the environment says.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { linuxProgram, system32 } from '../../../../src/base/platform/system-programs.ts';

test.each([
  [
    'the library that the process runs on',
    ['C:\\tool\\a.dll', 'C:\\WINDOWS\\SYSTEM32\\ntdll.dll'],
    'D:\\evil',
    'C:\\WINDOWS\\SYSTEM32',
  ],
  ['the root, where the system does not say', [], 'D:\\Windows', 'D:\\Windows\\System32'],
  ['no root on another host', [], '\\\\evil\\share', 'C:\\Windows\\System32'],
  ['no root that is relative', [], 'evil', 'C:\\Windows\\System32'],
  ['no root with a way up', [], 'C:\\Users\\eve\\..\\evil', 'C:\\Windows\\System32'],
  ['no root at all', ['ntdll.dll'], undefined, 'C:\\Windows\\System32'],
])('on Windows by %s', (_what, libraries, root, folder) => {
  expect(system32(libraries, { SystemRoot: root })).toBe(folder);
});

test('on Linux in the folders of the system, never by a search path', () => {
  expect(linuxProgram('systemctl', (path) => path === '/bin/systemctl')).toBe('/bin/systemctl');
  expect(linuxProgram('systemctl', () => false)).toBe('/usr/bin/systemctl');
});

test('nothing that root or an administrator starts is named without its path', () => {
  const source = readFileSync(new URL('../../../../src/base/platform/service-manager.ts', import.meta.url), 'utf8');
  expect([...source.matchAll(/\brun\(\s*'([^']*)'/g)].map(([, name]) => name)).toEqual(['systemd-notify']);
});
