// Own answers of Sealminer, MSKMiner, FutureBit and old Antminers, one value per ask, for samples.ts.

const status = (msg: string, code = 70) => [{ STATUS: 'S', When: 1_755_615_295, Code: code, Msg: msg }];

const pools = {
  STATUS: status('1 Pool(s)', 7),
  POOLS: [
    {
      POOL: 0,
      URL: 'stratum+tcp://pool-a.example:3333',
      User: 'farm.w1',
      Status: 'Alive',
      'Stratum Active': true,
      Accepted: 900,
      Rejected: 2,
      Stale: 1,
      'Stratum Difficulty': 32_768,
      'Difficulty Accepted': 29_491_200,
      'Difficulty Rejected': 65_536,
      'Difficulty Stale': 32_768,
    },
  ],
};

/** A board off line, a fault of the power supply, a mode by number. */
export const sealminer: Record<string, unknown> = {
  stats: {
    STATUS: status('CGMiner stats'),
    STATS: [
      {
        STATS: 0,
        Elapsed: 86_400,
        Model: 'A2',
        MAC: '02:00:00:00:00:11',
        Firmware: '2025091001',
        'Ctrl Board': 'TaurusAir',
        'Ctrl Board SN': 'S1272AB00001',
        'System Uptime': 86_440,
        'PM State': 'Running',
        'Power Limit': 3_500,
        'MHS(Sample)': 151_000_000.5,
        'MHS(1m)': 150_900_000,
        'MHS(15m)': 150_800_000,
        'MHS(Avg)': 150_700_000,
        'MHS(Rated)': 226_000_000,
        'MHS(Ideal)': 152_000_000,
        'Error Code': 'E0204',
        'Error Chip': '1-17',
        'Board Count': 3,
        'Fan Count': 2,
        'PSU Model': 'BD-PSU-4000',
        'PSU SN': 'PSUABC00001',
        'PSU Input Power': 2_500,
        'PSU Output Power': 2_375,
        'PSU Input Voltage': 231.4,
        'PSU Output Voltage': 14.2,
        'PSU Temp AMB': 40,
        'PSU Fan Speed': 4_200,
        'PSU Error': '0x0040',
        '0 Online': true,
        '0 SN': 'S1246AB00001',
        '0 Chip Count': 153,
        '0 Bad Chip Count': 1,
        '0 MHS(Sample)': 75_500_000,
        '0 MHS(Ideal)': 76_000_000,
        '0 Freq': 585,
        '0 Temp 0': 50,
        '0 Temp 1': 66,
        '0 Temp 2': 70,
        '0 Temp 3': 52,
        '1 Online': true,
        '1 SN': 'S1246AB00002',
        '1 Chip Count': 153,
        '1 Bad Chip Count': 2,
        '1 MHS(Sample)': 75_500_000,
        '1 Freq': 585,
        '1 Temp 0': 51,
        '2 Online': false,
        '2 SN': 'S1246AB00003',
        '0 Speed': 5_400,
        '0 PWM': 70,
        '1 Speed': 5_430,
        '1 PWM': 70,
      },
    ],
  },
  pools,
  system: {
    low_power: 0,
    normal: 1,
    high_performance: 2,
    custom: 3,
    firmware_version: '2025091001',
    ctrl_version: 'TaurusAir',
    miner_type: 'A2',
    macaddr: '02:00:00:00:00:11',
    miningMode: '1',
    crtl_sn: 'S1272AB00001',
    led: 'off',
  },
  version: { STATUS: status('CGMiner versions', 22), VERSION: [{ API: '3.7', BDMiner: '4.11.1', Model: 'A2' }] },
};

export const mskminer: Record<string, unknown> = {
  stats: {
    STATUS: status('CGMiner stats'),
    STATS: [
      {
        STATS: 0,
        ID: 'BC50',
        Elapsed: 9_000,
        'GHS 5s': '58700.25',
        'GHS av': 58_650,
        total_rate: 58_700.25,
        total_power: 2_100,
        fan_num: 4,
        fan1: 5_100,
        fan2: 5_130,
        fan3: 5_070,
        fan4: 5_160,
        fan5: 0,
        total_rateideal: 88_000,
        temp1: 61,
        temp2_1: 70,
        temp3_1: 25,
        freq_avg1: 560,
        chain_acn1: 88,
        chain_hw1: 4,
        chain_rate1: '29350.10',
        temp2: 0,
        temp2_2: 0,
        chain_acn2: 0,
        chain_rate2: '',
        temp3: 60,
        temp2_3: 69,
        freq_avg3: 560,
        chain_acn3: 88,
        chain_hw3: 2,
        chain_rate3: '29350.15',
      },
    ],
  },
  pools,
  version: {
    STATUS: status('CGMiner versions', 22),
    VERSION: [{ BMMiner: '4.9.0 rwglr', API: '3.1', Miner: '30.0.1.3', Type: 'S19-88 v.1.0.3 ' }],
  },
  info: { network_info: { result: { macaddr: '02:00:00:00:00:12', nettype: 'DHCP' } } },
};

const apollo = (uid: string, ghs: number) => ({
  version: 'v2',
  statVersion: '1.2',
  versions: { miner: '2.0.4-alpha' },
  master: {
    upTime: 7_200,
    boardsW: 190.5,
    hwAddr: '0x00',
    intervals: {
      int_0: { bySol: 9_050, errors: 31 },
      int_30: { bySol: 9_000, byDiff: 9_100 },
      int_900: { interval: 900, bySol: 9_020 },
    },
  },
  slots: { int_0: { chips: 44, pwrOn: 1, temperature: 68, temperature1: 61, ghs } },
  slaves: [{ uid }],
  fans: { int_0: { rpm: [2_600] } },
  pool: {
    host: 'pool-a.example',
    port: 3_333,
    userName: 'farm.w1',
    diff: 4_096,
    intervals: { int_0: { sharesAccepted: 120, sharesRejected: 1, inService: 1 } },
  },
});

/** Two units. */
export const futurebit: Record<string, unknown> = {
  stats: {
    data: {
      Miner: {
        stats: {
          result: {
            stats: [apollo('590055001351323532343337', 4_600.5), apollo('590055001351323532343338', 4_590.25)],
          },
        },
        online: { result: { online: { status: 'online' } } },
      },
    },
  },
  host: {
    data: {
      Mcu: {
        stats: {
          result: {
            stats: {
              hostname: 'futurebit-apollo',
              network: [
                { name: 'miner', address: '', mac: '00:00:00:00:00:00' },
                { name: 'wlan0', address: '', mac: '02:00:00:00:00:99' },
                { name: 'eth0', address: '10.0.0.2', mac: '02:00:00:00:00:13' },
              ],
            },
          },
        },
      },
    },
  },
};

/** An S9 with a board missing and a light that is on. */
export const oldAntminer: Record<string, unknown> = {
  stats: {
    STATUS: status('CGMiner stats'),
    STATS: [
      {
        BMMiner: '2.0.0',
        Miner: '16.8.1.3',
        CompileTime: 'Fri Nov 17 17:37:49 CST 2017',
        Type: 'Antminer S9',
      },
      {
        STATS: 0,
        ID: 'BC50',
        Elapsed: 9_000,
        'GHS 5s': '9050.25',
        'GHS av': 9_040,
        frequency: '637',
        fan_num: 2,
        fan1: 0,
        fan2: 0,
        fan3: 5_880,
        fan4: 0,
        fan5: 0,
        fan6: 5_760,
        fan7: 0,
        fan8: 0,
        temp6: 64,
        temp2_6: 80,
        freq_avg6: 637,
        chain_acn6: 63,
        chain_acs6: ' oooooooo ooooooox',
        chain_hw6: 3,
        chain_rate6: '4525.10',
        temp7: 0,
        chain_acn7: 0,
        chain_rate7: '',
        temp8: 66,
        temp2_8: 82,
        freq_avg8: 637,
        chain_acn8: 63,
        chain_hw8: 5,
        chain_rate8: '4525.15',
        total_rateideal: 13_500,
      },
    ],
  },
  pools,
  version: {
    STATUS: status('CGMiner versions', 22),
    VERSION: [{ API: '3.1', Miner: '16.8.1.3', CompileTime: 'Fri Nov 17 17:37:49 CST 2017', Type: 'Antminer S9' }],
  },
  oldBlinkForm: { isBlinking: true },
  system: {
    minertype: 'Antminer S9',
    macaddr: '02:00:00:00:00:14',
    hostname: 'antMiner',
    system_kernel_version: 'Linux 3.14.0-xilinx #57 SMP PREEMPT Fri Nov 17 17:37:49 CST 2017',
    system_filesystem_version: 'Fri Nov 17 17:37:49 CST 2017',
  },
};

/** A Sealminer with TCP closed. */
export const sealminerPage: Record<string, unknown> = {
  status: {
    summary: { elapsed: 9_341, mhsav: 227_701_205.6, foundblocks: '', rejected: '' },
    pools: [
      {
        id: 0,
        url: 'stratum+tcp://pool-a.example:3333',
        user: 'farm.a2',
        status: 'Alive',
        isActive: true,
        diff: '262K',
        accept: 322,
        rejected: 1,
        stale: '',
        diffA: 41_746_432,
        lsdiff: 262_144,
      },
    ],
  },
};
