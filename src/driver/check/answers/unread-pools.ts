// Check of pools: an empty list is a statement, the device has none. It is made where the device made it, not where its
// rows could not be read.
import { type Check, type Problem, problem, type Sample, type Subject } from '../finding.ts';
import { isObject, type Path, pathsTo, withChange } from './change.ts';

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

/** The samples whose pools stand in rows. */
export const withRows = ({ driver, samples }: Pick<Subject, 'driver' | 'samples'>): readonly Sample[] =>
  samples.filter(
    ({ raw, known }) => (driver.read(raw, known).reading.pools?.length ?? 0) > 0 && pathsTo(raw, isRows).length > 0,
  );

export const unreadPools: Check<Subject> = {
  name: 'unread-pools',
  owes: 'no word that no pool is set where the pools could not be read',
  run(subject) {
    const { driver, folder } = subject;
    const poolsOf = (raw: Raw, { known }: Sample) => driver.read(raw, known).reading.pools?.length;
    const unread = `let \`pools\` in ${folder} be undefined where there are rows and none can be read`;
    return withRows(subject).flatMap((sample): Problem[] => {
      const { name, raw } = sample;
      const noRows = pathsTo(raw, isRows).reduce<Raw>((changed, path) => withChange(changed, path, []), raw);
      return [
        ...UNREAD.filter(([, damage]) => poolsOf(damage(raw), sample) === 0).map(([what]) =>
          problem(`${name}: with ${what} it says that no pool is set`, unread),
        ),
        ...[withAddress(raw, ''), noRows].flatMap((changed) => {
          const count = poolsOf(changed, sample) ?? 0;
          const next = `let \`pools\` in ${folder} leave out places without an address`;
          return count === 0 ? [] : [problem(`${name}: with empty addresses, or no rows, it has ${count} pools`, next)];
        }),
        ...halfRead(raw)
          .filter((changed) => poolsOf(changed, sample) === 0)
          .map(() =>
            problem(`${name}: an empty place beside one that cannot be read is taken for no pool at all`, unread),
          ),
      ];
    });
  },
};

/** One address cannot be read, the others are empty; only where there is one list of pools. */
function halfRead(raw: Raw): readonly Raw[] {
  if (pathsTo(raw, isRows).length !== 1) return [];
  let nth = 0;
  return [
    everywhere(raw, isRows, (each) => {
      const key = addressKey(each);
      return key === undefined ? each : { ...each, [key]: nth++ === 0 ? {} : '' };
    }),
  ];
}
