import { expect, test } from 'vitest';
import { withOwnBuild } from '../../../src/driver/kit/models/own-build.ts';

const table = { boards: 3, chipsPerBoard: 76, fans: 4, hashrateHs: 1e14 };

test('what the device says of its build is expected, and a difference is on record', () => {
  expect(withOwnBuild(table, { boards: 2, fans: 4 })).toEqual({
    ...table,
    boards: 2,
    own: ['boards', 'fans'],
    contradicted: [{ what: 'boards', device: 2, table: 3 }],
  });
});

test('a device of a model that no row knows is believed', () => {
  expect(withOwnBuild(undefined, { boards: 2, chipsPerBoard: 120 })).toEqual({
    boards: 2,
    chipsPerBoard: 120,
    own: ['boards', 'chipsPerBoard'],
  });
});

test('silence and a build of nothing leave the table alone', () => {
  expect(withOwnBuild(table, {})).toEqual(table);
  expect(withOwnBuild(table, { boards: 0, chipsPerBoard: Number.NaN, fans: undefined })).toEqual(table);
  expect(withOwnBuild(undefined, {})).toEqual({});
});

test('no fans is a build', () => {
  expect(withOwnBuild(table, { fans: 0 })).toMatchObject({ fans: 0, contradicted: [{ device: 0, table: 4 }] });
});
