// The present state of a simulated miner with Braiins OS in the numbers that it prints. All its servers and the truth
// read these, so they agree.
import type { SimDevice } from '../_farm/device.ts';
import { serialOf } from '../_farm/identity.ts';
import type { Truth } from '../_farm/truth.ts';
import { turning, whoIs } from '../_farm/truth-parts.ts';
import type { BraiinsModel } from './farm.data.ts';

export type BraiinsBoard = {
  readonly slot: number;
  /** As the firmware counts it: from 1 or from 6. */
  readonly name: number;
  readonly isDead: boolean;
  readonly serial: string;
  readonly hs: number;
  readonly nominalHs: number;
  readonly boardC: number;
  readonly chipC: number;
  readonly inletC: number;
  readonly outletC: number;
};

export type BraiinsFacts = {
  readonly boards: readonly BraiinsBoard[];
  readonly hs: number;
  readonly nominalHs: number;
  readonly fans: readonly number[];
  readonly powerW: number;
  readonly isAsleep: boolean;
  readonly troubles: readonly { readonly code: string; readonly kind: string; readonly message: string }[];
};

export function braiinsFacts(device: SimDevice, model: BraiinsModel): BraiinsFacts {
  const body = device.body();
  const nominalHs = body.expectedHs / model.boards;
  const boards = body.boards.map(
    (board): BraiinsBoard => ({
      slot: board.slot,
      name: board.slot + model.firstBoard,
      isDead: board.isDead,
      serial: serialOf('NGSBYPDBC', 4, device.site.seed, device.index, board.slot),
      hs: board.hashrateHs,
      nominalHs,
      boardC: board.boardC,
      chipC: board.chipMaxC,
      inletC: body.inletC,
      outletC: board.boardC - 2,
    }),
  );
  return {
    boards,
    hs: boards.reduce((sum, { hs }) => sum + hs, 0),
    nominalHs: body.expectedHs,
    fans: body.fansRpm,
    powerW: body.powerW,
    isAsleep: device.settings.mode === 'sleep',
    troubles: troublesOf(device),
  };
}

/** `vendor-error` takes a code; GraphQL tells it as the kind. */
function troublesOf(device: SimDevice): BraiinsFacts['troubles'] {
  const code = device.faults.text('vendor-error', 'HASHBOARD_CHAIN_BREAK');
  return [
    ...(code === undefined ? [] : [{ code, kind: code, message: 'Hashboard 2: chain break detected' }]),
    ...(device.faults.has('psu-fault')
      ? [{ code: 'BOS', kind: 'PSU', message: 'PSU reports input under voltage' }]
      : []),
  ];
}

export function braiinsSerial(device: SimDevice): string {
  return serialOf('JYZZB0UBD', 4, device.site.seed, device.index, 60);
}

/** There are four places for fans whatever the machine has. */
export const fanPlaces = ({ fans }: BraiinsFacts): readonly number[] => [...fans, 0, 0, 0, 0].slice(0, 4);

/**
 * Of the generation with GraphQL: the mining program is gone while it sleeps, and all that it told with it. The others
 * pause it.
 */
export const isStopped = (facts: BraiinsFacts, { generation }: BraiinsModel): boolean =>
  facts.isAsleep && generation === 'graphql';

export function braiinsTruth(device: SimDevice, model: BraiinsModel): Truth {
  const facts = braiinsFacts(device, model);
  const running = runningTruth(device, model, facts);
  if (!isStopped(facts, model)) return running;
  const untold = { model: null, hashrate: null, expected_hashrate: null, power: null, temp: null } as const;
  return { ...running, ...untold, mining_mode: 'sleep', hashboards: [], fans: [], pools: [] };
}

function runningTruth(device: SimDevice, model: BraiinsModel, facts: BraiinsFacts): Truth {
  const { generation } = model;
  const isRest = generation === 'rest';
  const hasApi = generation !== 'tcp';
  const hasSerials = model.sensors.length === 4;
  // GraphQL and TCP leave out a board that is dead.
  const boards = facts.boards.filter(({ isDead }) => isRest || !isDead);
  const alive = facts.boards.filter(({ isDead }) => !isDead);
  const mode = model.isTuned ? 'power_tuning' : 'normal';
  return {
    ...whoIs(device, model),
    serial_number: isRest && model.hasSerial ? braiinsSerial(device) : null,
    firmware_version: model.firmware,
    hostname: hasApi ? device.settings.hostname : null,
    is_mining: !facts.isAsleep && facts.hs > 0,
    mining_mode: isRest && facts.isAsleep ? 'sleep' : hasApi ? mode : null,
    hashrate: facts.hs,
    expected_hashrate: isRest ? facts.nominalHs : alive.reduce((sum, { nominalHs }) => sum + nominalHs, 0),
    power: facts.powerW,
    temp: Math.max(...alive.map(({ chipC }) => chipC)),
    uptime: generation === 'graphql' ? device.systemUptimeS() : device.uptimeS(),
    hashboards: boards.map((board) => ({
      serial_number: hasApi && hasSerials ? board.serial : null,
      hashrate: board.hs,
      chips: board.isDead ? 0 : model.chipsPerBoard,
      chip_frequency: board.isDead || !hasApi ? null : model.frequencyMhz,
    })),
    fans: turning(facts.fans),
    pools: device.settings.pools.map(({ url, user }, index) => ({
      url,
      worker_id: user,
      ...(hasApi ? NO_DIFFICULTY : difficulties(device, index)),
    })),
    psus: isRest && model.psu !== undefined ? [{ serial_number: null, temperature: null }] : [],
    errors: hasApi ? facts.troubles.map(({ code, kind }) => ({ code: isRest ? code : kind })) : [],
    light_on: hasApi ? device.settings.isLightOn : null,
  };
}

const NO_DIFFICULTY = { difficulty_accepted: null, difficulty_rejected: null, difficulty_stale: null } as const;

function difficulties(device: SimDevice, index: number) {
  const { accepted, rejected, stale, difficulty } = device.shares();
  const of = (shares: number) => (index === 0 ? shares * difficulty : 0);
  return { difficulty_accepted: of(accepted), difficulty_rejected: of(rejected), difficulty_stale: of(stale) };
}
