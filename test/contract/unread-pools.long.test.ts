// An empty list of pools is a statement: the device has none. It is made where the device made it, not where its rows
// could not be read.
import { describe, expect, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import { isObject, type Path, pathsTo, withChange } from './hunt.ts';
import { samplesOf } from './samples.ts';

const ADDRESS = /^(url|URL|addr|pool)$/;
const addressKey = (row: unknown) => (isObject(row) ? Object.keys(row).find((key) => ADDRESS.test(key)) : undefined);

/** Lists whose rows have an address, and groups of such lists. */
const isRows = (value: unknown) => Array.isArray(value) && value.length > 0 && value.some(addressKey);
const isGroups = (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every((group) => isObject(group) && 'pools' in group);

type Raw = Readonly<Record<string, unknown>>;
type Row = Readonly<Record<string, unknown>>;

const at = (raw: Raw, path: Path): unknown =>
  path.reduce<unknown>((value, key) => (isObject(value) ? Reflect.get(value, key) : undefined), raw);
const rowsAt = (raw: Raw, path: Path): readonly unknown[] => {
  const rows = at(raw, path);
  return Array.isArray(rows) ? rows : [];
};

/** The same in every list of pools of the answers. */
function everywhere(raw: Raw, isWanted: (value: unknown) => boolean, change: (row: Row) => unknown): Raw {
  return pathsTo(raw, isWanted).reduce<Raw>((changed, path) => {
    const rows = rowsAt(changed, path).map((row) => (isObject(row) ? change({ ...row }) : row));
    return withChange(changed, path, rows);
  }, raw);
}

const withAddress = (raw: Raw, address: unknown): Raw =>
  everywhere(raw, isRows, (row) => {
    const key = addressKey(row);
    return key === undefined ? row : { ...row, [key]: address };
  });
const withoutKey = (row: Row, wanted: RegExp) =>
  Object.fromEntries(Object.entries(row).filter(([key]) => !wanted.test(key)));

const UNREAD: readonly (readonly [string, (raw: Raw) => Raw])[] = [
  ['no address in any row', (raw) => everywhere(raw, isRows, (row) => withoutKey(row, ADDRESS))],
  ['addresses that are no texts', (raw) => withAddress(raw, { host: 'pool.example' })],
  ['addresses of null', (raw) => withAddress(raw, null)],
  ['addresses that the device does not know', (raw) => withAddress(raw, 'N/A')],
  ['rows that are no objects', (raw) => everywhere(raw, isRows, () => 'row')],
  ['groups without their pools', (raw) => everywhere(raw, isGroups, (group) => withoutKey(group, /^pools$/))],
];

const withPools = drivers.map((driver) => ({
  driver,
  samples: samplesOf(driver).filter(
    ({ raw, known }) => (driver.read(raw, known).reading.pools?.length ?? 0) > 0 && pathsTo(raw, isRows).length > 0,
  ),
}));

describe.each(withPools.filter(({ samples }) => samples.length > 0).map((each) => [each.driver.id, each] as const))(
  '%s',
  (_, { driver, samples }) => {
    test.each(UNREAD)('%s are no word that none is set', (_name, damage) => {
      const found = samples.filter(({ raw, known }) => driver.read(damage(raw), known).reading.pools?.length === 0);
      expect(found.map(({ name }) => name)).toEqual([]);
    });

    test('empty addresses, and no rows, are no pools', () => {
      const said = samples.flatMap(({ name, raw, known }) => {
        const noRows = pathsTo(raw, isRows).reduce<Raw>((changed, path) => withChange(changed, path, []), raw);
        return [withAddress(raw, ''), noRows].map((changed) => ({
          name,
          count: driver.read(changed, known).reading.pools?.length ?? 0,
        }));
      });
      expect(said.filter(({ count }) => count > 0)).toEqual([]);
    });

    test('a place that is empty beside one that cannot be read says nothing', () => {
      const found = samples.filter(({ raw, known }) => {
        let row = 0;
        const damaged = everywhere(raw, isRows, (each) => {
          const key = addressKey(each);
          return key === undefined ? each : { ...each, [key]: row++ === 0 ? {} : '' };
        });
        return driver.read(damaged, known).reading.pools?.length === 0 && pathsTo(raw, isRows).length === 1;
      });
      expect(found.map(({ name }) => name)).toEqual([]);
    });
  },
);

test('most drivers tell their pools in rows', () => {
  expect(withPools.filter(({ samples }) => samples.length > 0).length).toBeGreaterThan(18);
});
