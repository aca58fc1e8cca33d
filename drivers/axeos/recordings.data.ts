// What each recording of a real device reports, read from its answers and checked against them, and why some of it is not reported.
import type { RecordingData } from '../../src/driver/check/contract-data.ts';

export const RECORDINGS: Readonly<Record<string, RecordingData>> = {
  'axeos--bitaxe-supra-v2.4.5': {
    values: {
      model: 'Supra',
      mac: 'AA:BB:CC:DD:EE:FF',
      hostname: 'bitaxe',
      firmwareVersion: 'v2.4.5-3-gb5d1e36-dirty',
      apiVersion: 'v2.4.5-3-gb5d1e36-dirty',
      controlBoard: '401',
      hashrateHs: 1000000000000,
      powerW: 2.65000009536743,
      uptimeS: 4,
      isMining: true,
      tempC: 59.875,
      'boards[0].slot': 0,
      'boards[0].hashrateHs': 1000000000000,
      'boards[0].chips': 1,
      'boards[0].frequencyMhz': 490,
      'boards[0].voltageV': 5.175,
      'boards[0].boardTempsC[0]': 78,
      'boards[0].chipTempMaxC': 59.875,
      'boards[0].chipTempAvgC': 59.875,
      'boards[0].expectedHashrateHs': 625240000000,
      'fans[0].index': 0,
      'fans[0].rpm': 3517,
      'fans[0].dutyPercent': 35,
      'pools[0].index': 0,
      'pools[0].url': 'stratum+tcp://btc.example.pool:3333',
      'pools[0].user': 'asic-rs.test',
      'pools[0].isActive': true,
      'pools[0].accepted': 0,
      'pools[0].rejected': 0,
      'pools[1].index': 1,
      'pools[1].url': 'stratum+tcp://btc2.example.pool:3333',
      'pools[1].user': 'asic-rs.test',
      'pools[1].isActive': false,
      'expected.hashrateHs': 625240000000,
    },
    notReported: {
      coreVoltageV: {
        values: 2,
        reason: 'no-field',
        why: 'voltage of the chip, wanted and real',
      },
      currentA: {
        values: 1,
        reason: 'no-field',
        why: 'input current',
      },
      wifi: {
        values: 1,
        reason: 'no-field',
        why: 'the state of the radio',
      },
    },
    comparedAt: {
      inputVoltageV: 'boards[0].voltageV',
    },
  },
};
