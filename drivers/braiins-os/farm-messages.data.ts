// The messages of `braiins.bos.v1` that the simulated Braiins OS takes and gives: field numbers and presence. Names are those of its REST face,
// which tells the same; a choice of one (`oneof`) is fields of which one is there.
import { bool, double, inner, list, type Message, text, uint, wrappedUint } from '../_farm/servers/protobuf.ts';

export const EMPTY: Message = {};

const MEGAHASH: Message = { megahash_per_second: double(1) };
const GIGAHASH: Message = { gigahash_per_second: double(1) };
const TERAHASH: Message = { terahash_per_second: double(1) };
const FREQUENCY: Message = { hertz: double(1) };
const VOLTAGE: Message = { volt: double(1) };
const POWER: Message = { watt: uint(1) };
const TEMPERATURE: Message = { degree_c: double(1) };
const TIMESTAMP: Message = { seconds: uint(1), nanos: uint(2) };
const SENSOR: Message = { id: uint(1, 'optional'), location: uint(2), temperature: inner(3, TEMPERATURE) };
const SAVE_ACTION = uint(1);

export const API_VERSION: Message = { major: uint(1), minor: uint(2), patch: uint(3), pre: text(4), build: text(5) };
export const LOGIN: Message = { username: text(1), password: text(2) };
export const LOGGED_IN: Message = { token: text(1), timeout_s: uint(2) };

// Actions
export const ALREADY_RUNNING: Message = { already_running: bool(1) };
export const ALREADY_STOPPED: Message = { already_stopped: bool(1) };
export const ALREADY_PAUSED: Message = { already_paused: bool(1) };
export const ALREADY_MINING: Message = { already_mining: bool(1) };
export const SET_LOCATE: Message = { enable: bool(1) };
export const LOCATE: Message = { enabled: bool(1) };

// The miner
export const DETAILS: Message = {
  uid: text(1),
  miner_identity: inner(2, { brand: uint(1), model: uint(2), name: text(3), miner_model: text(4) }),
  platform: uint(3),
  bos_mode: uint(4),
  bos_version: inner(5, { current: text(1), major: text(2), bos_plus: bool(3) }),
  hostname: text(6),
  mac_address: text(7),
  system_uptime: uint(8),
  sticker_hashrate: inner(9, GIGAHASH),
  bosminer_uptime_s: uint(10),
  system_uptime_s: uint(11),
  status: uint(12),
  kernel_version: text(13),
  psu_info: inner(14, {
    version: wrappedUint(1),
    fw_version: wrappedUint(2),
    serial_number: text(3, 'optional'),
    model_name: text(4, 'optional'),
    min_voltage: inner(5, VOLTAGE),
    max_voltage: inner(6, VOLTAGE),
  }),
  control_board_soc_family: uint(15),
  serial_number: text(16, 'optional'),
};

const POOL_STATS: Message = {
  accepted_shares: uint(1),
  rejected_shares: uint(2),
  stale_shares: uint(3),
  last_difficulty: uint(4),
  best_share: uint(5),
  generated_work: uint(6),
  last_share_time: inner(7, TIMESTAMP),
};
const SOLVER_STATS: Message = {
  real_hashrate: inner(1, {
    last_5s: inner(1, GIGAHASH),
    last_15s: inner(2, GIGAHASH),
    last_30s: inner(3, GIGAHASH),
    last_1m: inner(4, GIGAHASH),
    last_5m: inner(5, GIGAHASH),
    last_15m: inner(6, GIGAHASH),
    last_30m: inner(7, GIGAHASH),
    last_1h: inner(8, GIGAHASH),
    last_24h: inner(9, GIGAHASH),
    since_restart: inner(10, GIGAHASH),
  }),
  nominal_hashrate: inner(2, GIGAHASH),
  error_hashrate: inner(3, MEGAHASH),
  found_blocks: uint(4),
  best_share: uint(5),
};
export const STATS: Message = {
  pool_stats: inner(1, POOL_STATS),
  miner_stats: inner(2, SOLVER_STATS),
  power_stats: inner(3, {
    approximated_consumption: inner(1, POWER),
    efficiency: inner(2, { joule_per_terahash: double(1) }),
  }),
};
export const HASHBOARDS: Message = {
  hashboards: list(1, {
    id: text(1),
    enabled: bool(2),
    chips_count: wrappedUint(3),
    current_voltage: inner(4, VOLTAGE),
    current_frequency: inner(5, FREQUENCY),
    highest_chip_temp: inner(6, SENSOR),
    board_temp: inner(7, TEMPERATURE),
    stats: inner(8, SOLVER_STATS),
    model: text(9, 'optional'),
    lowest_inlet_temp: inner(10, TEMPERATURE),
    highest_outlet_temp: inner(11, TEMPERATURE),
    serial_number: text(12, 'optional'),
    board_name: text(13, 'optional'),
    chip_type: text(14, 'optional'),
  }),
};
export const ERRORS: Message = {
  errors: list(1, {
    timestamp: text(1),
    message: text(2),
    error_codes: list(3, { code: text(1), reason: text(2), hint: text(3) }),
    components: list(4, { name: text(1), index: uint(2) }),
  }),
};
export const COOLING: Message = {
  fans: list(1, { position: uint(1, 'optional'), rpm: uint(2), target_speed_ratio: double(3, 'optional') }),
  highest_temperature: inner(2, SENSOR),
};
export const NETWORK: Message = {
  name: text(1),
  mac_address: text(2, 'optional'),
  hostname: text(3, 'optional'),
  protocol: uint(4, 'optional'),
  dns_servers: list(5, 'text'),
  networks: list(6, { address: text(1), netmask: text(2) }),
  default_gateway: text(7, 'optional'),
};

// The tuner
const POWER_PROFILE: Message = {
  created: inner(1, TIMESTAMP),
  target: inner(2, POWER),
  measured_hashrate: inner(3, GIGAHASH),
  estimated_power_consumption: inner(4, POWER),
};
export const TUNER_STATE: Message = {
  overall_tuner_state: uint(1),
  // As the JSON writes `power_target_mode_state`.
  powertargetmodestate: inner(2, { profile: inner(1, POWER_PROFILE), current_target: inner(2, POWER) }),
};
export const SAVE: Message = { save_action: SAVE_ACTION };
export const SET_POWER: Message = { save_action: SAVE_ACTION, power_target: inner(2, POWER) };
export const CHANGE_POWER: Message = { save_action: SAVE_ACTION, by: inner(2, POWER) };
export const POWER_SET: Message = { power_target: inner(1, POWER) };
export const SET_HASHRATE: Message = { save_action: SAVE_ACTION, hashrate_target: inner(2, TERAHASH) };
export const HASHRATE_SET: Message = { hashrate_target: inner(1, TERAHASH) };
export const PERFORMANCE_MODE: Message = {
  manual_mode: inner(1, { global_frequency: inner(1, FREQUENCY), global_voltage: inner(2, VOLTAGE) }),
  tuner_mode: inner(2, {
    power_target: inner(1, { power_target: inner(1, POWER) }),
    hashrate_target: inner(2, { hashrate_target: inner(1, TERAHASH) }),
  }),
};
export const SET_PERFORMANCE_MODE: Message = { save_action: SAVE_ACTION, mode: inner(2, PERFORMANCE_MODE) };

// Pools and configuration
const QUOTA: Message = { value: uint(1) };
export const POOL_GROUPS: Message = {
  pool_groups: list(1, {
    name: text(1),
    quota: inner(2, QUOTA),
    pools: list(4, {
      uid: text(1),
      url: text(2),
      user: text(3),
      enabled: bool(4),
      alive: bool(5),
      active: bool(6),
      stats: inner(7, POOL_STATS),
    }),
  }),
};
const SET_GROUP: Message = {
  uid: text(1),
  name: text(2),
  quota: inner(3, QUOTA),
  pools: list(5, {
    uid: text(1),
    url: text(2),
    user: text(3),
    password: text(4, 'optional'),
    enabled: bool(5, 'optional'),
  }),
};
export const SET_POOL_GROUPS: Message = { save_action: SAVE_ACTION, pool_groups: list(2, SET_GROUP) };
export const POOL_GROUPS_SET: Message = { pool_groups: list(1, SET_GROUP) };
export const CONFIGURATION: Message = {
  pool_groups: list(1, SET_GROUP),
  tuner: inner(3, {
    enabled: bool(1, 'optional'),
    tuner_mode: uint(2, 'optional'),
    power_target: inner(3, POWER),
    hashrate_target: inner(4, TERAHASH),
  }),
};
export const CONSTRAINTS: Message = {
  tuner_constraints: inner(1, {
    power_target: inner(1, { default: inner(1, POWER), min: inner(2, POWER), max: inner(3, POWER) }),
    enabled: inner(3, { default: bool(1) }),
    default_mode: uint(4),
  }),
};
