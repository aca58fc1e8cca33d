// Firmware bundles of stock Antminers: the part for a machine is found, and what is damaged, endless or for another
// machine is refused in words.
import { Blob } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { crc32 as reference } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BundleItem, bundleOf, sealed } from '../../test/unit/drivers/bundle-file.ts';
import { firmwareFor } from './bundle.ts';
import { crc32 } from './crc32.ts';

const S21 = { model: 'Antminer S21', subtype: 'AMLCtrl_BHB68601' };
const aml: BundleItem = { name: 'aml.bin', hardware: 'AMLCtrl_BHB68601', model: 'Antminer S21', payload: 'for aml' };
const cv: BundleItem = { name: 'cv.bin', hardware: 'CVCtrl_BHB68601', model: 'Antminer S21', payload: 'for cv' };

const find = async (bundle: Buffer, machine: { model: string; subtype?: string } = S21) => {
  const found = await firmwareFor(new Blob([new Uint8Array(bundle)]), machine);
  return typeof found === 'string' ? found : [found.name, await found.bytes.text()];
};

test('the checksum is that of ZIP, over slices, with four bytes counted as zeros', async () => {
  const bytes = randomBytes(2_500_000);
  for (const at of [24, 1_048_574, 2_499_996]) {
    const zeroed = Buffer.from(bytes).fill(0, at, at + 4);
    expect(await crc32(new Blob([new Uint8Array(bytes)]), at)).toBe(reference(zeroed));
  }
});

describe('the part for a machine', () => {
  test('is the one for its control board', async () => {
    expect(await find(bundleOf([cv, aml]))).toEqual(['aml.bin', 'for aml']);
    expect(await find(bundleOf([cv, aml], 200))).toEqual(['aml.bin', 'for aml']);
  });

  test.each([
    ['chip', { chip: 'amlctrl bhb68601' }],
    ['x for any character', { hardware: 'AMLCtrl_BHB68xxx' }],
    ['the text within another', { hardware: 'AMLCtrl_BHB68601_v2' }],
    ['its file name', { name: 'S21-AMLCtrl_BHB68601.bin', chip: 'am1' }],
    ['its model alone, when it names no board', {}],
  ])('is known by %s', async (_, texts) => {
    expect(await find(bundleOf([cv, { model: 'ANTMINER  S21', payload: 'mine', ...texts }]))).toMatchObject({
      1: 'mine',
    });
  });

  test('is the more exact of two', async () => {
    const loose = { ...aml, hardware: 'AMLCtrl_BHB68xxx', payload: 'loose' };
    expect(await find(bundleOf([loose, aml]))).toMatchObject({ 1: 'for aml' });
  });

  test('may lie in a bundle within the bundle, and the parts of one firmware stay together', async () => {
    const inner = bundleOf([cv, aml]);
    const outer = bundleOf([{ ...aml, payload: inner }, cv]);
    expect(await find(outer)).toEqual(['aml.bin', 'for aml']);
    const whole = bundleOf([
      { name: 'kernel', payload: 'k' },
      { name: 'root', payload: 'r' },
    ]);
    const found = await firmwareFor(new Blob([new Uint8Array(bundleOf([{ ...aml, payload: whole }]))]), S21);
    expect(typeof found === 'string' ? found : Buffer.from(await found.bytes.arrayBuffer())).toEqual(whole);
  });

  test('of a machine that names its boards in place of itself is found by them alone', async () => {
    const nameless = { model: 'Antminer BHB42XXX', subtype: 'AMLCtrl_BHB68601' };
    expect(await find(bundleOf([cv, aml]), nameless)).toEqual(['aml.bin', 'for aml']);
    expect(await find(bundleOf([{ ...aml, hardware: '' }]), nameless)).toMatch(/not for Antminer BHB42XXX/);
  });

  test('of a machine that does not know its boards is the only one for its model', async () => {
    expect(await find(bundleOf([aml]), { model: 'Antminer S21' })).toEqual(['aml.bin', 'for aml']);
    expect(await find(bundleOf([aml, cv]), { model: 'Antminer S21' })).toMatch(/more than one firmware/);
  });
});

describe('refused', () => {
  test('what is for others', async () => {
    expect(await find(bundleOf([cv]))).toBe(
      'it is for Antminer S21 CVCtrl_BHB68601, not for Antminer S21 with AMLCtrl_BHB68601',
    );
    expect(await find(bundleOf([{ ...aml, model: 'Antminer S21+' }]))).toMatch(/^it is for Antminer S21\+ /);
    expect(await find(bundleOf([aml, { ...aml, payload: 'other' }]))).toMatch(/more than one/);
  });

  const broken = (change: (bundle: Buffer) => void) => {
    const bundle = bundleOf([aml]);
    change(bundle);
    return sealed(bundle);
  };
  test.each([
    ['no bundle', Buffer.from('\u001f\u008b'), /no BMU bundle/],
    ['nothing', Buffer.alloc(0), /no BMU bundle/],
    ['the magic alone', Buffer.alloc(5, 0xab), /within the header/],
    ['another header', broken((bundle) => bundle.writeUInt32LE(40, 8)), /header of another kind/],
    ['no items', broken((bundle) => bundle.writeUInt32LE(0, 12)), /claims 0 items/],
    ['a million items', broken((bundle) => bundle.writeUInt32LE(1_000_000, 12)), /claims 1000000 items/],
    ['small items', broken((bundle) => bundle.writeUInt32LE(100, 16)), /items of 100 bytes/],
    ['more items than bytes', broken((bundle) => bundle.writeUInt32LE(200, 12)), /within the list/],
    ['an item beyond its end', broken((bundle) => bundle.writeUInt32LE(9_999, 36 + 168)), /beyond its end/],
    ['an item on the header', broken((bundle) => bundle.writeUInt32LE(0, 36 + 164)), /beyond its end/],
    ['a wrong checksum', Buffer.from(bundleOf([aml])).fill(0, 24, 28), /checksum/],
    ['a cut file', bundleOf([aml]).subarray(0, -1), /checksum/],
  ])('%s', async (_, bundle, words) => expect(await find(bundle)).toMatch(words));

  test('bundles without end', async () => {
    let payload: Buffer = Buffer.from('deep');
    for (let depth = 0; depth < 6; depth++) payload = bundleOf([{ ...aml, payload }]);
    expect(await find(payload)).toMatch(/without end/);
  });

  test('any damage, without an error', async () => {
    const bundle = bundleOf([cv, aml]);
    await fc.assert(
      fc.asyncProperty(fc.nat(bundle.length - 1), fc.integer({ min: 1, max: 255 }), async (at, bits) => {
        const damaged = Buffer.from(bundle);
        damaged.writeUInt8(damaged.readUInt8(at) ^ bits, at);
        expect(await find(damaged)).toBeTypeOf('string');
        expect(['string', 'object']).toContain(typeof (await find(sealed(damaged))));
      }),
      { numRuns: 300 },
    );
  });
});
