// The present state of a simulated AxeOS machine in the numbers that its firmware prints. The API and the truth read
// these, so they agree.
import type { PoolSetting, SimDevice } from '../_farm/device.ts';
import { round } from '../_farm/noise.ts';
import type { Truth } from '../_farm/truth.ts';
import { whoIs } from '../_farm/truth-parts.ts';
import type { AxeosModel } from './farm.data.ts';

/** Where the firmware stops everything. */
const OVERHEAT_C = 75;
const IDLE_W = 3;

type AxeosFacts = {
  /** What it tells, which after an overheat may be old. */
  readonly toldGhs: number;
  readonly expectedGhs: number;
  readonly isOverheated: boolean;
  readonly isPaused: boolean;
  readonly chipC: number;
  readonly regulatorC: number;
  readonly powerW: number;
  readonly fanRpm: number;
  readonly powerFault: string;
};

export function axeosFacts(device: SimDevice, model: AxeosModel): AxeosFacts {
  const body = device.body();
  const [board] = body.boards;
  const isPaused = device.settings.mode === 'sleep';
  const chipC = board?.chipMaxC ?? 0;
  const isOverheated = chipC >= OVERHEAT_C || device.faults.has('heat-stop');
  const factor = mhzNow(device, model) / model.frequencyMhz;
  const ghs = round(((board?.hashrateHs ?? 0) * factor) / 1e9, 2);
  return {
    toldGhs: isOverheated && !model.repeatsLastRate ? 0 : ghs,
    expectedGhs: round((body.expectedHs * factor) / 1e9, 2),
    isOverheated,
    isPaused,
    chipC,
    regulatorC: board?.boardC ?? 0,
    powerW: isOverheated ? IDLE_W : Math.max(1, body.powerW),
    fanRpm: body.fansRpm[0] ?? 0,
    powerFault: powerFault(device),
  };
}

/** As its owner has set it. */
export function mhzNow(device: SimDevice, model: AxeosModel): number {
  return Number(device.settings.preset ?? model.frequencyMhz);
}

/** `vendor-error` takes the words of the fault. */
function powerFault(device: SimDevice): string {
  if (device.faults.has('psu-fault')) return 'Input voltage below 4.8 V';
  return device.faults.text('vendor-error', 'VCORE_ERROR') ?? '';
}

/** The two that it can have. */
export function axeosPools(
  device: SimDevice,
): readonly { readonly host: string; readonly port: number; readonly user: string }[] {
  return device.settings.pools.slice(0, 2).map((pool: PoolSetting) => {
    const [, host = '', port = '3333'] = /^(?:[a-z+]+:\/\/)?([^:/]+)(?::(\d+))?/.exec(pool.url) ?? [];
    return { host, port: Number(port), user: pool.user };
  });
}

export function axeosTruth(device: SimDevice, model: AxeosModel): Truth {
  const facts = axeosFacts(device, model);
  // After an overheat the last rate is no rate.
  const hashrate = facts.isOverheated && facts.toldGhs > 0 ? null : facts.toldGhs * 1e9;
  return {
    ...whoIs(device, model),
    serial_number: null,
    firmware_version: device.settings.firmware ?? model.version,
    hostname: device.settings.hostname,
    is_mining: !facts.isOverheated && !facts.isPaused && facts.toldGhs > 0,
    mining_mode: model.isNew ? (facts.isPaused ? 'sleep' : 'normal') : null,
    hashrate,
    expected_hashrate: facts.expectedGhs * 1e9,
    power: facts.powerW,
    temp: facts.chipC,
    uptime: device.uptimeS(),
    hashboards: [
      {
        serial_number: null,
        hashrate,
        chips: model.chipsPerBoard,
        chip_frequency: mhzNow(device, model),
      },
    ],
    fans: [{ index: 0, rpm: facts.fanRpm }],
    pools: axeosPools(device).map(({ host, port, user }) => ({
      url: `stratum+tcp://${host}:${port}`,
      worker_id: user,
      difficulty_accepted: null,
      difficulty_rejected: null,
      difficulty_stale: null,
    })),
    psus: [],
    errors: [
      ...(facts.isOverheated ? [{ code: 'overheat_mode:1' }] : []),
      ...(facts.powerFault === '' ? [] : [{ code: 'power_fault' }]),
    ],
    light_on: null,
  };
}
