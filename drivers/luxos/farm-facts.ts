// The present state of a simulated LuxOS miner in the numbers that its firmware prints. Every command and the truth
// read these, so they agree.
import type { SimDevice } from '../_farm/device.ts';
import { serialOf } from '../_farm/identity.ts';
import { round } from '../_farm/noise.ts';
import type { Mode } from '../_farm/physics.ts';
import type { Truth } from '../_farm/truth.ts';
import { firstCounted, turning, whoIs } from '../_farm/truth-parts.ts';
import type { LuxosModel } from './farm.data.ts';

type LuxosBoard = {
  readonly slot: number;
  readonly isDead: boolean;
  readonly serial: string;
  readonly mhs: number;
  readonly averageMhs: number;
  readonly nominalMhs: number;
  readonly hw: number;
  readonly inletC: number;
  readonly exhaustC: number;
};

type LuxosProfile = { readonly name: string; readonly step: string; readonly factor: number };

/** What the farm's modes are called here. */
const STEPS = { low: ['-4', 0.8], normal: ['0', 1], high: ['2', 1.1] } as const satisfies Record<
  Exclude<Mode, 'sleep'>,
  readonly [string, number]
>;

export const MODES = ['low', 'normal', 'high'] as const;

export function profileOf(model: LuxosModel, mode: Mode): LuxosProfile {
  const [step, factor] = STEPS[mode === 'sleep' ? 'normal' : mode];
  return { name: factor === 1 ? 'default' : `${Math.round(model.frequencyMhz * factor)}MHz`, step, factor };
}

export type LuxosFacts = {
  readonly boards: readonly LuxosBoard[];
  readonly ghs: number;
  readonly averageGhs: number;
  readonly dayGhs: number;
  readonly idealGhs: number;
  readonly frequencyMhz: number;
  readonly fans: readonly number[];
  readonly dutyPercent: number;
  readonly elapsedS: number;
  readonly powerW: number;
  readonly isAsleep: boolean;
  readonly profile: LuxosProfile;
  readonly events: readonly { readonly code: string; readonly text: string; readonly board?: number }[];
};

export function luxosFacts(device: SimDevice, model: LuxosModel): LuxosFacts {
  const body = device.body();
  const profile = profileOf(model, device.settings.mode);
  const boards = body.boards.map((board): LuxosBoard => {
    const mhs = round(board.hashrateHs / 1e6, 2);
    return {
      slot: board.slot,
      isDead: board.isDead,
      serial: serialOf('JYZZYRSBD', 4, device.site.seed, device.index, board.slot),
      mhs,
      averageMhs: round(mhs * body.averageFactor, 2),
      nominalMhs: round(body.expectedHs / 1e6 / body.boards.length, 2),
      hw: board.hwErrors,
      inletC: board.isDead ? 0 : Math.round(body.inletC + 8),
      exhaustC: board.isDead ? 0 : board.boardC,
    };
  });
  const sumGhs = boards.reduce((sum, board) => sum + board.mhs, 0) / 1_000;
  return {
    boards,
    ghs: round(sumGhs, 2),
    averageGhs: round(sumGhs * body.averageFactor, 2),
    dayGhs: round(sumGhs * 0.998, 2),
    idealGhs: round(body.expectedHs / 1e9, 2),
    frequencyMhz: round(model.frequencyMhz * profile.factor, 2),
    fans: body.fansRpm,
    dutyPercent: body.isHashing ? 70 : 20,
    elapsedS: device.uptimeS(),
    powerW: body.powerW,
    isAsleep: device.settings.mode === 'sleep',
    profile,
    events: eventsOf(device),
  };
}

/** `vendor-error` takes a code, e.g. `NOPIC_PROTECTION`. */
function eventsOf(device: SimDevice): LuxosFacts['events'] {
  const code = device.faults.text('vendor-error', 'REBOOT_NOT_HASHING');
  return [
    ...(code === undefined ? [] : [{ code, text: 'Board reboot due to it not hashing.', board: 1 }]),
    ...(device.faults.has('psu-fault') ? [{ code: 'PSU_FAILURE', text: 'Power supply failure.' }] : []),
    ...(device.settings.mode === 'sleep' ? [{ code: 'SLEEP', text: 'Miner is sleeping.' }] : []),
  ];
}

export function luxosSerial(device: SimDevice): string {
  return serialOf('JYZZB0UBD', 4, device.site.seed, device.index, 60);
}

export function luxosTruth(device: SimDevice, model: LuxosModel): Truth {
  const facts = luxosFacts(device, model);
  const { mode } = device.settings;
  return {
    ...whoIs(device, model),
    serial_number: luxosSerial(device),
    firmware_version: device.settings.firmware ?? model.firmware,
    hostname: device.settings.hostname,
    is_mining: !facts.isAsleep && facts.ghs > 0,
    // Profiles other than the default are presets, not modes.
    mining_mode: mode === 'sleep' || mode === 'normal' ? mode : null,
    hashrate: facts.ghs * 1e9,
    expected_hashrate: facts.idealGhs * 1e9,
    power: facts.powerW,
    temp: Math.max(0, ...facts.boards.flatMap((board) => (board.isDead ? [] : [board.exhaustC, board.inletC]))),
    uptime: facts.elapsedS,
    hashboards: facts.boards.map((board) => ({
      serial_number: board.serial,
      hashrate: board.mhs * 1e6,
      chips: board.isDead ? 0 : model.chipsPerBoard,
      chip_frequency: board.isDead ? null : facts.frequencyMhz,
    })),
    fans: turning(facts.fans),
    pools: firstCounted(device),
    psus: [{ serial_number: null, temperature: null }],
    errors: facts.events.map(({ code }) => ({ code })),
    light_on: device.settings.isLightOn,
  };
}
