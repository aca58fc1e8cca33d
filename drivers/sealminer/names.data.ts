// Under which names a Sealminer writes what is read as it stands: the statistics on TCP first, the web behind them.

export const MACHINE = {
  mac: ['MAC', 'macaddr'],
  serialNumber: ['Ctrl Board SN', 'crtl_sn'],
  controllerSerialNumber: ['Ctrl Board SN', 'crtl_sn'],
  model: ['miner_type', 'Model'],
  firmwareVersion: ['Firmware', 'firmware_version'],
  controlBoard: ['Ctrl Board', 'ctrl_version'],
  powerW: ['PSU Input Power'],
  powerLimitW: ['Power Limit'],
  psuOutputPowerW: ['PSU Output Power'],
  uptimeS: ['Elapsed', 'elapsed'],
  systemUptimeS: ['System Uptime'],
  isLightOn: ['led'],
} as const;

/** The windows of the rate under the names of CGMiner. */
export const RATES = {
  'MHS 1m': ['MHS(1m)'],
  'MHS 15m': ['MHS(15m)'],
  'MHS av': ['MHS(Avg)', 'mhsav'],
} as const;

/** Behind the number of the board. */
export const BOARD = {
  serialNumber: ['SN'],
  chips: ['Chip Count'],
  badChips: ['Bad Chip Count'],
  frequencyMhz: ['Freq'],
  isAlive: ['Online'],
} as const;

/** Behind the number of the fan. */
export const FAN = { rpm: ['Speed'], dutyPercent: ['PWM'] } as const;

export const SUPPLY = {
  serialNumber: ['PSU SN'],
  model: ['PSU Model'],
  tempC: ['PSU Temp AMB'],
  fanRpm: ['PSU Fan Speed'],
  inputPowerW: ['PSU Input Power'],
  outputPowerW: ['PSU Output Power'],
  inputVoltageV: ['PSU Input Voltage'],
  outputVoltageV: ['PSU Output Voltage'],
} as const;

/** Pools of the start page under the names of CGMiner. Counts only: what it means by `diffA` and `diffR` is not known. */
export const PAGE_POOL = {
  POOL: ['id'],
  URL: ['url'],
  User: ['user'],
  Status: ['status'],
  'Stratum Active': ['isActive'],
  Accepted: ['accept'],
  Rejected: ['rejected'],
  Stale: ['stale'],
  Diff: ['diff', 'lsdiff'],
} as const;
