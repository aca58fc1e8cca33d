// Own answers of Iceriver, Goldshell and Innosilicon, see samples.ts.
const status = (Msg: string, Code: number, Description: string) => [
  { STATUS: 'S', When: 1_760_242_394, Code, Msg, Description },
];

const iceriverPool = (no: number, isUsed: boolean) => ({
  no,
  addr: isUsed ? 'stratum+tcp://pool-a.example:3333' : 'pool-b.example:443',
  user: 'kaspa:farm.w1',
  pass: 'x',
  connect: isUsed,
  diff: isUsed ? '70368.74 G' : '0.00 G',
  priority: no,
  accepted: isUsed ? 3_058 : 0,
  rejected: isUsed ? 76 : 0,
  diffa: 0,
  diffr: 0,
  state: isUsed ? 1 : 0,
});

const iceriverBoard = (no: number, outtmp: number) => ({
  no,
  chipnum: 18,
  chipsuc: 0,
  error: 0,
  freq: 875,
  rtpow: '2151.38G',
  avgpow: '2146.49G',
  idealpow: '2100.00G',
  tempnum: '(null)',
  pcbtemp: '0.00-0.00-0.00-0.00',
  intmp: 26,
  outtmp,
  state: true,
  false: [1, 2, 3],
});

export const iceriver: Record<string, unknown> = {
  panel: {
    error: 0,
    data: {
      model: 'none',
      algo: 'none',
      online: true,
      softver1: '5977449_ks3m_miner',
      softver2: '5977449_ks3m_bg',
      mac: '02-8c-03-36-ec-e7',
      host: 'petalinux',
      locate: true,
      rtpow: '6226G',
      avgpow: '6308G',
      reject: 2.4,
      runtime: '03:09:36:02',
      unit: 'G',
      powstate: true,
      netstate: true,
      fanstate: false,
      tempstate: true,
      fans: [1_028, 0, 1_028, 1_072],
      pools: [iceriverPool(1, false), iceriverPool(2, true), { no: 3, addr: '', user: '', state: 0 }],
      boards: [iceriverBoard(1, 49), iceriverBoard(2, 126), iceriverBoard(3, 51)],
    },
    message: '',
  },
  machine: { error: 0, data: { pools: [iceriverPool(1, true)], ratio: 60, mode: 1 }, message: '' },
};

/** The page answers, the mining program does not. */
export const iceriverDown: Record<string, unknown> = {
  panel: { error: 1, data: {}, message: 'Connect miner failed!' },
  machine: { error: 1, data: {}, message: 'Connect miner failed!' },
};

const goldshellBoard = (ID: number) => ({
  PGA: ID,
  Name: 'INCS',
  ID,
  Enabled: 'Y',
  Status: 'Alive',
  'Device Elapsed': 8_292,
  'MHS av': 3_482_563.164,
  'MHS 20s': 3_301_758.726,
  Accepted: 411,
  'Hardware Errors': 56,
  voltage: 11_750,
  clock: 700,
  fan0: 3_240,
  fan1: 3_240,
  fan2: 3_360,
  fan3: 0,
  'tstemp-0': 90,
  'tstemp-1': 88,
  'tstemp-2': 77.75,
  estimate_hash_rate: 14e12,
});

export const goldshell: Record<string, unknown> = {
  devs: { STATUS: status('4 PGA(s)', 9, 'intminer 5.4.2'), DEVS: [0, 1, 2, 3].map(goldshellBoard) },
  pools: {
    STATUS: status('1 Pool(s)', 7, 'intminer 5.4.2'),
    POOLS: [
      {
        POOL: 0,
        URL: 'stratum+tcp://pool-a.example:3333',
        User: 'farm.w1',
        Status: 'Alive',
        'Stratum Active': true,
        Accepted: 1_670,
        Rejected: 2,
        Stale: 1,
        'Difficulty Accepted': 27_361_279.6,
        'Last Share Difficulty': 16_384,
      },
    ],
  },
  status: { hardware: '30.50.SA', model: 'Goldshell-SC5Pro', mcbversion: 'MCB_V3_3', firmware: '2.2.0' },
  devdetails: {
    STATUS: status('Device Details', 69, 'intminer 5.4.2'),
    DEVDETAILS: [0, 1, 2, 3].map((ID) => ({ DEVDETAILS: ID, ID, Driver: 'intchains_qomo', 'chips-nr': 46 })),
  },
};

/** Rates of boards of two kinds. */
export const goldshellByte: Record<string, unknown> = {
  devs: {
    STATUS: status('2 PGA(s)', 9, 'intminer 5.4.2'),
    DEVS: [
      { ...goldshellBoard(0), pool: 'scrypt(LTC)', 'MHS 20s': 80.5 },
      { ...goldshellBoard(1), pool: 'zkSNARK(ALEO)', 'MHS 20s': 0 },
    ],
  },
  status: { model: 'Goldshell-Byte', firmware: '2.2.5' },
  devdetails: { DEVS: [{ DEVDETAILS: 0, 'chips-nr': 5 }] },
};

const innosiliconChain = (ASC: number) => ({
  ASC,
  'Temp min': 54.5,
  'Temp max': 71.2,
  'Hash Rate H': 19_100_200_300_400,
  'Hardware Errors': 12,
});

export const innosilicon: Record<string, unknown> = {
  all: {
    success: true,
    all: {
      total_hash: { 'Hash Rate H': 57_300_600_901_200 },
      chain: [innosiliconChain(0), innosiliconChain(1), { ASC: 2, 'Temp min': 0, 'Temp max': 0, 'Hash Rate H': 0 }],
      power: 3_301,
      fansSpeed: 80,
      running_mode: { level: 2 },
      mac: '02:6c:be:00:00:01',
      uptime: 9_000,
    },
  },
  summary: {
    STATUS: status('Summary', 11, 'innominer t3-1.0.0'),
    SUMMARY: [{ Elapsed: 8_990, 'MHS 1m': 57_300_600, 'MHS 15m': 57_000_000, 'MHS av': 56_900_000 }],
  },
  devs: {
    STATUS: status('2 ASC(s)', 9, 'innominer t3-1.0.0'),
    DEVS: [0, 1].map((ASC) => ({
      ASC,
      Status: 'Alive',
      Temperature: 66.4,
      'MHS 1m': 19_100_200,
      'Hardware Errors': 12,
    })),
  },
  stats: {
    STATUS: status('CGMiner stats', 70, 'innominer t3-1.0.0'),
    STATS: [0, 1, 2].map((chain) => ({
      STATS: chain,
      Elapsed: 8_990,
      'Chain ID': chain,
      'Num chips': 114,
      'Num active chips': chain === 2 ? 0 : 114,
    })),
  },
  pools: {
    STATUS: status('1 Pool(s)', 7, 'innominer t3-1.0.0'),
    POOLS: [{ POOL: 0, URL: 'stratum+tcp://a:1', User: 'w', Status: 'Alive', 'Stratum Active': true, Accepted: 12 }],
  },
  webPools: {
    success: true,
    POOLS: [{ POOL: 0, URL: 'stratum+tcp://a:1', User: 'w', Status: 'Dead', Accepted: 12, Rejected: 1 }],
  },
  fault: { success: true, code: '33', detail: { msg: 'Board error', description: 'd', analysis: 'a' } },
  overview: {
    success: true,
    type: 'T3H+',
    hostname: 'inno',
    version: { hwver: 'g19', ethaddr: '02:6c:be:00:00:01', build_date: '20200117_1730', platform_v: '1' },
  },
  type: { success: true, type: 'T3H+' },
  version: { STATUS: status('versions', 22, 'innominer t3-1.0.0'), VERSION: [{ CGMiner: '4.11.1', API: '3.7' }] },
};

/** An LT5 on its page, with TCP closed. */
export const goldshellPage: Record<string, unknown> = {
  webDevs: {
    status: 2,
    data: [0, 1].map((id) => ({
      id,
      r_temp: '73.8 °C',
      l_temp: '0.0 °C',
      av_hashrate: 493.025,
      hashrate: 546.357,
      time: 11_769,
      hwerrors: 7,
      fanspeed: '6060 rpm / 6120 rpm',
    })),
  },
  status: { model: 'Goldshell-LT5', firmware: '2.2.1', hardware: 'GS_V1' },
};

/** A Dragonmint T1: /api/summary is all that it has. */
export const dragonmint: Record<string, unknown> = {
  webDevs: {
    success: true,
    DEVS: [0, 1, 2].map((ASC) => ({
      ASC,
      Name: 'DT1',
      ID: ASC,
      Status: 'Alive',
      Temperature: 72,
      'MHS av': 4_904_000,
      'MHS 5s': 4_745_000,
      'MHS 1m': 4_830_000,
      'MHS 15m': 4_932_000,
      'Hardware Errors': 6_600,
      'Device Elapsed': 4_792,
    })),
    POOLS: [
      { POOL: 0, URL: 'stratum+tcp://a.example:3333', User: 'w', Status: 'Alive', 'Difficulty Accepted': 16_982 },
    ],
    HARDWARE: { 'Fan duty': 59 },
  },
  overview: { success: true, type: 'T1', hostname: 'dragon', version: { ethaddr: '02:00:00:00:00:71', hwver: 'g9' } },
};
