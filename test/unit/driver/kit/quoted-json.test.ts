// JSON that devices put into texts: escaped as it should be, in bare quotes, or none at all.
import { expect, test } from 'vitest';
import { jsonInside } from '../../../../src/driver/kit/index.ts';
import { cpuMsOf } from '../../../support/cpu-time.ts';

test.each([
  ['{"a":"[1]"}', { a: '[1]' }],
  ['{"data":"{"a":"[1]"}"}', { data: { a: [1] } }],
  [
    '{"data": "{ "rows": "[ {"user":"w[1]"}, {"user":"w{"} ]", "b": "" }"\n}',
    { data: { rows: [{ user: 'w[1]' }, { user: 'w{' }], b: '' } },
  ],
  [JSON.stringify({ data: JSON.stringify({ a: 'x' }) }), { data: '{"a":"x"}' }],
  ['"{"a":"{}"}"', { a: {} }],
  ['{"data": "{', undefined],
  ['<html>404</html>', undefined],
  ['', undefined],
  [{ a: 1 }, { a: 1 }],
  [undefined, undefined],
])('%j holds %j', (written, held) => expect(jsonInside(written)).toEqual(held));

test.each(['"{', '"', '["', '[', '{},', '"{}",', '\\"', '" ', '"a'])('%s again and again costs little', (unit) => {
  for (const before of ['', '"', '{"a":"']) {
    const text = before + unit.repeat(400_000 / unit.length);
    // Quadratic work would take many seconds; the better of two keeps a collection of garbage out of the verdict.
    const costMs = () => cpuMsOf(() => void jsonInside(text));
    expect(Math.min(costMs(), costMs())).toBeLessThan(400);
  }
});
