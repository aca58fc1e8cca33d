// Images that are for another firmware, make or model are told by their name, by the task, or by their first bytes.
import { expect, test } from 'vitest';
import { type ImageTarget, unfitByContent, unfitByName } from '../../../../src/agent/firmware/image-fit.ts';

const DRIVERS = ['antminer-stock', 'whatsminer', 'braiins-os', 'vnish', 'luxos', 'epic-umcos', 'axeos', 'cgminer'];
const S19J: ImageTarget = { driverId: 'antminer-stock', make: 'Antminer', model: 'S19j Pro' };
const M30: ImageTarget = { driverId: 'whatsminer', make: 'Whatsminer', model: 'M30S++ VH50' };
const ON_EPIC: ImageTarget = { driverId: 'epic-umcos', make: 'Antminer', model: 'S19 XP' };
const SHA = 'a9'.repeat(32);

const unfit = (name: string, miner: ImageTarget, family?: string) => unfitByName(name, family, miner, DRIVERS);

test.each<[string, ImageTarget]>([
  ['Antminer-S19j-Pro-merge-release-20230815.bmu', S19J],
  ['S19jPro.bmu', S19J],
  ['S19 release.bmu', S19J],
  ['S19-S19Pro-S19jPro-T19.tar.gz', S19J],
  ['firmware-v2.1.bmu', S19J],
  [`${SHA}-update.bin`, S19J],
  [SHA, S19J],
  ['', S19J],
  ['whatsminer-M30S++-H6OS-20231108.bin', M30],
  ['M30S.bin', M30],
  ['epic-umc-1.16.0.zip', ON_EPIC],
  ['ePIC_S19XP_update.zip', ON_EPIC],
  ['vnish-restore.bmu', { driverId: 'vnish', make: 'Antminer' }],
  ['Antminer S99.bmu', { driverId: 'antminer-stock', make: 'Antminer', model: 'S21' }],
])('%s is for %j as far as its name tells', (name, miner) => {
  expect(unfit(name, miner)).toBeUndefined();
});

test.each<[string, ImageTarget, string]>([
  ['Antminer-S19-XP-release.bmu', S19J, 's19xp by its name, and the miner is S19j Pro'],
  ['S19Pro.bmu', S19J, 's19pro by its name'],
  ['S9.bmu', S19J, 's9 by its name'],
  ['M50S-H616.bin', M30, 'm50s by its name'],
  ['whatsminer-release.bin', S19J, 'is for whatsminer by its name'],
  ['Antminer-release.bmu', M30, 'is for antminer by its name, and the miner is of the make Whatsminer'],
  ['vnish-1.2.6-S19jPro.bmu', S19J, 'for vnish by its name, and the miner runs antminer-stock'],
  ['braiins-os_am2.tar', ON_EPIC, 'for braiins by its name'],
])('%s is not for %j', (name, miner, words) => {
  expect(unfit(name, miner)).toContain(words);
});

test('the family of the task counts more than the name, and does not speak for the model', () => {
  expect(unfit('anything.bin', S19J, 'vnish')).toContain('for vnish, as the task says');
  expect(unfit('vnish-install-S19jPro.bmu', S19J, 'antminer-stock')).toBeUndefined();
  expect(unfit('braiins-os_am2.tar', S19J, 'antminer-stock')).toBeUndefined();
  expect(unfit('vnish-install-S21.bmu', S19J, 'antminer-stock')).toContain('s21 by its name');
});

test('a bundle of Bitmain is for Antminers, whatever its name', async () => {
  const image = (hex: string) => ({ name: 'update.bin', sha256: SHA, bytes: new Blob([Buffer.from(hex, 'hex')]) });
  expect(await unfitByContent(image('abababab24000000'), M30)).toContain('a bundle of Bitmain');
  expect(await unfitByContent(image('abababab24000000'), S19J)).toBeUndefined();
  expect(await unfitByContent(image('abababab24000000'), { driverId: 'cgminer' })).toBeUndefined();
  expect(await unfitByContent(image('1f8b'), M30)).toBeUndefined();
  expect(await unfitByContent(image(''), M30)).toBeUndefined();
});
