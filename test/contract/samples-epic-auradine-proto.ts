// Own answers of ePIC, Auradine and Proto, see samples.ts.
export const epic: Record<string, unknown> = {
  summary: {
    Hostname: 'rack-1',
    Software: 'PowerPlay-BMS v1.17.0',
    Status: { 'Operating State': 'Mining', 'Last Command': 'Autostart', 'Last Error': 'Fan 2 is slow' },
    HBStatus: [
      { Index: 0, Detected: true, Enabled: false },
      { Index: 1, Detected: true, Enabled: true },
      { Index: 2, Detected: false, Enabled: false },
    ],
    HBs: [{ Index: 1, Hashrate: [49_440_724, 103.1, 0.8], 'Core Clock Avg': 487.5 }],
    Session: { Uptime: 900, 'Average MHs': 48_000_000, Accepted: 10, Rejected: 1, Difficulty: 65_536 },
    Fans: { 'Fans Speed': 90 },
    'Fans Rpm': { 'Fans Speed 1': 5_900, 'Fans Speed 2': 0, 'Fans Speed 3': null },
    'Power Supply Stats': { 'Input Power': 1_100.5 },
    PerpetualTune: { Running: true, Algorithm: { BoardTune: { Target: 3_000, 'Throttle Target': 2_800, Unit: 'W' } } },
    Misc: { 'Locate Miner State': true },
    Stratum: { 'Config Id': 0, IsPoolConnected: true },
    StratumConfigs: [{ pool: 'pool.example:3333', login: 'farm.w1', password: 'x' }],
  },
  temps: [
    { Index: 0, Data: [30, 31] },
    { Index: 1, Data: [55, 67] },
  ],
  hashrate: [
    {
      Index: 1,
      Data: [
        [440_000, 98.2, 3.9],
        [450_000, 99.1, 3.9],
        [0, 0, 0],
      ],
    },
  ],
  network: { static: { address: '10.0.0.5', mac_address: '02:55:97:22:33:99' } },
  capabilities: {
    Model: 'AntMiner S21',
    'Max HBs': 3,
    'Default Hashrate': 200,
    'Board Serial Numbers': ['YNAHY1'],
    'Performance Estimator': { 'Chip Count': 108 },
    'Control Board Version': { cpuSerial: '00200035' },
  },
};

const status = [{ STATUS: 'S', When: 1_703_711_730, Code: 600, Msg: 'ok' }];

export const auradine: Record<string, unknown> = {
  summary: {
    STATUS: status,
    SUMMARY: [{ Elapsed: 900, 'MHS 5s': 140_000_000, 'MHS 15m': 139_000_000, 'MHS av': 1.4e8 }],
  },
  devs: {
    STATUS: status,
    DEVS: [
      { ID: 1, 'MHS 5s': 70_000_000, Status: 'Alive', Temperature: 60 },
      { ID: 2, 'MHS 5s': 70_000_000, Status: 'Alive', Temperature: 61 },
    ],
  },
  temperature: {
    STATUS: status,
    Temperature: [
      { ID: 0, BoardTemp: [{ ID: 0, Temperature: 25 }], ChipTemp: null },
      {
        ID: 1,
        BoardTemp: [{ Temperature: 40 }, { Temperature: 58 }],
        ChipTemp: [{ Temperature: 66 }, { Temperature: 64 }],
      },
    ],
  },
  fan: {
    STATUS: status,
    Fan: [
      { ID: 1, Speed: 7_000 },
      { ID: 2, Speed: 7_020 },
    ],
  },
  psu: {
    STATUS: status,
    PSU: [{ PowerIn: '2900.50W', PowerOut: '2750.00W', Vin: '245.00V', Vout: '11.53V', FanSpeed1: '4052.00 RPM' }],
  },
  pools: { STATUS: status, POOLS: [{ POOL: 0, URL: 'stratum+tcp://p:1', User: 'w', Status: 'Alive', Accepted: 10 }] },
  mode: { STATUS: status, Mode: [{ Mode: 'custom', Tune: 'ths', Sleep: 'off', Power: 3_000, Ths: 150 }] },
  led: { STATUS: status, LED: [{ Code: 4, Msg: 'Temperature' }] },
  frequency: { STATUS: status, Frequency: [{ ID: 1, ChipFrequency: [{ Frequency: 300 }, { Frequency: 310 }] }] },
  asccount: { STATUS: status, ASCCount: [{ AsicCount: 264, BoardCount: 2 }] },
  ipreport: {
    STATUS: status,
    IPReport: [
      {
        mac: '1c:00:00:0e:3b:2b',
        SerialNo: 'AU1',
        CBSerialNo: 'CB1',
        HBSerialNo: ['A', 'B', 'C'],
        hostname: 't',
        model: 'AT1500',
        version: '2023-12.27',
      },
    ],
  },
  version: { STATUS: status, VERSION: [{ API: '1.0' }] },
};

export const proto: Record<string, unknown> = {
  mining: {
    'mining-status': {
      status: 'DegradedMining',
      hashrate_ghs: 70_000,
      average_hashrate_ghs: 69_000,
      ideal_hashrate_ghs: 72_500,
      power_usage_watts: 1_700,
      power_target_watts: 1_750,
      mining_uptime_s: 900,
      reboot_uptime_s: 950,
      hashboards_installed: 2,
    },
  },
  telemetry: {
    miner: { hashrate: { value: 70.5, unit: 'TH/s' }, power: { value: 1.71, unit: 'kW' } },
    hashboards: [
      {
        index: 0,
        serial_number: 'HB-1',
        hashrate: { value: 35.2, unit: 'TH/s' },
        temperature: { inlet: 40, outlet: 55, average: 48 },
      },
      { index: 2, hashrate: { value: 35.3, unit: 'TH/s' }, temperature: { inlet: 41, outlet: 56, average: 49 } },
    ],
    psus: [
      {
        index: 0,
        voltage: { input: 230, output: 14, unit: 'V' },
        power: { input: 1_700, output: 1_600, unit: 'W' },
        temperature: { average: 38 },
      },
    ],
  },
  cooling: { 'cooling-status': { fans: [{ slot: 1, rpm: 4_500, speed_percentage: 60 }] } },
  pools: {
    pools: [
      {
        url: 'stratum+tcp://p:1',
        user: 'w',
        priority: 0,
        status: 'Active',
        accepted: 5,
        rejected: 1,
        difficulty: '1048576',
      },
    ],
  },
  errors: [
    { source: 'fan', slot: 1, error_code: 'FanSlow', message: 'slow', timestamp: 1 },
    { source: 'rig', error_code: '4711', message: 'new', timestamp: 1 },
  ],
  target: { power_target_watts: 1_750, default_power_target_watts: 1_700, performance_mode: 'Efficiency' },
  system: {
    'system-info': {
      model: 'Rig',
      cb_sn: 'PROTO-1',
      board: 'C3',
      os: { version: '1.8.2' },
      web_server: { version: '1.8.2' },
    },
  },
  network: { 'network-info': { mac: '02:00:00:ad:66:39', hostname: 'rig-1' } },
  hardware: {
    'hardware-info': {
      'hashboards-info': [
        { slot: 1, hb_sn: 'HB-1', mining_asic_count: 120 },
        { slot: 3, mining_asic_count: 120 },
      ],
      'fans-info': [{ slot: 1 }],
      'psus-info': [{ slot: 1, psu_sn: 'PSU-1', model: 'PSU-3600W' }],
    },
  },
};

/** The first generation, epic-miner 2.x: everything in one summary, under other keys. */
export const epicFirst: Record<string, unknown> = {
  summary: {
    Hostname: 'epicminer43003a',
    Preset: 'Efficiency',
    Software: 'epic-miner v2.0.6',
    Mining: { Coin: 'Sia', Algorithm: 'Blake2b' },
    Stratum: { 'Current Pool': 'sc.pool.example:700', 'Current User': 'farm.w', 'Average Latency': 0.23 },
    Session: { Uptime: 749_962, 'Active HBs': 3, 'Average MHs': 1_828_940.24, Accepted: 195_336, Rejected: 165 },
    HBs: [0, 1, 2].map((Index) => ({
      Index,
      'Input Voltage': 12.234,
      'Input Power': 272.5,
      Temperature: 59,
      'Core Clock': 380,
    })),
    Fans: { 'Fans Speed': 50 },
  },
};
