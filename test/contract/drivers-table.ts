// The tables of what the drivers know, made from the drivers' own data: models and evidence from `covers`, abilities from `abilities`, fields from
// what `read` fills when it gets the samples and the captured cases. Nothing in them is written by hand.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drivers } from '../../drivers/index.ts';
import { ABILITY_NAMES, type Driver, type EvidenceLevel } from '../../src/driver/contract.ts';
import type { Reading } from '../../src/model/reading.ts';
import { samplesOf } from './samples.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const BEGIN = '<!-- drivers:begin (npm run drivers:table) -->';
const END = '<!-- drivers:end -->';

/** One column: a name for people, and whether a reading has it. */
const FIELDS: readonly (readonly [string, (reading: Reading) => unknown])[] = [
  ['MAC', (r) => r.mac],
  ['serial', (r) => r.serialNumber],
  ['hostname', (r) => r.hostname],
  ['firmware', (r) => r.firmwareVersion],
  ['hashrate', (r) => r.hashrateHs],
  ['24 h', (r) => r.hashrate24hHs],
  ['expected', (r) => r.expected?.hashrateHs],
  ['power', (r) => r.powerW],
  ['power limit', (r) => r.powerLimitW],
  ['uptime', (r) => r.uptimeS ?? r.systemUptimeS],
  ['mode', (r) => r.miningMode],
  ['preset', (r) => r.miningModePreset],
  ['light', (r) => r.isLightOn],
  ['temp', (r) => r.tempC],
  ['inlet', (r) => r.inletTempC ?? r.boards?.find((board) => board.inletTempC !== undefined)],
  ['outlet', (r) => r.outletTempC ?? r.boards?.find((board) => board.outletTempC !== undefined)],
  ['boards', (r) => r.boards?.[0]],
  ['board rate', (r) => r.boards?.find((board) => board.hashrateHs !== undefined)],
  ['board serial', (r) => r.boards?.find((board) => board.serialNumber !== undefined)],
  ['chips', (r) => r.totalChips ?? r.boards?.find((board) => board.chips !== undefined)],
  ['frequency', (r) => r.boards?.find((board) => board.frequencyMhz !== undefined)],
  ['HW errors', (r) => r.boards?.find((board) => board.hwErrors !== undefined)],
  ['fans', (r) => r.fans?.[0]],
  ['PSU', (r) => r.psus?.[0]],
  ['pools', (r) => r.pools?.[0]],
  ['difficulty', (r) => r.pools?.find((pool) => pool.difficultyAccepted !== undefined)],
  ['errors', (r) => r.errors],
];
/** Not every family has these: the short table names them. */
const RARE = new Set(['serial', '24 h', 'power', 'light', 'inlet', 'outlet', 'board serial', 'PSU', 'errors']);

const LEVELS: readonly EvidenceLevel[] = ['recording', 'simulated', 'claimed'];

function fieldsOf(driver: Driver): Set<string> {
  const readings = samplesOf(driver).map(({ raw, known }) => driver.read(raw, known).reading);
  return new Set(FIELDS.flatMap(([name, has]) => (readings.some((one) => has(one) !== undefined) ? [name] : [])));
}

const row = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

/** Best first. */
const levelsOf = ({ covers }: Driver) => LEVELS.filter((level) => covers.some(({ evidence }) => evidence === level));
const abilitiesOf = ({ abilities }: Driver) => ABILITY_NAMES.filter((name) => abilities[name] !== undefined);
const modelsOf = ({ covers }: Driver, levels: readonly EvidenceLevel[]) =>
  [
    ...new Set(
      covers.filter(({ evidence }) => levels.includes(evidence)).flatMap(({ models }) => models.split(/, | and /)),
    ),
  ].join(', ');

/** For the README of the project. */
export function shortTable(): string {
  return table(
    ['driver', 'models with proof', 'proof', 'also tells', 'can do'],
    drivers.map((driver) => {
      const best = levelsOf(driver)[0] ?? 'claimed';
      const fields = fieldsOf(driver);
      return [
        `[${driver.id}](drivers/${driver.id})`,
        modelsOf(driver, best === 'claimed' ? LEVELS : ['recording', 'simulated']),
        levelsOf(driver).join(', '),
        [...fields].filter((field) => RARE.has(field)).join(', '),
        abilitiesOf(driver).join(', '),
      ];
    }),
  );
}

/** For the README of the drivers: models, fields, abilities. */
export function fullTables(): string {
  const offline = ([from, to]: readonly [number, number]) => (to === 0 ? '' : `, away ${from}-${to} s`);
  const fields = new Map(drivers.map((driver) => [driver.id, fieldsOf(driver)]));
  return [
    table(
      ['driver', 'models', 'firmware', 'evidence'],
      drivers.flatMap(({ id, covers }) =>
        covers.map(({ models, firmware, evidence }, place) => [
          place === 0 ? `[${id}](${id})` : '',
          models,
          firmware,
          evidence,
        ]),
      ),
    ),
    table(
      ['field', ...drivers.map(({ id }) => id)],
      FIELDS.map(([name]) => [name, ...drivers.map(({ id }) => (fields.get(id)?.has(name) ? 'x' : ''))]),
    ),
    table(
      ['driver', ...ABILITY_NAMES],
      drivers.map(({ id, abilities }) => [
        id,
        ...ABILITY_NAMES.map((name) => {
          const ability = abilities[name];
          return ability === undefined
            ? ''
            : `${ability.effect}${offline(ability.offlineS)}${ability.shows === undefined ? '' : ', proven'}`;
        }),
      ]),
    ),
  ].join('\n\n');
}

/** The files that hold a table, with what must stand between the markers. */
export const TABLES = [
  { path: 'README.md', make: shortTable },
  { path: 'drivers/README.md', make: fullTables },
] as const;

export function isCurrent({ path, make }: (typeof TABLES)[number]): boolean {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return text === withTable(text, make(), path);
}

export function writeTables(): void {
  for (const { path, make } of TABLES) {
    const file = join(ROOT, path);
    writeFileSync(file, withTable(readFileSync(file, 'utf8'), make(), path));
  }
}

/** The text with what was `made` between the markers of the table. */
export function withTable(
  text: string,
  made: string,
  path: string,
  [begin, end]: readonly string[] = [BEGIN, END],
): string {
  const from = begin === undefined ? -1 : text.indexOf(begin);
  const to = end === undefined ? -1 : text.indexOf(end);
  if (begin === undefined || from < 0 || to < from) throw new Error(`${path} has no table: ${begin} … ${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${made}\n\n${text.slice(to)}`;
}
