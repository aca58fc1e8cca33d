// The present state of a simulated miner with VNish in the numbers that it prints. All its servers and the truth read
// these, so they agree.
import type { SimDevice } from '../_farm/device.ts';
import { serialOf } from '../_farm/identity.ts';
import { round } from '../_farm/noise.ts';
import type { Truth } from '../_farm/truth.ts';
import { firstCounted, turning, whoIs } from '../_farm/truth-parts.ts';
import type { VnishModel } from './farm.data.ts';

export type VnishChain = {
  readonly id: number;
  readonly isDead: boolean;
  /** In the unit that the machine measures in. */
  readonly rate: number;
  readonly ideal: number;
  readonly chipC: number;
  readonly boardC: number;
  readonly waterInC: number;
  readonly waterOutC: number;
  readonly hwErrors: number;
  readonly serial: string;
};

type VnishFacts = {
  readonly chains: readonly VnishChain[];
  readonly rate: number;
  readonly averageRate: number;
  readonly nominalRate: number;
  readonly fans: readonly number[];
  readonly powerW: number;
  readonly state: 'mining' | 'starting' | 'stopped' | 'failure';
  readonly failure: { readonly code: number; readonly text: string } | undefined;
  readonly psuC: number;
};

export const unitHs = ({ measure }: VnishModel): number => (measure === 'GH/s' ? 1e9 : 1e6);

export function vnishFacts(device: SimDevice, model: VnishModel): VnishFacts {
  const body = device.body();
  const unit = unitHs(model);
  const chains = body.boards.map(
    (board): VnishChain => ({
      id: board.slot + 1,
      isDead: board.isDead,
      rate: round(board.hashrateHs / unit, 2),
      ideal: round(body.expectedHs / model.boards / unit, 2),
      chipC: Math.round(board.chipMaxC),
      boardC: Math.round(board.boardC),
      waterInC: Math.round(body.inletC + 4),
      waterOutC: Math.round(body.inletC + 14),
      hwErrors: board.hwErrors,
      serial: serialOf('SMTTYRHB', 3, device.site.seed, device.index, board.slot),
    }),
  );
  const sum = chains.reduce((total, { rate }) => total + rate, 0);
  const failure = failureOf(device);
  return {
    chains,
    rate: round(sum, 2),
    averageRate: round(sum * body.averageFactor, 2),
    nominalRate: round(body.expectedHs / unit, 2),
    fans: body.fansRpm,
    powerW: body.powerW,
    state: failure ? 'failure' : device.settings.mode === 'sleep' ? 'stopped' : sum > 0 ? 'mining' : 'starting',
    failure,
    psuC: Math.round(body.inletC + 20),
  };
}

/** `vendor-error` takes a code. */
function failureOf(device: SimDevice): VnishFacts['failure'] {
  const code = device.faults.number('vendor-error', 1_002);
  if (code !== undefined) return { code, text: 'Failed to parse miner configuration' };
  return device.faults.has('psu-fault') ? { code: 31, text: 'PSU output voltage is lost' } : undefined;
}

/** The preset is kept as its watts; none is `disabled`. Scrypt machines name theirs by rates. */
export function presetOf(device: SimDevice, model: VnishModel): string {
  return presetName(device.settings.powerLimitW, model);
}
export const presetName = (watts: number, { measure }: VnishModel): string =>
  watts === 0 ? 'disabled' : measure === 'GH/s' ? String(watts) : `${watts * 3} M`;

/** By their watts. */
export const presetsOf = ({ powerW }: VnishModel): readonly number[] => [0, powerW - 500, powerW, powerW + 500];

export function vnishSerial(device: SimDevice): string {
  return serialOf('JYZZB0UBD', 4, device.site.seed, device.index, 60);
}
export const psuSerial = (device: SimDevice): string => serialOf('PSU', 2, device.site.seed, device.index, 61);

/** The clock of the system shows minutes. */
export const shownUptimeS = (device: SimDevice): number => Math.floor(device.systemUptimeS() / 60) * 60;

export function vnishTruth(device: SimDevice, model: VnishModel): Truth {
  const facts = vnishFacts(device, model);
  const unit = unitHs(model);
  const alive = facts.chains.filter(({ isDead }) => !isDead);
  return {
    ...whoIs(device, model),
    serial_number: vnishSerial(device),
    firmware_version: model.firmware,
    hostname: device.settings.hostname,
    is_mining: facts.state === 'mining' && facts.rate > 0,
    mining_mode: facts.state === 'stopped' ? 'sleep' : presetOf(device, model) === 'disabled' ? 'normal' : null,
    hashrate: facts.rate * unit,
    expected_hashrate: facts.nominalRate * unit,
    power: facts.powerW,
    temp: Math.max(...alive.map(({ chipC }) => chipC)),
    uptime: shownUptimeS(device),
    hashboards: facts.chains.map((chain) => ({
      serial_number: chain.serial,
      hashrate: chain.rate * unit,
      chips: chain.isDead ? 0 : model.chipsPerBoard,
      chip_frequency: chain.isDead ? null : model.frequencyMhz,
    })),
    fans: turning(facts.fans),
    pools: firstCounted(device),
    psus: [{ serial_number: psuSerial(device), temperature: model.isLiquid ? facts.psuC : null }],
    errors: [
      ...(facts.failure ? [{ code: String(facts.failure.code) }] : []),
      ...facts.chains.filter(({ isDead }) => isDead).map(() => ({ code: 'chain:failure' })),
    ],
    light_on: device.settings.isLightOn,
  };
}
