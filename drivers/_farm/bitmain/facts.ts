// The present state of a simulated Antminer in the numbers that its firmware prints. Every server and the truth read
// these, so they agree.
import type { SimDevice } from '../device.ts';
import { serialOf } from '../identity.ts';
import { round } from '../noise.ts';
import { type Mode, sensorC } from '../physics.ts';
import type { Truth } from '../truth.ts';
import { counted, turning, whoIs } from '../truth-parts.ts';
import type { AntminerModel } from './antminer.data.ts';

type AntminerBoard = {
  readonly slot: number;
  readonly isPresent: boolean;
  readonly ghs: number;
  readonly serial: string;
  readonly hw: number;
  readonly chipC: readonly number[];
  readonly pcbC: readonly number[];
  readonly picC: readonly number[];
};

export type AntminerPool = {
  readonly url: string;
  readonly user: string;
  readonly pass: string;
  readonly isAlive: boolean;
  readonly isActive: boolean;
  readonly accepted: number;
  readonly rejected: number;
  readonly stale: number;
  readonly difficulty: number;
};

export type WebStatus = { readonly type: string; readonly status: string; readonly code: number; readonly msg: string };

export type AntminerFacts = {
  readonly boards: readonly AntminerBoard[];
  readonly ghs: number;
  readonly averageGhs: number;
  readonly idealGhs: number;
  readonly boardIdealGhs: number;
  readonly fans: readonly number[];
  readonly elapsedS: number;
  readonly pools: readonly AntminerPool[];
  readonly status: readonly WebStatus[];
  readonly isPsuOk: boolean;
  /** The code on port 6060, or `None`. */
  readonly warning: string;
  readonly powerW: number;
};

export const MODE_NUMBER = { normal: 0, sleep: 1, high: 2, low: 3 } as const satisfies Record<Mode, number>;

/** A board that died has left the bus: no chips, no rate, no sensor. */
export function antminerFacts(device: SimDevice): AntminerFacts {
  const body = device.body();
  const boards = body.boards.map((board): AntminerBoard => {
    const max = board.chipMaxC;
    const sensors = (...below: readonly number[]) =>
      board.isDead ? [0, 0, 0, 0] : below.map((belowC) => sensorC(body.inletC, max, belowC));
    return {
      slot: board.slot,
      isPresent: !board.isDead,
      ghs: round(board.hashrateHs / 1e9, 2),
      serial: serialOf('SMTTYRHB', 3, device.site.seed, device.boardsIndex, board.slot),
      hw: board.hwErrors,
      chipC: sensors(0, 25, 8, 9),
      pcbC: sensors(5, 30, 13, 14),
      picC: sensors(15, 18, 40, 42),
    };
  });
  const sumGhs = boards.reduce((sum, board) => sum + board.ghs, 0);
  const idealGhs = round(body.expectedHs / 1e9, 2);
  return {
    boards,
    ghs: round(sumGhs, 2),
    averageGhs: round(sumGhs * body.averageFactor, 2),
    idealGhs,
    boardIdealGhs: round(idealGhs / boards.length, 2),
    fans: body.fansRpm,
    elapsedS: device.uptimeS(),
    pools: poolFacts(device),
    status: statusFacts(device),
    isPsuOk: !device.faults.has('psu-fault'),
    warning: warningOf(device),
    powerW: body.powerW,
  };
}

/** Always three, the unset ones with empty texts. The first that lives is active. */
export function poolFacts(device: SimDevice): AntminerPool[] {
  const shares = device.shares();
  return [0, 1, 2].map((index) => {
    const pool = device.settings.pools[index];
    const { isAlive, isActive, hasShares } = device.poolState(index);
    const counts = hasShares ? shares : { accepted: 0, rejected: 0, stale: 0, difficulty: 0 };
    return {
      url: pool?.url ?? '',
      user: pool?.user ?? '',
      pass: pool?.pass ?? '',
      isAlive: isAlive && pool !== undefined && pool.url !== '',
      isActive,
      accepted: counts.accepted,
      rejected: counts.rejected,
      stale: counts.stale,
      difficulty: counts.difficulty,
    };
  });
}

const STATUS_TYPES = ['rate', 'network', 'fans', 'temp'] as const;

/** `vendor-error` takes `<type>:<code>`, e.g. `temp:1`. */
export function statusFacts(device: SimDevice): WebStatus[] {
  const [badType, badCode] = (device.faults.text('vendor-error', 'temp:1') ?? '').split(':');
  return STATUS_TYPES.map((type) =>
    type === badType
      ? { type, status: 'e', code: Number(badCode ?? 1), msg: `${type} fault` }
      : { type, status: 's', code: 0, msg: '' },
  );
}

/** `vendor-error` with a code such as `R:1` shows here, as does a power supply that failed. */
function warningOf(device: SimDevice): string {
  const code = device.faults.text('vendor-error', 'temp:1') ?? '';
  if (/^[A-Z]\d*:\d+$/.test(code)) return code;
  return device.faults.has('psu-fault') ? 'V:1' : 'None';
}

/** `system_filesystem_version`. */
export const firmwareOf = (device: SimDevice, model: AntminerModel): string =>
  device.settings.firmware ?? model.fileSystem;

/** Early builds have no serial number. */
export function antminerSerial(device: SimDevice, model: AntminerModel): string | undefined {
  return model.isEarly ? undefined : serialOf('SMTQING', 4, device.site.seed, device.serialIndex);
}

export function antminerTruth(device: SimDevice, model: AntminerModel): Truth {
  const facts = antminerFacts(device);
  const isMining = device.settings.mode !== 'sleep' && facts.ghs > 0;
  return {
    ...whoIs(device, model),
    serial_number: antminerSerial(device, model) ?? null,
    firmware_version: firmwareOf(device, model),
    hostname: device.settings.hostname,
    is_mining: isMining,
    mining_mode: device.settings.mode,
    hashrate: facts.ghs * 1e9,
    expected_hashrate: facts.idealGhs * 1e9,
    power: model.hasHelper ? facts.powerW : null,
    temp: Math.max(...facts.boards.flatMap((board) => (board.isPresent ? board.chipC : []))),
    uptime: facts.elapsedS,
    hashboards: facts.boards
      .filter((board) => board.isPresent)
      .map((board) => ({
        // Generation B tells it on its web page alone, by a place that need not be that of the API.
        serial_number: model.generation === 'c' ? board.serial : null,
        hashrate: board.ghs * 1e9,
        chips: model.chipsPerBoard,
        chip_frequency: model.frequencyMhz,
      })),
    fans: turning(facts.fans),
    pools: counted(facts.pools),
    // Whether it is well, and nothing more.
    psus: model.generation === 'c' ? [{ serial_number: null, temperature: null }] : [],
    errors: [
      ...facts.status.filter((entry) => entry.status !== 's').map((entry) => ({ code: `${entry.type}:${entry.code}` })),
      ...(model.hasHelper && facts.warning !== 'None' ? [{ code: facts.warning }] : []),
    ],
    light_on: device.settings.isLightOn,
  };
}
