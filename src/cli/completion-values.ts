// What may stand after an option or before the miners, for the tab key: words of a list, one of them or several with
// commas between. It asks nothing.
import { DIRECTIONS, FIRST_CORNERS } from '../model/locations/rack-grid.ts';
import { POWER_MODES } from '../model/tasks/task-params.ts';
import type { Offer } from './completion-words.ts';
import { COLUMNS } from './fleet/list/columns.ts';
import { GROUPINGS } from './fleet/list/groups.ts';

type Values = {
  readonly offers: readonly Offer[];
  /** Several of them, with commas between. */
  readonly isList?: boolean;
  /** A minus before one turns it round. */
  readonly isSigned?: boolean;
};

const plain = (names: readonly string[]): readonly Offer[] => names.map((value) => ({ value, about: '' }));
const columns = COLUMNS.map(({ key, about }) => ({ value: key, about }));

/** By command and option, or name of the argument. */
const VALUES: Readonly<Record<string, Readonly<Record<string, Values>>>> = {
  miners: {
    columns: { offers: [...columns, { value: 'help', about: 'says what each of them is' }], isList: true },
    sort: { offers: columns, isList: true, isSigned: true },
    'group-by': { offers: plain(GROUPINGS) },
  },
  power: { mode: { offers: plain(POWER_MODES) } },
  'rack set': { first: { offers: plain(FIRST_CORNERS) }, along: { offers: plain(DIRECTIONS) } },
};

/** Those that begin with what is typed; undefined = any text may stand there. */
export function valuesFor(command: string, name: string, typed: string): readonly Offer[] | undefined {
  const values = VALUES[command]?.[name];
  if (values === undefined) return undefined;
  const { offers, isList = false, isSigned = false } = values;
  const before = isList ? typed.slice(0, typed.lastIndexOf(',') + 1) : '';
  const sign = isSigned && typed.slice(before.length).startsWith('-') ? '-' : '';
  const given = new Set(before.split(',').map((word) => (isSigned ? word.replace(/^-/, '') : word)));
  return offers
    .filter(({ value }) => !given.has(value) && !(value === 'help' && before !== ''))
    .map(({ value, about }) => ({ value: `${before}${sign}${value}`, about }))
    .filter(({ value }) => value.startsWith(typed));
}

/** Of a command: `columns` and so on. */
export const namesWithValues = (command: string): readonly string[] => Object.keys(VALUES[command] ?? {});

export const COMMANDS_WITH_VALUES: readonly string[] = Object.keys(VALUES);
