// The facts that all Whatsminer APIs tell, and the names under which they do: API 3 first, API 1 and 2 behind it. Where one API has several
// names for a fact, the best comes first.

/** Of the machine as a whole, in whichever of its answers. */
export const MACHINE = {
  mac: ['MAC', 'mac'],
  hostname: ['hostname'],
  serialNumber: ['miner-sn', 'minersn'],
  type: ['Model', 'miner_type'],
  firmware: ['fwversion', 'fw_ver', 'Firmware Version', 'FirmwareVersion'],
  api: ['api', 'api_ver'],
  board: ['control-board-version'],
  platform: ['platform', 'CB Platform'],
  boards: ['board-num'],
  led: ['ledstatus', 'ledstat'],
  elapsed: ['elapsed', 'Elapsed'],
  uptime: ['Uptime'],
  factoryThs: ['factory-hash'],
  factoryGhs: ['Factory GHS'],
  power: ['power-realtime', 'Power'],
  otherPower: ['power-5min', 'Power_RT'],
  powerLimit: ['power-limit', 'Power Limit'],
  powerMode: ['power-mode', 'Power Mode', 'power_mode', 'mode'],
  fanIn: ['fan-speed-in', 'Fan Speed In'],
  fanOut: ['fan-speed-out', 'Fan Speed Out'],
  ambient: ['environment-temperature', 'Env Temp'],
  hottestChip: ['chip-temp-max', 'Chip Temp Max'],
  hottestBoard: ['Temperature'],
  isLiquid: ['Liquid Cooling'],
  isOff: ['mineroff', 'btmineroff'],
  isWorking: ['working'],
  coolant: ['liquid-temperature', 'liquid_temp'],
  psuSerial: ['sn', 'serial_no', 'powersn'],
  psuModel: ['model', 'name'],
  psuTemp: ['temp0'],
  psuFan: ['fanspeed', 'Power Fanspeed', 'fan_speed'],
  socket: ['Power Voltage Input'],
  vin: ['vin'],
  vout: ['vout', 'Voltage'],
} as const;

/** Of one board. */
export const BOARD = {
  slot: ['slot', 'Slot', 'id', 'ASC'],
  serialNumber: ['PCB SN'],
  realtime: ['hash-realtime', 'HS RT'],
  '1m': ['MHS 1m'],
  '5m': ['MHS 5m'],
  '15m': ['MHS 15m'],
  average: ['hash-average', 'MHS av'],
  factoryThs: ['factory-hash'],
  factoryGhs: ['Factory GHS'],
  chips: ['effective-chips', 'Effective Chips'],
  frequency: ['freq', 'Chip Frequency', 'Frequency'],
  temperature: ['Temperature'],
  hottestChip: ['chip-temp-max', 'Chip Temp Max'],
  averageChip: ['chip-temp-avg', 'Chip Temp Avg'],
  hwErrors: ['Hardware Errors'],
  isEnabled: ['Enabled'],
  status: ['status', 'Status'],
} as const;

/** Pools of API 3 under the names of CGMiner. */
export const POOL = {
  POOL: ['id'],
  URL: ['url'],
  User: ['account'],
  Status: ['status'],
  'Stratum Active': ['stratum-active'],
} as const;

/** Words, and digits in API 3. */
export const MODES: Readonly<Record<string, 'low' | 'normal' | 'high'>> = {
  ...{ 0: 'low', 1: 'normal', 2: 'high' },
  ...{ low: 'low', normal: 'normal', high: 'high' },
};

/** The rates of a machine, that of now first. */
export const WINDOWS = ['realtime', '1m', '5s', '5m', 'average'] as const;
