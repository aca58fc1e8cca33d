// Own answers for each driver, beside the recordings: what `read` is fed when answers are damaged on purpose. One value
// per ask.
import type { Driver, Known } from '../../src/driver/contract.ts';
import { bytesByAsk, cases, cgminerFixture, rawOf, recordings } from './answers.ts';
import { elphapex, hammer, hiveon, mara, volcminer } from './samples-bitmain-copies.ts';
import { braiinsGraphql, braiinsRest, braiinsStopped, braiinsTcp, vnish, vnishTcp } from './samples-braiins-vnish.ts';
import { pools, status } from './samples-cgminer.ts';
import { auradine, epic, epicFirst, proto } from './samples-epic-auradine-proto.ts';
import {
  dragonmint,
  goldshell,
  goldshellByte,
  goldshellPage,
  iceriver,
  iceriverDown,
  innosilicon,
} from './samples-iceriver-goldshell-innosilicon.ts';
import { axeos, luxos, nerdaxe } from './samples-luxos-axeos.ts';
import { futurebit, mskminer, oldAntminer, sealminer, sealminerPage } from './samples-sealminer-mskminer-futurebit.ts';

export type Sample = { readonly name: string; readonly known: Known; readonly raw: Readonly<Record<string, unknown>> };

const antminerBoard = (index: number) => ({
  index,
  freq_avg: 490,
  rate_ideal: 66_666.6,
  rate_real: 66_700.5,
  asic_num: 108,
  asic: ' ooo ooo oox',
  temp_pic: [50, 51, 40, 41],
  temp_pcb: [60, 61, 58, 57],
  temp_chip: [70, 71, 72, 69],
  hw: 3,
  sn: `SMTTYRHB${index}`,
});

const antminer: Record<string, unknown> = {
  stats: {
    STATUS: { STATUS: 'S', when: 1_755_615_295, Msg: 'stats', api_version: '1.0.0' },
    INFO: { miner_version: 'uart_trans.1.3', CompileTime: 'Thu Oct  9 18:55:45 CST 2025', type: 'Antminer S21' },
    STATS: [
      {
        elapsed: 5_000,
        rate_5s: 200_123.4,
        rate_30m: 199_000,
        rate_avg: 198_000,
        rate_ideal: 200_000,
        rate_unit: 'GH/s',
        fan_num: 4,
        fan: [5_040, 5_010, 5_070, 5_100],
        'miner-mode': 0,
        power: 3_456,
        chain: [antminerBoard(0), antminerBoard(1), antminerBoard(2)],
      },
    ],
  },
  pools,
  version: { STATUS: status('versions', 22), VERSION: [{ API: '3.1', Type: 'Antminer S21' }] },
  summary: {
    SUMMARY: [
      {
        status: [
          { type: 'rate', status: 's', code: 0, msg: '' },
          { type: 'fans', status: 'e', code: 1 },
        ],
      },
    ],
  },
  conf: { 'bitmain-work-mode': '0', 'miner-mode': '0' },
  blink: { blink: false },
  system: {
    minertype: 'Antminer S21',
    hostname: 'rack-4',
    macaddr: '02:55:97:22:33:72',
    serinum: 'SMTQING0001',
    system_filesystem_version: 'FR-1.12(251009-S21)',
  },
  minerType: { miner_type: 'Antminer S21', subtype: 'AMLCtrl_BHB68601' },
  warning: '{"error_message":"J0:8"}',
  power: 'miner_power: 3456',
};

const AVALON_TEXT =
  'Ver[1246-83-21072802_4ec6bb0_211fc46] DNA[02010000cbd2fd6d] Elapsed[24684] BOOTBY[0x04.00000000] HW[0 0 0] Temp[30] TMax[77] TAvg[65] ' +
  'Fan1[5344] Fan2[5392] Fan3[5349] Fan4[5309] FanR[72%] PS[0 1214 1316 242 3189 1320 3504] GHSspd[81072.68] GHSmm[83923.04] ' +
  'GHSavg[79656.63] WU[1112801.93] Freq[502.07] Led[0] MGHS[26907.01 26025.06 26724.56] MTmax[77 77 76] MTavg[66 65 64] TA[360] ' +
  'ECHU[0 0 0] ECMM[0] SoftOFF[0] WORKMODE[0] SYSTEMSTATU[Work: In Work, Hash Board: 3 ] POOLS[0] CRC[0 0 0] PING[443]';

const avalon: Record<string, unknown> = {
  estats: { STATUS: status('stats', 70), STATS: [{ STATS: 0, ID: 'AV10', Elapsed: 24_684, 'MM ID0': AVALON_TEXT }] },
  version: {
    STATUS: status('versions', 22),
    VERSION: [{ PROD: 'AvalonMiner 1246', MODEL: '1246-83', MAC: 'b4a2eb312233', DNA: '02010000cbd2fd6d', API: '3.7' }],
  },
  pools,
};

const whatsminerBoard = (slot: number) => ({
  ASC: slot,
  Slot: slot,
  Status: 'Alive',
  Enabled: 'Y',
  Temperature: 70,
  'Chip Frequency': 650,
  'MHS av': 22_650_215.07,
  'Factory GHS': 22_932,
  'Effective Chips': 105,
  'PCB SN': `H5M14S6912${slot}`,
  'Chip Temp Avg': 83.3,
  'Chip Temp Max': 90,
  'Upfreq Complete': 1,
});

const whatsminer2: Record<string, unknown> = {
  summary: {
    STATUS: status('Summary'),
    SUMMARY: [
      {
        Elapsed: 10_154,
        Uptime: 10_792,
        'HS RT': 67_394_800.97,
        'MHS 15m': 67_681_620.18,
        'MHS av': 67_753_251.19,
        'Factory GHS': 68_796,
        Power: 3_417,
        'Power Limit': 3_500,
        'Power Mode': 'Normal',
        'Fan Speed In': 6_450,
        'Fan Speed Out': 6_480,
        'Env Temp': 28.5,
        MAC: 'C4:08:28:00:A4:19',
      },
    ],
  },
  edevs: { STATUS: status('3 ASC(s)', 9), DEVS: [whatsminerBoard(0), whatsminerBoard(1), whatsminerBoard(2)] },
  pools,
  status: {
    STATUS: 'S',
    When: 1,
    Code: 131,
    Msg: { mineroff: 'false', mineroff_reason: '', 'Firmware Version': "'20230803.11.REL'" },
  },
  errorCode: { STATUS: 'S', When: 1, Code: 131, Msg: { error_code: [{ 110: '2024-06-15 09:15:00' }, '2010', 541] } },
  minerInfo: {
    STATUS: 'S',
    When: 1,
    Code: 131,
    Msg: { mac: 'C4:08:28:00:A4:19', hostname: 'w', minersn: 'HTM30', ledstat: 'auto' },
  },
  getVersion: {
    STATUS: 'S',
    When: 1,
    Code: 131,
    Msg: { fw_ver: '20230803.11.REL', api_ver: '2.0.5', platform: 'H616' },
  },
  psu: { STATUS: 'S', When: 1, Code: 131, Msg: { name: 'P221B', serial_no: 'A12', fan_speed: '6344', temp0: '43' } },
  devdetails: {
    STATUS: status('details', 69),
    DEVDETAILS: [{ DEVDETAILS: 0, Name: 'SM', ID: 0, Driver: 'bitmicro', Model: 'M50S_VH75' }],
  },
};

const blueprint: Record<string, unknown> = {
  summary: { STATUS: status('Summary'), SUMMARY: [{ Elapsed: 900, 'GHS 5s': 1_000, 'GHS av': 990 }] },
  boards: { STATUS: status('devs', 9), DEVS: [{ ASC: 0, 'GHS 5s': 1_000, 'Chip Temp': 70, 'Hardware Errors': 4 }] },
  pools,
  light: { on: true },
  system: { mac: '02:00:00:00:00:01', serial: 'A1', host: 'h' },
};

const OWN: Readonly<Record<string, readonly Sample[]>> = {
  'auradine-fluxos': [{ name: 'tuned, a fault', known: {}, raw: auradine }],
  'epic-umcos': [
    { name: 'a board off, a board missing', known: {}, raw: epic },
    { name: 'epic-miner 2.x', known: {}, raw: epicFirst },
  ],
  proto: [{ name: 'sparse slots, faults', known: {}, raw: proto }],
  'antminer-stock': [
    { name: 'new form', known: { generation: 'c' }, raw: antminer },
    { name: 'S9, a board missing', known: { generation: 'a' }, raw: oldAntminer },
  ],
  avalon: [{ name: 'A series', known: { generation: 'a' }, raw: avalon }],
  elphapex: [{ name: 'a slot empty, a fault', known: {}, raw: elphapex }],
  goldshell: [
    { name: 'TCP and web', known: {}, raw: goldshell },
    { name: 'a Byte', known: {}, raw: goldshellByte },
    { name: 'an LT5 on its page', known: {}, raw: goldshellPage },
  ],
  iceriver: [
    { name: 'a sensor and a fan broken', known: {}, raw: iceriver },
    { name: 'mining program down', known: { model: 'KS3M' }, raw: iceriverDown },
  ],
  innosilicon: [
    { name: 'T3H+, a board missing', known: {}, raw: innosilicon },
    { name: 'Dragonmint T1', known: {}, raw: dragonmint },
  ],
  hammer: [{ name: 'D10', known: { model: 'D10' }, raw: hammer }],
  hiveon: [{ name: 'T9, a board missing', known: {}, raw: hiveon }],
  mara: [{ name: 'a board missing, tuned by power', known: {}, raw: mara }],
  volcminer: [{ name: 'a board missing', known: {}, raw: volcminer }],
  axeos: [
    { name: 'Bitaxe', known: { generation: 'bitaxe' }, raw: axeos },
    { name: 'NerdAxe', known: { generation: 'nerd' }, raw: nerdaxe },
  ],
  vnish: [
    { name: 'a board broken, names hidden', known: {}, raw: vnish },
    { name: 'before AnthillOS', known: {}, raw: vnishTcp },
    { name: 'asleep', known: {}, raw: { summary: { miner: { miner_status: { miner_state: 'stopped' } } } } },
  ],
  'braiins-os': [
    { name: 'REST', known: {}, raw: braiinsRest },
    { name: 'GraphQL, a board missing', known: {}, raw: braiinsGraphql },
    { name: 'TCP, a board missing', known: {}, raw: braiinsTcp },
    { name: 'stopped', known: {}, raw: braiinsStopped },
  ],
  blueprint: [{ name: 'example', known: {}, raw: blueprint }],
  luxos: [{ name: 'air', known: {}, raw: luxos }],
  futurebit: [{ name: 'two units', known: {}, raw: futurebit }],
  mskminer: [{ name: 'a board missing', known: {}, raw: mskminer }],
  sealminer: [
    { name: 'a board off line, faults', known: {}, raw: sealminer },
    { name: 'TCP closed', known: { model: 'A2' }, raw: sealminerPage },
  ],
  whatsminer: [{ name: 'API 2', known: { generation: 'api2' }, raw: whatsminer2 }],
};

/**
 * Everything that a driver can be fed with: own answers, the captured cases of its devices, and the recordings where
 * they are at hand.
 */
export function samplesOf(driver: Driver): Sample[] {
  const own = driver.id === 'cgminer' ? cgminerSamples(driver) : (OWN[driver.id] ?? []);
  const captured = cases.filter(({ firmware }) => firmware === driver.id);
  const recorded = [...captured, ...recordings].flatMap((recording): Sample[] => {
    const known = recording.known ?? {};
    const raw = rawOf(driver, bytesByAsk(driver, recording, known));
    return Object.keys(raw).length > 0 ? [{ name: recording.id, known, raw }] : [];
  });
  return [...own, ...recorded];
}

function cgminerSamples(driver: Driver): Sample[] {
  return (['idle', 'usb'] as const).map((name) => ({ name, known: {}, raw: rawOf(driver, cgminerFixture(name)) }));
}
