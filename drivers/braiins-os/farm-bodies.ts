// What Braiins OS tells of itself in its public API: the same records over REST (as JSON) and gRPC (as messages).
// Quantities are wrapped in their units.
import type { SimDevice } from '../_farm/device.ts';
import type { BraiinsModel } from './farm.data.ts';
import { type BraiinsBoard, type BraiinsFacts, braiinsSerial, fanPlaces } from './farm-facts.ts';

const ghs = (hs: number) => ({ gigahash_per_second: hs / 1e9 });

/** The day's rate is a little behind, as it has the last restart in it. */
const realHashrate = (hs: number) => ({
  last_5s: ghs(hs),
  last_15s: ghs(hs),
  last_30s: ghs(hs),
  last_1m: ghs(hs),
  last_5m: ghs(hs),
  last_15m: ghs(hs),
  last_30m: ghs(hs),
  last_1h: ghs(hs),
  last_24h: ghs(hs * 0.99),
  since_restart: ghs(hs * 0.995),
});

export function details(device: SimDevice, model: BraiinsModel, facts: BraiinsFacts) {
  return {
    bos_mode: 4,
    bos_version: { bos_plus: true, current: model.firmware, major: model.firmware },
    bosminer_uptime_s: device.uptimeS(),
    control_board_soc_family: 3,
    hostname: device.settings.hostname,
    mac_address: device.mac.toLowerCase(),
    miner_identity: {
      brand: 1,
      miner_model: model.reportedAs,
      // A list that is no longer kept: newer models are not in it.
      model: model.model === 'S19 XP' ? 18 : 0,
      name: model.reportedAs,
    },
    platform: 4,
    psu_info:
      model.psu === undefined
        ? null
        : {
            fw_version: null,
            max_voltage: { volt: 15.2 },
            min_voltage: { volt: 11.96 },
            model_name: model.psu,
            serial_number: null,
            version: 117,
          },
    serial_number: model.hasSerial ? braiinsSerial(device) : null,
    status: facts.isAsleep ? 3 : 2,
    sticker_hashrate: ghs(model.hashrateHs),
    system_uptime: device.systemUptimeS(),
    system_uptime_s: device.systemUptimeS(),
    uid: `sim${device.identity.tag}`,
  };
}

export function stats(device: SimDevice, facts: BraiinsFacts) {
  const { accepted, rejected, stale, difficulty } = device.shares();
  const seconds = Math.floor(device.nowS()) - 4;
  return {
    miner_stats: { found_blocks: 0, nominal_hashrate: ghs(facts.nominalHs), real_hashrate: realHashrate(facts.hs) },
    pool_stats: {
      accepted_shares: accepted,
      rejected_shares: rejected,
      stale_shares: stale,
      last_difficulty: difficulty,
      last_share_time: { nanos: 734_529_336, seconds },
    },
    power_stats: {
      approximated_consumption: { watt: facts.powerW },
      efficiency: { joule_per_terahash: facts.hs > 0 ? facts.powerW / (facts.hs / 1e12) : null },
    },
  };
}

/** A board that died keeps its place, without chips and sensors. */
export function hashboard(model: BraiinsModel, board: BraiinsBoard) {
  const celsius = (degree_c: number) => (board.isDead ? null : { degree_c });
  return {
    id: String(board.name),
    enabled: true,
    board_name: 'BHB56801',
    chip_type: 'BM1366',
    chips_count: board.isDead ? 0 : model.chipsPerBoard,
    current_frequency: board.isDead ? null : { hertz: model.frequencyMhz * 1e6 },
    current_voltage: board.isDead ? null : { volt: 12.9 },
    board_temp: celsius(board.boardC),
    highest_chip_temp: board.isDead ? null : { id: 1, location: 1, temperature: celsius(board.chipC) },
    lowest_inlet_temp: celsius(board.inletC),
    highest_outlet_temp: celsius(board.outletC),
    model: 'BHB56801',
    serial_number: board.serial,
    stats: { nominal_hashrate: ghs(board.nominalHs), real_hashrate: realHashrate(board.hs) },
  };
}

export function cooling(facts: BraiinsFacts) {
  const hottest = Math.max(...facts.boards.map(({ chipC }) => chipC));
  return {
    fans: fanPlaces(facts).map((rpm, position) => ({ position, rpm, target_speed_ratio: 1 })),
    highest_temperature: { id: null, location: 1, temperature: { degree_c: hottest } },
  };
}

export function poolGroup(device: SimDevice) {
  const counts = device.shares();
  return {
    name: 'farm',
    strategy: { quota: { value: 1 } },
    pools: device.settings.pools.map(({ url, user }, index) => {
      const { isAlive, isActive, hasShares } = device.poolState(index);
      return {
        uid: `pool${index}`,
        url,
        user,
        enabled: true,
        alive: isAlive,
        active: isActive,
        stats: {
          accepted_shares: hasShares ? counts.accepted : 0,
          rejected_shares: hasShares ? counts.rejected : 0,
          stale_shares: hasShares ? counts.stale : 0,
          last_difficulty: counts.difficulty,
        },
      };
    }),
  };
}

export const tuner = (device: SimDevice, { isTuned }: BraiinsModel) => ({
  enabled: isTuned,
  tuner_mode: 1,
  power_target: isTuned ? { watt: device.settings.powerLimitW } : null,
  hashrate_target: null,
});

export function tunerState(device: SimDevice, { isTuned }: BraiinsModel) {
  if (!isTuned) return { mode_state: null, overall_tuner_state: 1 };
  const current_target = { watt: device.settings.powerLimitW };
  return { mode_state: { powertargetmodestate: { current_target } }, overall_tuner_state: 2 };
}

/** A history: some from before the clock was set, one from last week, and what is wrong now. */
export function errors(device: SimDevice, facts: BraiinsFacts) {
  const at = (agoS: number) => new Date((device.nowS() - agoS) * 1_000).toISOString();
  const entry = (timestamp: string, message: string, code?: string) => ({
    timestamp,
    message,
    error_codes: code === undefined || code === 'BOS' ? [] : [{ code, hint: '', reason: message }],
    components: [],
  });
  return [
    entry(at(8 * 86_400), 'Failed to resolve ("pool-a.example", 3333)'),
    entry('2015-01-01T00:00:37.638808Z', 'Failed to resolve ("pool-a.example", 3333)'),
    ...facts.troubles.flatMap(({ code, message }) => [entry(at(300), message, code), entry(at(60), message, code)]),
  ];
}

export function network(device: SimDevice) {
  return {
    hostname: device.settings.hostname,
    mac_address: device.mac.toLowerCase(),
    name: 'eth0',
    networks: [{ address: device.ip, netmask: '255.255.255.0' }],
    protocol: 1,
  };
}
