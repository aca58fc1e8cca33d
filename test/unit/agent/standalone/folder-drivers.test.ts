// Which names of drivers a configuration may use, and what a person is shown of the folder.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseConfig } from '../../../../src/agent/config/config.ts';
import { driverIds, lookAtFolder } from '../../../../src/agent/standalone/folder-drivers.ts';
import { driverText, folderWith } from '../../driver/load/driver-files.ts';

function configOf(families: readonly string[], driversDir?: string) {
  const logins = families.map((family) => ({ family, user: 'root', password: 'env:P' }));
  const drivers = { toyminer: { allow: ['reboot'] } };
  const text = JSON.stringify({ credentials: { logins }, drivers, ...(driversDir && { driversDir }) });
  return parseConfig(text, { baseDir: '/nowhere', environment: { P: 'p' }, name: 'test', driverIds });
}

test.each([
  [['avalon', 'toyminer'], ["no driver is called 'toyminer': one of antminer-stock, "]],
  [['whatsmner'], ["no driver is called 'whatsmner': whatsminer?"]],
  [['avalon'], undefined],
])('%j', (families, messages) => {
  const check = () => configOf(families);
  if (messages === undefined) return expect(check()).toMatchObject({});
  expect(check).toThrow(
    expect.objectContaining({
      problems: messages.map((message) => ({
        path: `credentials.logins[${families.length - 1}].family`,
        message: expect.stringContaining(message),
      })),
    }),
  );
});

test('a driver of the folder is a name, whether it can be loaded or not', () => {
  const folder = folderWith({ 'toyminer.mjs': 'nonsense {' });
  expect(configOf(['toyminer'], folder).driversDir).toBe(folder);
});

test('a person sees what each driver may do, and why one is refused', async () => {
  const act = "reboot: { effect: 'once', offlineS: [0, 0], params: z.object({}), act() {} }";
  const folder = folderWith({
    'toyminer.mjs': driverText(
      'toyminer',
      `abilities: { ${act}, light: { effect: 'repeatable', offlineS: [0, 0], params: z.object({}), act() {} } },`,
    ),
    'whatsminer.mjs': driverText('whatsminer'),
  });
  expect(await lookAtFolder(configOf([], folder))).toEqual({
    folder,
    loaded: [
      {
        id: 'toyminer',
        origin: join(folder, 'toyminer.mjs'),
        covers: [{ models: 'Toy T1', firmware: '1.x', evidence: 'claimed' }],
        commands: ['reboot', 'light'],
        allowed: ['reboot'],
      },
    ],
    refused: [
      {
        id: 'whatsminer',
        origin: join(folder, 'whatsminer.mjs'),
        reason: expect.stringContaining('drivers.whatsminer.replace: true'),
      },
    ],
  });
});
