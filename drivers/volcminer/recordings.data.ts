// What each recording of a real device reports, read from its answers and checked against them, and why some of it is not reported.
import type { RecordingData } from '../../src/driver/check/contract-data.ts';

export const RECORDINGS: Readonly<Record<string, RecordingData>> = {
  'volcminer--d1-2025-10-08-web': {
    values: {
      mac: '48:FA:68:34:68:01',
      hostname: 'VolcMiner D1',
      model: 'D1',
      firmwareVersion: '2025-10-08 04-26-50 CST',
      controlBoard: 'Xilinx',
      hashrateHs: 18500500000,
      hashrateAverageHs: 18400000000,
      uptimeS: 42,
      isMining: true,
      tempC: 57,
      'boards[0].slot': 0,
      'boards[0].chips': 120,
      'boards[0].badChips': 0,
      'boards[0].frequencyMhz': 2000,
      'boards[0].boardTempsC[0]': 55,
      'boards[0].boardTempsC[1]': 57,
      'fans[0].index': 0,
      'fans[0].rpm': 1200,
      'fans[1].index': 1,
      'fans[1].rpm': 1300,
      'pools[0].index': 0,
      'pools[0].url': 'stratum+tcp://pool.invalid:3333',
      'pools[0].user': 'worker',
      'pools[0].isAlive': true,
      'pools[0].isActive': true,
      'pools[0].accepted': 12,
      'pools[0].rejected': 1,
    },
    notReported: {
      algorithm: {
        values: 1,
        reason: 'same-fact',
        why: 'it follows from the model',
      },
      cgminerVersion: {
        values: 1,
        reason: 'no-field',
        why: 'one firmware version is reported, that of the file system',
      },
    },
    comparedAt: {
      controlBoard: 'controlBoard',
    },
  },
};
