// Under which names an Auradine machine writes what is read as it stands, and its words for our modes.

/** Of `ipreport`, `version` and `summary`. */
export const MACHINE = {
  mac: ['mac'],
  serialNumber: ['SerialNo'],
  controllerSerialNumber: ['CBSerialNo'],
  hostname: ['hostname'],
  model: ['model'],
  firmwareVersion: ['version'],
  apiVersion: ['API'],
  controlBoard: ['InternalType'],
  powerW: ['Wattage'],
  uptimeS: ['Elapsed'],
} as const;

/** Of the coolant, with the control board of a hydro machine. */
export const COOLANT = { inletTempC: ['InletTemp'], outletTempC: ['OutletTemp'] } as const;

export const SUPPLY = {
  inputPowerW: ['PowerIn'],
  outputPowerW: ['PowerOut'],
  inputVoltageV: ['Vin'],
  outputVoltageV: ['Vout'],
  fanRpm: ['FanSpeed1'],
} as const;

export const MODE_WORDS = ['eco', 'normal', 'turbo', 'custom'] as const;
export const MODES = { eco: 'low', normal: 'normal', turbo: 'high' } as const;
export const WORD_OF = { low: 'eco', normal: 'normal', high: 'turbo' } as const;

/** What it can tune to, and our units of it. */
export const UNIT_OF: Readonly<Record<string, 'W' | 'TH/s'>> = { power: 'W', ths: 'TH/s' };
export const TUNES = { W: 'power', 'TH/s': 'ths' } as const;
