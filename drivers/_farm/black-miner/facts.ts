// The present state of a simulated Hammer or VolcMiner in the numbers that its firmware prints. Every server and the
// truth read these, so they agree.
import { type AntminerPool, poolFacts } from '../bitmain/facts.ts';
import type { SimDevice } from '../device.ts';
import { round } from '../noise.ts';
import { sensorC } from '../physics.ts';
import type { Truth } from '../truth.ts';
import { whoIs } from '../truth-parts.ts';
import type { BlackMinerModel } from './models.data.ts';

type BlackMinerBoard = {
  readonly isPresent: boolean;
  readonly mhs: number;
  readonly hw: number;
  /** Board, chip, board, chip: two sensors, the second one where it is hotter. */
  readonly sensorsC: readonly [number, number, number, number];
};

export type BlackMinerFacts = {
  readonly boards: readonly BlackMinerBoard[];
  readonly mhs: number;
  readonly averageMhs: number;
  readonly fans: readonly number[];
  readonly elapsedS: number;
  readonly pools: readonly AntminerPool[];
};

/**
 * Decimals of a rate: four on the API, one on the web of a VolcMiner. What is printed by one server only is rounded for
 * it.
 */
const DIGITS = { hammer: 4, volcminer: 1 } as const;

/** A board that died has left the bus. */
export function blackMinerFacts(device: SimDevice, model: BlackMinerModel): BlackMinerFacts {
  const body = device.body();
  const digits = DIGITS[model.driver];
  const boards = body.boards.map((board): BlackMinerBoard => {
    const max = board.chipMaxC;
    const below = (belowC: number) => sensorC(body.inletC, max, belowC);
    return {
      isPresent: !board.isDead,
      mhs: round(board.hashrateHs / 1e6, digits),
      hw: board.hwErrors,
      sensorsC: board.isDead ? [0, 0, 0, 0] : [below(21), below(3), below(19), max],
    };
  });
  const sumMhs = boards.reduce((sum, board) => sum + board.mhs, 0);
  return {
    boards,
    mhs: round(sumMhs, digits),
    averageMhs: round(sumMhs * body.averageFactor, digits),
    fans: body.fansRpm,
    elapsedS: device.uptimeS(),
    pools: poolFacts(device),
  };
}

/** `1,234.5`, as the web of a VolcMiner writes every number. */
export function grouped(value: number, digits = 0): string {
  const [whole = '', fraction] = value.toFixed(digits).split('.');
  const text = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? text : `${text}.${fraction}`;
}

export function blackMinerTruth(device: SimDevice, model: BlackMinerModel): Truth {
  const facts = blackMinerFacts(device, model);
  const isHammer = model.driver === 'hammer';
  const present = facts.boards.filter((board) => board.isPresent);
  const difficulty = (shares: number, each: number) => (isHammer ? shares * each : null);
  const fans = facts.fans.map((rpm, index) => ({ index, rpm }));
  return {
    ...whoIs(device, model),
    serial_number: null,
    firmware_version: isHammer ? model.compileTime : model.fileSystem,
    hostname: device.settings.hostname,
    is_mining: facts.mhs > 0,
    mining_mode: isHammer ? 'normal' : null,
    hashrate: facts.mhs * 1e6,
    expected_hashrate: model.hashrateHs,
    power: null,
    temp: present.length === 0 ? null : Math.max(...present.flatMap((board) => board.sensorsC)),
    uptime: facts.elapsedS,
    hashboards: present.map((board) => ({
      serial_number: null,
      hashrate: board.mhs * 1e6,
      chips: model.chipsPerBoard,
      chip_frequency: model.frequencyMhz,
    })),
    // A VolcMiner writes 0 for a fan that stands still and for one that is not there.
    fans: isHammer ? fans : fans.filter(({ rpm }) => rpm > 0),
    pools: facts.pools
      .filter((pool) => pool.url !== '')
      .map((pool) => ({
        url: pool.url,
        worker_id: pool.user,
        difficulty_accepted: difficulty(pool.accepted, pool.difficulty),
        difficulty_rejected: difficulty(pool.rejected, pool.difficulty),
        difficulty_stale: difficulty(pool.stale, pool.difficulty),
      })),
    psus: [],
    errors: [],
    light_on: isHammer ? device.settings.isLightOn : null,
  };
}
