// Own answers of Braiins OS and of VNish, see samples.ts.
const ghs = (gigahash_per_second: number) => ({ gigahash_per_second });
const rates = (value: number) => ({
  last_5s: ghs(value),
  last_15m: ghs(value),
  last_24h: ghs(value * 0.99),
  since_restart: ghs(value * 0.98),
});

const hashboard = (id: number) => ({
  id: String(id),
  enabled: true,
  serial_number: `NGSBYPDBC0${id}`,
  chips_count: 110,
  board_temp: { degree_c: 55.5 },
  highest_chip_temp: { id: 1, location: 1, temperature: { degree_c: 70.5 } },
  lowest_inlet_temp: { degree_c: 41 },
  highest_outlet_temp: { degree_c: 55.5 },
  current_frequency: { hertz: 486_704_545 },
  stats: { nominal_hashrate: ghs(47_980.8), real_hashrate: rates(48_000.5) },
});

export const braiinsRest: Record<string, unknown> = {
  details: {
    status: 2,
    mac_address: '02:ee:da:a9:b6:4a',
    hostname: 'rack-1',
    serial_number: 'JYZZ1',
    bos_version: { current: '2025-08-06-0-3881c51d-25.07-plus' },
    miner_identity: { name: 'Antminer S19 XP' },
    control_board_soc_family: 3,
    bosminer_uptime_s: 69_685,
    system_uptime_s: 69_725,
    sticker_hashrate: ghs(141_000),
    psu_info: { model_name: 'APW121215d/e', serial_number: 'P1' },
  },
  stats: {
    miner_stats: { real_hashrate: rates(141_463.5), nominal_hashrate: ghs(142_876.5) },
    power_stats: { approximated_consumption: { watt: 3_137 } },
    pool_stats: { last_share_time: { seconds: 1_776_446_524, nanos: 5 } },
  },
  hashboards: { hashboards: [hashboard(1), hashboard(2), hashboard(3)] },
  cooling: {
    fans: [0, 1, 2, 3].map((position) => ({ position, rpm: 5_904, target_speed_ratio: 0.8 })),
    highest_temperature: { temperature: { degree_c: 70.5 } },
  },
  pools: [
    {
      name: 'farm',
      pools: [
        {
          url: 'stratum+tcp://pool-a.example:3333',
          user: 'farm.w1',
          active: true,
          alive: true,
          enabled: true,
          stats: { accepted_shares: 10_460, rejected_shares: 18, stale_shares: 1, last_difficulty: 262_144 },
        },
        { url: 'stratum+tcp://pool-b.example:3333', user: 'farm.w1', active: false, alive: true },
      ],
    },
  ],
  configuration: { tuner: { enabled: true, tuner_mode: 1, power_target: { watt: 3_031 }, hashrate_target: null } },
  tunerState: { mode_state: { powertargetmodestate: { current_target: { watt: 3_000 } } } },
  errors: {
    errors: [
      {
        timestamp: '2026-04-17T17:20:00.000000Z',
        message: 'Fan 2 is too slow',
        error_codes: [{ code: 'FAN_2', hint: 'h', reason: 'r' }],
        components: [{ index: 2, name: 'Fan' }],
      },
      { timestamp: '2015-01-01T00:00:37.638808Z', message: 'Failed to resolve', error_codes: [], components: [] },
    ],
  },
  locate: true,
  network: { mac_address: '02:ee:da:a9:b6:4a', hostname: 'rack-1' },
  version: { major: 1, minor: 2, patch: 3 },
};

const info = (value: object) => ({ data: { bosminer: { info: value } } });
const solver = (name: number) => ({
  name: String(name),
  nominalMhs: 86_356_825.5,
  realHashrate: { mhs5S: 83_918_106.5 },
  hwDetails: { chips: 55, frequencyMhz: 766.1 },
  temperatures: [
    { name: 'Max Board', degreesC: 60 },
    { name: 'Max Chip', degreesC: 75 },
    { name: 'Inlet', degreesC: 39 },
    { name: 'Outlet', degreesC: 60 },
  ],
});

export const braiinsGraphql: Record<string, unknown> = {
  gqlSystem: {
    data: {
      bos: {
        hostname: 'rack-2',
        faultLight: false,
        info: { version: { full: '2025-04-07-0-424f9a7f-25.03-plus' } },
        uptime: { durationS: 96_949 },
      },
      bosminer: {
        info: {
          workSolver: { realHashrate: { mhs5S: 251_235_330.7 }, nominalMhs: 259_190_439.1 },
          fans: [0, 1, 2, 3].map((index) => ({ name: String(index), rpm: 6_418, speed: 90 })),
          summary: { power: { approxConsumptionW: 4_448, limitW: 3_878 } },
        },
      },
    },
  },
  gqlBoards: info({ workSolver: { childSolvers: [solver(1), solver(3)] } }),
  gqlSerials: info({ workSolver: { childSolvers: [{ name: '1', hwDetails: { hbSerialNumber: 'NGSBYT0' } }] } }),
  gqlPools: info({
    poolGroups: [
      {
        name: 'farm',
        pools: [
          {
            url: 'stratum+tcp://pool-a.example:3333',
            user: 'farm.w1',
            status: 'ALIVE',
            active: true,
            shares: { acceptedSolutions: 10_781, rejectedSolutions: 24 },
          },
        ],
      },
    ],
  }),
  gqlTuning: {
    data: { bosminer: { config: { autotuning: { mode: 'POWER_TARGET', powerTarget: 3_878, hashrateTarget: null } } } },
  },
  gqlEvents: { data: { events: { appeals: [{ id: '1', kind: 'PSU', message: 'PSU is gone', timestamp: 'x' }] } } },
  gqlModel: info({ modelName: 'Antminer S21+' }),
  lan: [{ macaddr: '02:34:98:9e:9f:e1' }],
};

const row = (ID: number) => ({
  ASC: ID - 6,
  ID,
  Enabled: 'Y',
  'MHS 5s': 2_966_950.3,
  'MHS 15m': 2_960_000.1,
  'Nominal MHS': 3_017_667.7,
});

export const braiinsTcp: Record<string, unknown> = {
  lan: [{ macaddr: '02:34:98:9e:9f:e2' }],
  bosInfo: { version: '2021-09-27-0-26ba61b9-21.09-plus' },
  tcp: {
    summary: [{ SUMMARY: [{ Elapsed: 1_189, 'MHS 5s': 8_900_850.9, 'MHS 15m': 8_880_000.3, 'MHS av': 8_870_000.5 }] }],
    devs: [{ DEVS: [{ ...row(6), 'Hardware Errors': 12 }, row(8)] }],
    temps: [{ TEMPS: [6, 8].map((ID) => ({ TEMP: 0, ID, Board: 71, Chip: 81.6 })) }],
    fans: [{ FANS: [4_080, 5_580, 0, 0].map((RPM, ID) => ({ FAN: ID, ID, RPM, Speed: 70 })) }],
    tunerstatus: [{ TUNERSTATUS: [{ ApproximateMinerPowerConsumption: 735, PowerLimit: 900 }] }],
    id: 1,
  },
  tcpPools: {
    STATUS: [{ STATUS: 'S', When: 1_771_947_051, Code: 7, Msg: '1 Pool(s)' }],
    POOLS: [
      {
        POOL: 0,
        URL: 'stratum+tcp://pool-a.example:3333',
        User: 'farm.w1',
        Status: 'Alive',
        Accepted: 31,
        Rejected: 1,
      },
    ],
  },
  tcpDetails: {
    devdetails: [{ DEVDETAILS: [6, 8].map((ID) => ({ ID, Chips: 63, Model: 'Bitmain Antminer S9' })) }],
    version: [{ VERSION: [{ API: '3.7', BOSminer: '0.9.0' }] }],
    id: 1,
  },
};

const chain = (id: number) => ({
  id,
  frequency: 400,
  voltage: 13_600,
  hashrate_ideal: 34_905.6,
  hashrate_rt: 34_275.506,
  hw_errors: 12,
  pcb_temp: { min: 36, max: 50 },
  chip_temp: { min: 51, max: 65 },
  inlet_water_temp: 29,
  outlet_water_temp: 39,
  chip_statuses: { red: 1, orange: 3, grey: 122 },
  status: { state: 'mining' },
});

const webPool = (id: number) => ({
  id,
  url: 'pool-a.example:3333',
  user: 'farm.w1',
  status: 'active',
  pool_type: 'UserPool',
  accepted: 900,
  rejected: 2,
  stale: 1,
  diff: '262k',
  diffa: 235_929_600,
  ls_diff: 262_144,
});

export const vnish: Record<string, unknown> = {
  summary: {
    miner: {
      miner_type: 'Antminer S19j Pro (Vnish 1.2.6)',
      miner_status: {
        miner_state: 'failure',
        miner_state_time: 1,
        failure_code: 1_002,
        description: 'Failed to parse',
      },
      hr_realtime: 102_826.5,
      hr_average: 102_500.25,
      hr_nominal: 104_716.8,
      hr_stock: 104_000,
      power_consumption: 2_640,
      power_usage: 26,
      chip_temp: { min: 50, max: 66 },
      chains: [
        chain(1),
        chain(2),
        {
          ...chain(3),
          status: { state: 'failure', description: 'Chain break' },
          chip_statuses: { red: 9, orange: 1, grey: 1 },
        },
      ],
      pools: [
        webPool(0),
        { ...webPool(1), user: '*****', url: 'pool-b.example:3333' },
        { ...webPool(2), pool_type: 'DevFee' },
      ],
      cooling: {
        fan_num: 4,
        fans: [5_820, 5_880, 5_850, 5_790].map((rpm, id) => ({ id, rpm, status: 'ok', max_rpm: 6_500 })),
        fan_duty: 80,
        settings: { mode: { name: 'auto' } },
      },
      psu: { temps: { pfc: 51, llc1: 54, llc2: 53 } },
    },
  },
  info: {
    miner: 'Antminer S19j Pro',
    fw_version: '1.2.6',
    platform: 'xil',
    hr_measure: 'GH/s',
    serial: 'JYZZ1',
    system: { uptime: '10 days, 18:00', network_status: { mac: '02:00:00:00:00:31', hostname: 'rack-4' } },
  },
  status: { miner_state: 'failure', find_miner: true, restart_required: false },
  perf: { current_preset: { name: '3495', pretty: '3495 watt ~ 120 TH' } },
  factory: { psu_model: 'APW12', psu_serial: 'P1', chains: [1, 2, 3].map((id) => ({ id, serial: `SMTTYRHB${id}` })) },
  tcpSummary: { STATUS: [{ STATUS: 'S' }], SUMMARY: [{ Elapsed: 900, 'GHS 5s': 102_826.5, 'GHS av': 102_500 }] },
  tcpPools: {
    STATUS: [{ STATUS: 'S' }],
    POOLS: [
      { POOL: 0, URL: 'stratum+tcp://pool-a.example:3333', User: 'farm.w1', 'Difficulty Rejected': 524_288 },
      { POOL: 1, URL: 'stratum+tcp://pool-b.example:3333', User: 'farm.w2', 'Difficulty Stale': 262_144 },
    ],
  },
};

const numbered = (of: (chain: number) => object) => Object.assign({}, ...[1, 2, 3].map(of));

/** Before AnthillOS: TCP only. */
export const vnishTcp: Record<string, unknown> = {
  tcpStats: {
    STATUS: [{ STATUS: 'S', When: 1_605_446_911, Code: 70, Msg: 'CGMiner stats' }],
    STATS: [
      { Cgminer: '4.11.1', Miner: '35.0.1.3', CompileTime: 'Sat Aug 15 2020', Type: 'Antminer S17+ (vnish 2.0.3)' },
      {
        STATS: 0,
        Elapsed: 1_201,
        'GHS 5s': '77458.73',
        'GHS av': 77_544.32,
        total_rateideal: 79_968,
        state: 'mining',
        fan_num: 4,
        fan_pwm: 90,
        ...{ fan1: 6_120, fan2: 6_120, fan3: 5_160, fan4: 5_160 },
        ...numbered((chain) => ({
          [`temp_pcb${chain}`]: '55-66-51-60',
          [`temp_chip${chain}`]: '75-81-71-75',
          [`chain_acn${chain}`]: 65,
          [`freq_avg${chain}`]: 606.54,
          [`chain_rateideal${chain}`]: 26_493.6,
          [`chain_rate${chain}`]: 25_819.6,
          [`chain_hw${chain}`]: 2,
          [`chain_acs${chain}`]: 'ooooo ooooo',
          [`chain_consumption${chain}`]: 991,
        })),
      },
    ],
  },
};

/** The system answers, and its mining program is stopped. */
export const braiinsStopped: Record<string, unknown> = {
  gqlSystem: { data: { bos: { hostname: 'rack-2', uptime: { durationS: 96_949 } }, bosminer: { info: null } } },
  gqlTuning: braiinsGraphql.gqlTuning,
};
