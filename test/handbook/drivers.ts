// The tables of what the drivers know, made from the drivers' own data: models and evidence from `covers`, abilities
// from `abilities`, fields from what `read` fills when it gets the samples and the captured cases. Nothing in them is
// written by hand.
import { drivers } from '../../drivers/index.ts';
import { ABILITY_NAMES, type Driver, type EvidenceLevel } from '../../src/driver/contract.ts';
import type { Reading } from '../../src/model/reading.ts';
import { hasRecordings } from '../contract/answers.ts';
import { samplesOf } from '../contract/samples.ts';
import { type Block, blockText } from './blocks.ts';
import { table } from './table.ts';

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

/**
 * What the driver reads of its samples and cases. Some fields are shown by recordings of real devices alone: where
 * these are not at hand, what the page says of the driver stays.
 */
function fieldsOf(driver: Driver): Set<string> {
  const readings = samplesOf(driver).map(({ raw, known }) => driver.read(raw, known).reading);
  const written = hasRecordings ? new Set() : writtenFieldsOf(driver.id);
  return new Set(
    FIELDS.flatMap(([name, has]) =>
      written.has(name) || readings.some((one) => has(one) !== undefined) ? [name] : [],
    ),
  );
}

/** The column of the driver in the table of fields as it is written. */
function writtenFieldsOf(id: string): Set<string> {
  const rows = blockText(FIELDS_BLOCK)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const column = rows[0]?.indexOf(id) ?? -1;
  return new Set(rows.flatMap((cells) => (column > 0 && cells[column] === 'x' ? [cells[1] ?? ''] : [])));
}

/** Best first. */
const levelsOf = ({ covers }: Driver) => LEVELS.filter((level) => covers.some(({ evidence }) => evidence === level));
const abilitiesOf = ({ abilities }: Driver) => ABILITY_NAMES.filter((name) => abilities[name] !== undefined);
const modelsOf = ({ covers }: Driver, levels: readonly EvidenceLevel[]) =>
  [
    ...new Set(
      covers.filter(({ evidence }) => levels.includes(evidence)).flatMap(({ models }) => models.split(/, | and /)),
    ),
  ].join(', ');

const linkTo = (id: string) => `[${id}](../../drivers/${id})`;

/** One row per driver. */
export const overview = (): string =>
  table(
    ['driver', 'models with proof', 'proof', 'also reads', 'commands'],
    drivers.map((driver) => {
      const best = levelsOf(driver)[0] ?? 'claimed';
      const fields = fieldsOf(driver);
      return [
        linkTo(driver.id),
        modelsOf(driver, best === 'claimed' ? LEVELS : ['recording', 'simulated']),
        levelsOf(driver).join(', '),
        [...fields].filter((field) => RARE.has(field)).join(', '),
        abilitiesOf(driver).join(', '),
      ];
    }),
  );

const models = (): string =>
  table(
    ['driver', 'models', 'firmware', 'evidence'],
    drivers.flatMap(({ id, covers }) =>
      covers.map(({ models, firmware, evidence }, index) => [
        index === 0 ? linkTo(id) : '',
        models,
        firmware,
        evidence,
      ]),
    ),
  );

export function fields(): string {
  const known = new Map(drivers.map((driver) => [driver.id, fieldsOf(driver)]));
  return table(
    ['field', ...drivers.map(({ id }) => id)],
    FIELDS.map(([name]) => [name, ...drivers.map(({ id }) => (known.get(id)?.has(name) ? 'x' : ''))]),
  );
}

function abilities(): string {
  const offline = ([from, to]: readonly [number, number]) => (to === 0 ? '' : `, away ${from}-${to} s`);
  return table(
    ['driver', ...ABILITY_NAMES],
    drivers.map(({ id, abilities }) => [
      id,
      ...ABILITY_NAMES.map((name) => {
        const ability = abilities[name];
        return ability === undefined
          ? ''
          : `${ability.effect}${offline(ability.offlineS)}${ability.shows === undefined && ability.provesLogin === undefined ? '' : ', proven'}`;
      }),
    ]),
  );
}

const FIELDS_BLOCK: Block = { page: 'miners', name: 'fields', make: fields };

export const DRIVER_BLOCKS: readonly Block[] = [
  { page: 'miners', name: 'drivers', make: overview },
  { page: 'miners', name: 'models', make: models },
  FIELDS_BLOCK,
  { page: 'miners', name: 'abilities', make: abilities },
];
