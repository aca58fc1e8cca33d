// The present state of a simulated Avalon in the numbers that its firmware prints. The texts and the truth read these.
import type { SimDevice } from '../_farm/device.ts';
import { round } from '../_farm/noise.ts';
import type { Shares } from '../_farm/shares.ts';
import type { Truth } from '../_farm/truth.ts';
import { turning, whoIs } from '../_farm/truth-parts.ts';
import type { AvalonModel } from './farm.data.ts';

export type AvalonFacts = {
  readonly ghs: number;
  readonly averageGhs: number;
  readonly expectedGhs: number;
  readonly boards: readonly {
    readonly slot: number;
    readonly isDead: boolean;
    readonly ghs: number;
    readonly maxC: number;
    readonly avgC: number;
  }[];
  readonly inletC: number;
  readonly maxC: number;
  readonly avgC: number;
  readonly fans: readonly number[];
  readonly wallW: number;
  readonly isIdle: boolean;
  readonly psuError: number;
  readonly boardErrors: readonly number[];
  readonly shares: Shares;
  readonly isPoolAlive: boolean;
};

export function avalonFacts(device: SimDevice): AvalonFacts {
  const body = device.body();
  const boards = body.boards.map((board) => ({
    slot: board.slot,
    isDead: board.isDead,
    ghs: round(board.hashrateHs / 1e9, 2),
    maxC: board.isDead ? 0 : board.chipMaxC,
    avgC: board.isDead ? 0 : board.chipAvgC,
  }));
  const alive = boards.filter((board) => !board.isDead);
  const sumGhs = boards.reduce((sum, board) => sum + board.ghs, 0);
  const errorWord = device.faults.number('vendor-error', 16) ?? 0;
  return {
    ghs: round(sumGhs, 2),
    averageGhs: round(sumGhs * body.averageFactor, 2),
    expectedGhs: round(body.expectedHs / 1e9, 2),
    boards,
    inletC: Math.round(body.inletC),
    maxC: Math.max(0, ...alive.map((board) => board.maxC)),
    avgC: Math.round(alive.reduce((sum, board) => sum + board.avgC, 0) / Math.max(1, alive.length)),
    fans: body.fansRpm,
    wallW: body.powerW,
    isIdle: device.settings.mode === 'sleep',
    psuError: device.faults.has('psu-fault') ? 2 : 0,
    boardErrors: boards.map((board) => (board.slot === Math.min(1, boards.length - 1) ? errorWord : 0)),
    shares: device.shares(),
    isPoolAlive: !device.faults.has('pool-dead'),
  };
}

/** DNA: sixteen hex digits. */
export function avalonDna(device: SimDevice): string {
  return `02010000${device.identity.mac.replaceAll(':', '').slice(4).toLowerCase()}`;
}

export function avalonTruth(device: SimDevice, model: AvalonModel): Truth {
  const facts = avalonFacts(device);
  return {
    ...whoIs(device, model),
    serial_number: avalonDna(device),
    firmware_version: model.firmware,
    hostname: null,
    is_mining: !facts.isIdle && facts.ghs > 0,
    mining_mode: device.settings.mode,
    hashrate: facts.ghs * 1e9,
    expected_hashrate: facts.expectedGhs * 1e9,
    power: model.isA10 ? null : facts.wallW,
    temp: facts.maxC || null,
    uptime: device.uptimeS(),
    hashboards: facts.boards.map((board) => ({
      serial_number: null,
      hashrate: board.ghs * 1e9,
      chips: model.chipsPerBoard,
      chip_frequency: model.frequencyMhz,
    })),
    fans: turning(facts.fans),
    pools: device.settings.pools.map((pool, index) => ({
      url: pool.url,
      worker_id: pool.user,
      difficulty_accepted: index === 0 ? facts.shares.accepted * facts.shares.difficulty : 0,
      difficulty_rejected: index === 0 ? facts.shares.rejected * facts.shares.difficulty : 0,
      difficulty_stale: index === 0 ? facts.shares.stale * facts.shares.difficulty : 0,
    })),
    psus: [{ serial_number: null, temperature: null }],
    errors: [
      ...(facts.psuError === 0 ? [] : [{ code: `PS:${facts.psuError}` }]),
      ...facts.boardErrors.filter((word) => word !== 0).map((word) => ({ code: `ECHU:${word}` })),
    ],
    light_on: model.isHome ? null : device.settings.isLightOn,
  };
}
