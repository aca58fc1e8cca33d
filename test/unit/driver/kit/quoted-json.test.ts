// JSON that devices put into texts: escaped as it should be, in bare quotes, or none at all.
import { expect, test } from 'vitest';
import { jsonInside } from '../../../../src/driver/kit/index.ts';

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

test('a hostile text takes no time', () => {
  const units = ['"{', '"', '["', '[', '{},', '"{}",', '\\"', '" ', '"a'];
  for (const unit of units) for (const before of ['', '"', '{"a":"']) jsonInside(`${before}${unit.repeat(200_000)}`);
}, 2_000);
