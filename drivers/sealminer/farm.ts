// Sealminer as variants of the farm: BDMiner on TCP 4028, PHP pages behind a login that sets a cookie. Atlas section
// 13.
import { deflateSync } from 'node:zlib';
import { standardPool, standardSummary } from '../_farm/cgminer-answers.ts';
import type { PoolSetting, SimDevice, SimulatedDevices, Variant } from '../_farm/device.ts';
import type { Mode } from '../_farm/physics.ts';
import {
  type Command,
  cgminerServer,
  envelope,
  isRecord,
  parseObject,
  REFUSALS,
  type Said,
} from '../_farm/servers/cgminer-api.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import { SEALMINER_MODELS, type SealminerModel } from './farm.data.ts';
import { type SealminerMemory, sealminerFacts, sealminerSerial, sealminerTruth } from './farm-facts.ts';
import { SHUT_SEALMINER_VARIANTS } from './farm-shut.ts';
import { sealminerWebServer } from './farm-web.ts';

const SEALMINER_VARIANTS: readonly Variant[] = SEALMINER_MODELS.map((model) => ({
  family: 'sealminer',
  driver: 'sealminer',
  spec: model,
  login: { user: 'seal', password: 'seal' },
  servers: (device) => {
    const memory: SealminerMemory = { awake: 'normal', poolsAfterReboot: undefined, limitAfterReboot: undefined };
    return [tcpServer(device, model, memory), sealminerWebServer(device, model, memory)];
  },
  truth: (device) => sealminerTruth(device, model),
}));

export const simulated: SimulatedDevices = {
  shares: { sealminer: 3 },
  usual: SEALMINER_VARIANTS,
  rare: SHUT_SEALMINER_VARIANTS,
  ipReport: ({ mac, model, firmware_version: version }) => {
    const parts = [{ mac: mac.toLowerCase() }, { miner_type: model }, { fw_version: version }];
    return { port: 18_650, bytes: deflateSync(parts.map((part) => JSON.stringify(part)).join('\0')) };
  },
};

const MODE_NAMES = { sleep: '', low: 'Low', normal: 'Normal', high: 'High' } as const satisfies Record<Mode, string>;
const DESCRIPTION = 'bdminer 4.11.1';

function tcpServer(device: SimDevice, model: SealminerModel, memory: SealminerMemory): SimServer {
  return cgminerServer(device, {
    port: device.site.port(4028),
    atOnce: 2,
    waiting: 100,
    ending: '\0',
    say: (command) => read(device, model, command.name) ?? write(device, memory, command),
    refuse: (code) => envelope(device.nowS(), DESCRIPTION, { code, msg: REFUSALS[code], level: 'E' }),
  });
}

const wrap = (device: SimDevice, code: number, msg: string, content: Readonly<Record<string, unknown>> = {}) => ({
  reply: envelope(device.nowS(), DESCRIPTION, { code, msg }, content),
});

function read(device: SimDevice, model: SealminerModel, name: string): Said | undefined {
  const facts = sealminerFacts(device);
  switch (name) {
    case 'version':
      return wrap(device, 22, 'BDMiner versions', { VERSION: [{ BDMiner: '4.11.1', API: '3.7' }] });
    case 'summary':
      return wrap(device, 11, 'Summary', {
        SUMMARY: [standardSummary(device, { nowMhs: facts.sampleMhs, averageMhs: facts.averageMhs })],
      });
    case 'stats':
      return wrap(device, 70, 'BDMiner stats', { STATS: [statsOf(device, model)] });
    case 'pools': {
      const { pools } = device.settings;
      return wrap(device, 7, `${pools.length} Pool(s)`, {
        POOLS: pools.map((pool, index) => standardPool(device, pool, index)),
      });
    }
    case 'devdetails':
      return wrap(device, 69, 'Device Details', {
        DEVDETAILS: [{ DEVDETAILS: 0, Name: 'SEAL', ID: 0, Driver: 'bdminer', Model: model.reportedAs }],
      });
    default:
      return undefined;
  }
}

function statsOf(device: SimDevice, model: SealminerModel): Record<string, unknown> {
  const facts = sealminerFacts(device);
  const body = device.body();
  const stats: Record<string, unknown> = {
    STATS: 0,
    ID: 'A20',
    Elapsed: device.uptimeS(),
    Model: model.reportedAs,
    MAC: device.mac.toLowerCase(),
    Firmware: model.firmware,
    'Ctrl Board': model.controlBoard,
    'Ctrl Board SN': sealminerSerial(device),
    'System Uptime': device.systemUptimeS(),
    'PM State': facts.state,
    'Mining Mode': MODE_NAMES[device.settings.mode],
    'Power Limit': device.settings.powerLimitW,
    'MHS(Sample)': facts.sampleMhs,
    'MHS(1m)': facts.minuteMhs,
    'MHS(2m)': facts.minuteMhs,
    'MHS(15m)': facts.averageMhs,
    'MHS(Avg)': facts.averageMhs,
    'MHS(Rated)': facts.ratedMhs,
    'MHS(Ideal)': facts.idealMhs,
    'Error Code': facts.errorCode,
    'Error Chip': '',
    Temp: Math.max(...facts.boards.flatMap((board) => board.temps)),
    'Liquid Cooling': false,
    'Board Count': facts.boards.length,
    'Fan Count': body.fansRpm.length,
    'PSU Model': 'BTPSU04KSA-03.00',
    'PSU SN': facts.psuSerial,
    'PSU Firmware': '222121',
    'PSU Input Power': body.powerW,
    'PSU Input Voltage': 231.4,
    'PSU Output Power': Math.round(body.powerW * 0.95),
    'PSU Output Voltage': 14.2,
    'PSU Output Current': Math.round((body.powerW * 0.95) / 14.2),
    'PSU Temp AMB': facts.psuC,
    'PSU Fan Speed': 4_200,
    'PSU Error': facts.psuError,
    'PSU Efficiency': 0.95,
  };
  for (const [slot, board] of facts.boards.entries()) {
    stats[`${slot} Online`] = board.isOnline;
    stats[`${slot} SN`] = board.serial;
    stats[`${slot} Chip Count`] = board.isOnline ? model.chipsPerBoard : 0;
    stats[`${slot} Bad Chip Count`] = 0;
    stats[`${slot} MHS(Sample)`] = board.mhs;
    if (model.tellsBoardMeans) stats[`${slot} MHS(2m)`] = board.mhs;
    stats[`${slot} MHS(Ideal)`] = board.isOnline ? facts.boardIdealMhs : 0;
    stats[`${slot} Freq`] = board.isOnline ? model.frequencyMhz : 0;
    for (const [sensor, tempC] of board.temps.entries()) stats[`${slot} Temp ${sensor}`] = tempC;
    stats[`${slot} Tune Status`] = board.isOnline ? 'Fine Tuning Done' : '';
  }
  for (const [index, rpm] of body.fansRpm.entries()) {
    stats[`${index} Speed`] = rpm;
    stats[`${index} PWM`] = 70;
  }
  return stats;
}

const WRITES = new Set(['ascset', 'restart', 'updatepools']);

function write(device: SimDevice, memory: SealminerMemory, { name, parameter }: Command): Said | undefined {
  if (!WRITES.has(name)) return undefined;
  if (device.faults.has('write-api-off')) {
    const msg = `Access denied to '${name}' command`;
    return { reply: envelope(device.nowS(), DESCRIPTION, { code: 45, msg, level: 'E' }) };
  }
  const isDeaf = device.faults.has('ignores-writes');
  const done = (code: number, msg: string) => ({ ...wrap(device, code, msg) });
  if (name === 'ascset') {
    const watts = limitIn(parameter);
    if (watts !== undefined) {
      if (!isDeaf) memory.limitAfterReboot = watts;
      return done(119, 'ASC 0 set OK');
    }
    if (parameter !== '0,suspend') {
      const msg = `ASC 0 set failed: ${parameter}`;
      return { reply: envelope(device.nowS(), DESCRIPTION, { code: 120, msg, level: 'E' }) };
    }
    if (!isDeaf) device.setMode('sleep');
    return done(119, 'ASC 0 set OK');
  }
  if (name === 'updatepools') {
    const pools = readPools(parameter);
    if (!pools) return { reply: envelope(device.nowS(), DESCRIPTION, { code: 52, msg: 'Invalid pools', level: 'E' }) };
    if (!isDeaf) memory.poolsAfterReboot = pools;
    return done(55, 'Pools updated');
  }
  if (isDeaf) return done(42, 'RESTART');
  return {
    ...done(42, 'RESTART'),
    after: () => {
      device.setMode(memory.awake);
      device.restart();
    },
  };
}

/** It comes as text. */
function limitIn(parameter: string): number | undefined {
  const [, json = ''] = /^0,powerlimit,(.*)$/.exec(parameter) ?? [];
  const value = json === '' ? undefined : parseObject(json)?.value;
  const watts = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : Number.NaN;
  return watts >= 1_000 && watts <= 10_000 ? watts : undefined;
}

function readPools(text: string): PoolSetting[] | undefined {
  const pools = parseObject(text)?.pools;
  if (!Array.isArray(pools) || pools.length > 3) return undefined;
  return pools.flatMap((pool: unknown) =>
    isRecord(pool) ? [{ url: String(pool.url), user: String(pool.user), pass: String(pool.pass) }] : [],
  );
}
