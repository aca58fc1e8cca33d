// Own answers of makers and firmware that speak Bitmain's dialects, one value per ask, for samples.ts.
import { pools, status } from './samples-cgminer.ts';

const elphapexHead = {
  STATUS: { STATUS: 'S', when: 924_785, timestamp: 1_742_264_353, Msg: 'stats', api_version: '1.0.0' },
  INFO: { dev_sn: '13HY24B056N3', hw_version: 'DG1+_HW_V1.1', miner_version: 'DG1+_SW_V1.0.2', type: 'DG1+' },
};

const elphapexSlot = (index: number) => ({
  index,
  asic: 'oooooooo oox',
  asic_num: 204,
  freq_avg: 1_850_000,
  hw: 12,
  rate_ideal: 3_500,
  rate_real: 3_511.5,
  sn: `10HY24B046${index}`,
  temp_chip: ['61250', '60125', '', '59000'],
  temp_pcb: [47, 46, 67, 66],
});

export const elphapex: Record<string, unknown> = {
  stats: {
    ...elphapexHead,
    STATS: [
      {
        elapsed: 5_000,
        rate_5s: 10_511.5,
        rate_15m: 10_450,
        rate_avg: 10_400,
        rate_ideal: 14_000,
        rate_unit: 'MH/s',
        fan_num: 4,
        fan: ['5040', '5010', '5070', '5100'],
        chain: [
          elphapexSlot(0),
          elphapexSlot(1),
          { index: 2, asic_num: 0, rate_real: 0, sn: '', temp_chip: ['', '', '', ''], temp_pcb: [47, 46, 67, 66] },
          elphapexSlot(3),
        ],
      },
    ],
  },
  power: { power_output: '3925', power_sn: 'BC10FP1041115', power_temp: '415' },
  pools: {
    ...elphapexHead,
    POOLS: [
      {
        index: 0,
        url: 'a',
        user: 'w',
        status: 'Unreachable',
        priority: 0,
        accepted: 4,
        rejected: 1,
        stale: 1,
        diff: '524K',
      },
      {
        index: 1,
        url: 'b',
        user: 'w',
        status: 'Alive',
        priority: 1,
        accepted: 40,
        diffa: 8_192,
        diffr: 16,
        diffs: 16,
        lsdiff: 64,
      },
      { index: 2, url: '', user: '', status: 'Unreachable', priority: 2 },
    ],
  },
  summary: {
    ...elphapexHead,
    SUMMARY: [
      {
        status: [
          { type: 'rate', status: '', code: 0, msg: '' },
          { type: 'temp', status: 'e', code: 2, msg: 'too hot' },
        ],
      },
    ],
  },
  conf: { 'fc-work-mode': 0, 'fc-freq-level': '100', 'fc-fan-ctrl': false, pools: [] },
  blink: { blink: true },
  system: {
    minertype: 'DG1+',
    hostname: 'DG1+',
    macaddr: 'b8:4c:87:e0:66:b2',
    system_filesystem_version: 'DG1+_SW_V1.0.2',
  },
};

export const hammer: Record<string, unknown> = {
  stats: {
    STATUS: status('CGMiner stats', 70),
    STATS: [
      { CGMiner: '2.3.3', Miner: '2.0.2.2', CompileTime: '2023-05-28 17-20-35 CST', Type: 'Hammer D10' },
      {
        STATS: 0,
        Elapsed: 119_161,
        'MHS 5s': '4686.4886',
        'MHS av': '4872.8713',
        frequency: '810',
        fan_num: 4,
        fan1: 4_650,
        fan2: 4_500,
        fan3: 3_870,
        fan4: 3_930,
        temp1: 45,
        temp2: 42,
        temp4: 0,
        chain_acn1: 108,
        chain_acn2: 107,
        chain_acn4: 0,
        chain_acs1: ' oooooooo',
        chain_acs2: ' ooxooooo',
        chain_hw1: 2_133,
        chain_hw2: 2_942,
        chain_rate1: '2344.25',
        chain_rate2: '2342.25',
        chain_rate4: '',
      },
    ],
  },
  pools,
  version: { STATUS: status('versions', 22), VERSION: [{ API: '3.1', Type: 'Hammer D10' }] },
  blink: { code: 'B100' },
  system: { minertype: 'Hammer D10', hostname: 'Hammer', macaddr: '12:34:56:78:90:12' },
};

export const volcminer: Record<string, unknown> = {
  status: {
    summary: { elapsed: '4,200', ghs5s: '18,500.5', ghsav: '18,400.0' },
    pools: [{ index: '0', url: 'stratum+tcp://p:1', user: 'w', status: 'Alive', accepted: '1,012', rejected: '1' }],
    fan1: '5,200',
    fan2: '5300',
    fan3: '0',
    fan4: '5100',
    devs: [
      {
        index: '1',
        chain_acn: '105',
        freq: '2000',
        temp: [55, 57],
        temp2: [70, 72],
        chain_acs: 'oooooooo',
        rate: '9,250.5',
      },
      { index: '2', chain_acn: '0', freq: '', temp: [0, 0], temp2: [0, 0], chain_acs: '', rate: '' },
      {
        index: '3',
        chain_acn: '105',
        freq: '2000',
        temp: [54, 56],
        temp2: [69, 71],
        chain_acs: 'ooxooooo',
        rate: '9,250.0',
      },
    ],
  },
  system: {
    macaddr: '48:FA:68:34:68:01',
    hostname: 'VolcMiner D1',
    system_filesystem_version: '2025-10-08 04-26-50 CST',
    system_kernel_version: 'Linux 4.4.0-xilinx',
  },
};

/** A T9: chains 2, 9 and 10 are one board. */
const hiveonChain = (chain: number) => ({
  [`chain_acn${chain}`]: 18,
  [`chain_acs${chain}`]: 'oooooooooooooooooo',
  [`chain_rate${chain}`]: '1266.50',
  [`chain_hw${chain}`]: 3,
  [`freq_avg${chain}`]: 550,
  [`temp${chain}`]: 61,
  [`temp2_${chain}`]: 77,
  [`temp3_${chain}`]: 29,
});

export const hiveon: Record<string, unknown> = {
  stats: {
    STATUS: status('CGMiner stats', 70),
    STATS: [
      { Type: 'Antminer T9 HIVEON', Miner: '1.01-190409', CompileTime: 'Tue Apr  9 10:01:02 UTC 2019' },
      {
        STATS: 0,
        Elapsed: 5_000,
        'GHS 5s': '7599.00',
        'GHS av': 7_601.25,
        chain_power: '1250 W',
        fan3: 4_800,
        fan6: 4_770,
        ...Object.assign({}, ...[2, 9, 10, 4, 13, 14].map(hiveonChain)),
      },
    ],
  },
  pools,
  version: { STATUS: status('versions', 22), VERSION: [{ API: '3.1', Type: 'Antminer T9 HIVEON' }] },
  summary: { SUMMARY: [{ status: [{ type: 'fans', status: 'e', code: 1 }] }] },
  conf: { 'bitmain-work-mode': 0, 'miner-mode': 0 },
  blink: { blink: false },
  blinkForm: { isBlinking: true },
  system: { minertype: 'Antminer T9', hostname: 'rack-2', macaddr: '02:55:97:22:33:73' },
};

export const mara: Record<string, unknown> = {
  brief: {
    status: 'Mining',
    hashrate_realtime: 103.512,
    hashrate_average: 103.1,
    hashrate_ideal: 104_000,
    power_consumption_estimated: 3_061,
    elapsed: 86_400,
  },
  hashboards: {
    hashboards: [
      {
        index: 0,
        hashrate_average: 34.5,
        asic_num: 126,
        serial_number: 'SMTTYRHB0',
        temperature_pcb: [58, 60],
        temperature_chip: [66, 71],
      },
      { index: 1, hashrate_average: 0, asic_num: 0, serial_number: '', temperature_pcb: [], temperature_chip: [] },
    ],
  },
  fans: { fans: [{ current_speed: 5_400 }, { current_speed: 5_370 }] },
  pools: [
    { index: 0, url: 'a', user: 'w', status: 'Dead', priority: 0, accepted: 12, rejected: 1 },
    { index: 1, url: 'b', user: 'w', status: 'Alive', priority: 1, accepted: 2, rejected: 1 },
  ],
  config: {
    mode: { 'work-mode-selector': 'Auto', concorde: { 'mode-select': 'PowerTarget', 'power-target': 3_100 } },
  },
  light: { blinking: true },
  overview: {
    model: 'Antminer S19J Pro',
    mac: '02:55:97:22:33:72',
    version_firmware: '24.8.2',
    control_board: 'CVITek',
  },
  network: { hostname: 'rack-9' },
};
