// Own answers of LuxOS and of the AxeOS kin, see samples.ts.
const status = (Msg: string, Code: number) => [
  { STATUS: 'S', When: 1_760_242_394, Code, Msg, Description: 'LUXminer 2025.9.8' },
];

const board = (ID: number) => ({
  ID,
  Status: 'Alive',
  Enabled: 'Y',
  IsUserShutdown: false,
  SerialNumber: `JYZZ0${ID}`,
  'MHS 5s': 40_100_000.5,
  'MHS av': 39_900_000.25,
  'Nominal MHS': 40_600_000,
  'Hardware Errors': 7,
  Temperature: 61,
});

export const luxos: Record<string, unknown> = {
  summary: {
    STATUS: status('Summary', 11),
    SUMMARY: [{ Elapsed: 9_000, 'GHS 5s': 120_300.5, 'GHS 15m': 120_000, 'GHS 24h': 119_000, 'GHS av': 119_500 }],
  },
  devs: { STATUS: status('3 ASC(s)', 9), DEVS: [board(2), board(0), board(1)] },
  stats: {
    STATUS: status('LUXminer stats', 70),
    STATS: [
      { Type: 'Antminer S19k Pro', Miner: '2025.9.8', CompileTime: 'Mon Sep  8 15:25:28 UTC 2025' },
      {
        STATS: 0,
        Elapsed: 9_000,
        'GHS 5s': 120_300.5,
        rate_unit: 'GH',
        total_rateideal: 121_800,
        chain_acn1: 77,
        chain_acn2: 77,
        chain_acn3: 76,
        chain_acs3: ' oooo ooox',
        freq1: 590,
        freq2: 590,
        freq3: 590,
        fan_num: 4,
        fan1: 5_100,
        fan2: 5_130,
        fan3: 5_070,
        fan4: 5_160,
        temp_pcb1: '61-40-40-61',
      },
    ],
  },
  temps: {
    STATUS: status('3 Temp(s)', 201),
    TEMPS: [0, 1, 2].map((ID) => ({ ID, TopLeft: 61, TopRight: 40, BottomLeft: 60, BottomRight: 39 })),
    METADATA: [{ TopLeft: { Label: 'Board Exhaust (top)' }, TopRight: { Label: 'Board Intake (top)' } }],
  },
  power: { STATUS: status('Power usage', 311), POWER: [{ PSU: true, Watts: 2_750 }] },
  pools: {
    STATUS: status('1 Pool(s)', 7),
    POOLS: [
      {
        POOL: 3,
        URL: 'stratum+tcp://pool-a.example:3333',
        User: 'farm.w1',
        Status: 'Alive',
        'Stratum Active': true,
        Accepted: 900,
        Rejected: 2,
        Stale: 1,
        'Stratum Difficulty': 32_768,
        'Difficulty Accepted': 29_491_200,
      },
    ],
  },
  fans: {
    STATUS: status('4 Fan(s)', 202),
    FANS: [0, 1, 2, 3].map((ID) => ({ FAN: `FAN${ID + 1}`, ID, RPM: 5_100, Speed: 70 })),
  },
  config: {
    STATUS: status('LUXminer config', 33),
    CONFIG: [
      {
        MACAddr: '02:00:00:00:00:01',
        Hostname: 'rack-7',
        SerialNumber: 'JYZZB0',
        Model: 'Antminer S19k Pro',
        ControlBoardType: 'cvitek',
        CurtailMode: 'None',
        Profile: 'default',
        RedLed: 'auto',
        GreenLed: 'auto',
        Cooling: 'Air',
        ImmersionMode: false,
        NameplateTHS: 121.8,
        PSULabel: 'APW121215e',
      },
    ],
  },
  events: {
    STATUS: status('Miner Events', 357),
    EVENTS: [{ Code: 'FAN_FAILURE', Description: 'Fan stopped.', Target: 'FAN', ID: 2 }],
  },
  version: {
    STATUS: status('LUXminer versions', 22),
    VERSION: [{ API: '3.7', Miner: '2025.9.8', LUXminer: '2025.9.8-e0', Type: 'Antminer S19k Pro' }],
  },
  profiles: {
    STATUS: status('List profiles', 323),
    PROFILES: [{ 'Profile Name': 'default', Watts: 2_760, Step: '0' }],
  },
};
