// The present state of a simulated Whatsminer, in whole GH/s so that the servers (MH/s, TH/s) print the same rate. All
// servers and the truth read these.
import { gzipSync } from 'node:zlib';
import type { SimDevice } from '../_farm/device.ts';
import { serialOf } from '../_farm/identity.ts';
import { round } from '../_farm/noise.ts';
import type { BodyState } from '../_farm/physics.ts';
import type { Shares } from '../_farm/shares.ts';
import { tarOf } from '../_farm/tar.ts';
import type { Truth } from '../_farm/truth.ts';
import { whoIs } from '../_farm/truth-parts.ts';
import type { WhatsminerModel } from './farm.data.ts';

type WhatsminerBoard = {
  readonly slot: number;
  readonly isDead: boolean;
  readonly ghs: number;
  readonly serial: string;
  readonly chips: number;
  readonly boardC: number;
  readonly chipMaxC: number;
  readonly chipAvgC: number;
  readonly chipMinC: number;
  readonly hwErrors: number;
};

export type WhatsminerFacts = {
  readonly body: BodyState;
  readonly boards: readonly WhatsminerBoard[];
  readonly ghs: number;
  readonly averageGhs: number;
  readonly factoryGhs: number;
  readonly boardC: number;
  readonly chipMaxC: number;
  readonly chipAvgC: number;
  readonly chipMinC: number;
  readonly fanIn: number;
  readonly fanOut: number;
  readonly shares: Shares;
  readonly errorCodes: readonly string[];
  readonly isAsleep: boolean;
};

/** A dead board stays on the list, with its serial number and nothing else. */
export function whatsminerFacts(device: SimDevice, model: WhatsminerModel): WhatsminerFacts {
  const body = device.body();
  const boards = body.boards.map((board): WhatsminerBoard => {
    const of = (value: number) => (board.isDead ? 0 : value);
    return {
      slot: board.slot,
      isDead: board.isDead,
      ghs: round(board.hashrateHs / 1e9),
      serial: serialOf('BKM3CSE', 4, device.site.seed, device.boardsIndex, board.slot),
      chips: of(model.chipsPerBoard),
      boardC: of(board.boardC),
      chipMaxC: of(board.chipMaxC),
      chipAvgC: of(board.chipAvgC),
      chipMinC: of(board.chipMinC),
      hwErrors: board.hwErrors,
    };
  });
  const alive = boards.filter((board) => !board.isDead);
  const ghs = boards.reduce((sum, board) => sum + board.ghs, 0);
  return {
    body,
    boards,
    ghs,
    averageGhs: round(ghs * body.averageFactor),
    factoryGhs: round(body.expectedHs / 1e9),
    boardC: Math.max(0, ...alive.map((board) => board.boardC)),
    chipMaxC: Math.max(0, ...alive.map((board) => board.chipMaxC)),
    chipAvgC: round(alive.reduce((sum, board) => sum + board.chipAvgC, 0) / Math.max(1, alive.length), 2),
    chipMinC: Math.min(...alive.map((board) => board.chipMinC)),
    fanIn: body.fansRpm[0] ?? 0,
    fanOut: body.fansRpm[1] ?? 0,
    shares: device.shares(),
    errorCodes: errorCodes(device),
    isAsleep: device.settings.mode === 'sleep',
  };
}

/** What the firmware itself complains about; see the vendor's table for the meaning. */
function errorCodes(device: SimDevice): string[] {
  const codes: string[] = [];
  const stoppedFan = device.faults.number('fan-stopped', 1);
  if (stoppedFan !== undefined) codes.push(stoppedFan === 0 ? '130' : '131');
  if (device.faults.has('psu-fault')) codes.push('210');
  const given = device.faults.text('vendor-error', '541');
  if (given !== undefined) codes.push(given);
  return codes;
}

export function firmwareOf(device: SimDevice, model: WhatsminerModel): string {
  return device.settings.firmware ?? model.firmware;
}

/** What the device packs when its logs are asked for. */
export function packedLogs(device: SimDevice, model: WhatsminerModel): Buffer {
  const nowS = Math.floor(device.nowS());
  const lines = [
    `${stamp(device)} boot firmware ${firmwareOf(device, model)}`,
    `${stamp(device)} uptime ${device.uptimeS()}`,
  ];
  return gzipSync(
    tarOf([
      { name: 'logs/miner.log', text: `${lines.join('\n')}\n`, writtenS: nowS },
      { name: 'logs/system.log', text: `${stamp(device)} network up ${device.mac}\n`, writtenS: nowS - 60 },
    ]),
  );
}

export function whatsminerSerial(device: SimDevice): string {
  return serialOf('HTM31X', 5, device.site.seed, device.serialIndex);
}

export function psuSerial(device: SimDevice): string {
  return serialOf('PSU1436B', 2, device.site.seed, device.index);
}

/** Local time of the device as its error list prints it. */
export function stamp(device: SimDevice): string {
  return new Date(Math.floor(device.nowS() / 3_600) * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
}

export function whatsminerTruth(device: SimDevice, model: WhatsminerModel): Truth {
  const facts = whatsminerFacts(device, model);
  // The same multiplication that a reader of the printed unit does, so that the last bit agrees.
  const hs = (ghs: number) => (model.api === 3 ? (ghs / 1_000) * 1e12 : ghs * 1e9);
  const difficulty = (count: number) => (model.api === 3 ? null : count * facts.shares.difficulty);
  return {
    ...whoIs(device, model),
    serial_number: whatsminerSerial(device),
    firmware_version: firmwareOf(device, model),
    hostname: device.settings.hostname,
    is_mining: !facts.isAsleep && facts.ghs > 0,
    mining_mode: device.settings.mode,
    hashrate: hs(facts.ghs),
    expected_hashrate: hs(facts.factoryGhs),
    power: facts.body.powerW,
    temp: facts.chipMaxC,
    uptime: device.uptimeS(),
    hashboards: facts.boards.map((board) => ({
      serial_number: board.serial,
      hashrate: hs(board.ghs),
      chips: board.chips,
      chip_frequency: board.isDead ? null : model.frequencyMhz,
    })),
    fans: [
      { index: 0, rpm: facts.fanIn },
      { index: 1, rpm: facts.fanOut },
    ],
    pools: device.settings.pools.map((pool, index) => ({
      url: pool.url,
      worker_id: pool.user,
      difficulty_accepted: difficulty(index === 0 ? facts.shares.accepted : 0),
      difficulty_rejected: difficulty(index === 0 ? facts.shares.rejected : 0),
      difficulty_stale: difficulty(index === 0 ? facts.shares.stale : 0),
    })),
    psus: [{ serial_number: psuSerial(device), temperature: null }],
    errors: facts.errorCodes.map((code) => ({ code })),
    light_on: device.settings.isLightOn,
  };
}
