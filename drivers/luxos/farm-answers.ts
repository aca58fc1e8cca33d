// The reads of LuxOS on TCP 4028: CGMiner's commands with keys of its own, and its own commands. Atlas section 7.
import { standardPool } from '../_farm/cgminer-answers.ts';
import type { SimDevice } from '../_farm/device.ts';
import type { LuxosModel } from './farm.data.ts';
import { type LuxosFacts, luxosFacts, luxosSerial, MODES, profileOf } from './farm-facts.ts';

/** Status code, words and content; undefined when it is no read of ours. */
type LuxosRead = readonly [code: number, msg: string, content: Readonly<Record<string, unknown>>];

export function luxosRead(
  device: SimDevice,
  model: LuxosModel,
  name: string,
  parameter: string,
): LuxosRead | undefined {
  const facts = luxosFacts(device, model);
  switch (name) {
    case 'version':
      return [22, 'LUXminer versions', { VERSION: [versionRow(device, model)] }];
    case 'config':
      return [33, 'LUXminer config', { CONFIG: [configRow(device, model, facts)] }];
    case 'summary':
      return [11, 'Summary', { SUMMARY: [summaryRow(device, facts)] }];
    case 'stats':
      return [70, 'LUXminer stats', { STATS: [versionHead(device, model), statsRow(model, facts)] }];
    case 'devs':
      return [9, `${facts.boards.length} ASC(s)`, { DEVS: devRows(device, model, facts) }];
    case 'temps':
      return [201, `${facts.boards.length} Temp(s)`, { TEMPS: tempRows(facts), METADATA: [CORNER_LABELS] }];
    case 'fans':
      return [202, `${facts.fans.length} Fan(s)`, fansContent(facts)];
    case 'power':
      return [311, 'Power usage', { POWER: [{ PSU: model.isPowerMeasured, Watts: facts.powerW }] }];
    case 'profiles':
      return [323, 'List profiles', { PROFILES: MODES.map((mode) => profileRow(model, mode)) }];
    case 'pools': {
      const pools = device.settings.pools.map((pool, index) => poolRow(device, pool, index));
      return [7, `${pools.length} Pool(s)`, { POOLS: pools }];
    }
    case 'groups':
      return [77, '1 Group(s)', { GROUPS: [{ GROUP: 0, Name: 'default', Quota: 1 }] }];
    case 'events':
      return [357, 'Miner Events', { EVENTS: eventRows(device, facts) }];
    case 'voltageget': {
      const board = facts.boards.find(({ slot }) => String(slot) === parameter);
      return board && [307, 'Get Voltage', { VOLTAGE: [{ Board: board.slot, Voltage: board.isDead ? 0 : 13.2 }] }];
    }
    default:
      return undefined;
  }
}

const versionHead = (device: SimDevice, model: LuxosModel) => ({
  CompileTime: model.compileTime,
  Miner: device.settings.firmware ?? model.firmware,
  Type: model.reportedAs,
});

const versionRow = (device: SimDevice, model: LuxosModel) => ({
  API: '3.7',
  ...versionHead(device, model),
  LUXminer: `${model.firmware}-${model.build}`,
});

function configRow(device: SimDevice, model: LuxosModel, facts: LuxosFacts): object {
  return {
    'ASC Count': facts.boards.filter(({ isDead }) => !isDead).length,
    ControlBoardType: model.controlBoard,
    Cooling: 'Air',
    CurtailMode: facts.isAsleep ? 'Sleep' : 'None',
    DHCP: true,
    GreenLed: 'auto',
    Hostname: device.settings.hostname,
    IPAddr: device.ip,
    ImmersionMode: false,
    IsAtmEnabled: model.isAtmEnabled,
    IsPowerSupplyOn: !facts.isAsleep,
    IsSingleVoltage: true,
    IsTuning: !facts.isAsleep,
    'Log Interval': 0,
    MACAddr: device.mac.toLowerCase(),
    Model: model.reportedAs,
    NameplateTHS: model.hashrateHs / 1e12,
    OS: 'LuxOS',
    PSUHwVersion: '75',
    PSULabel: model.psu,
    'Pool Count': device.settings.pools.length,
    Profile: facts.profile.name,
    ProfileStep: facts.profile.step,
    RedLed: device.settings.isLightOn ? 'blink' : 'auto',
    SerialNumber: luxosSerial(device),
    Strategy: 'Failover',
    SystemStatus: 'Normal',
    UpdateSource: 'https://firmware.example/stable',
  };
}

function summaryRow(device: SimDevice, facts: LuxosFacts): object {
  const { accepted, rejected, stale, difficulty } = device.shares();
  return {
    Accepted: accepted,
    'Best Share': difficulty,
    'Difficulty Accepted': accepted * difficulty,
    'Difficulty Rejected': rejected * difficulty,
    'Difficulty Stale': stale * difficulty,
    Discarded: 0,
    Elapsed: facts.elapsedS,
    'Found Blocks': 0,
    'GHS 15m': facts.averageGhs,
    'GHS 1m': facts.ghs,
    'GHS 24h': facts.dayGhs,
    'GHS 30m': facts.averageGhs,
    'GHS 5m': facts.averageGhs,
    'GHS 5s': facts.ghs,
    'GHS av': facts.averageGhs,
    'Get Failures': 0,
    Getworks: accepted,
    'Hardware Errors': facts.boards.reduce((sum, board) => sum + board.hw, 0),
    Rejected: rejected,
    Stale: stale,
    Utility: 26.03,
  };
}

/** In the manner of the maker's own firmware; the three sensor texts all show the board's corners. */
function statsRow(model: LuxosModel, facts: LuxosFacts): object {
  const stats: Record<string, unknown> = {
    STATS: 0,
    ID: 'BTM_SOC0',
    Elapsed: facts.elapsedS,
    Calls: 0,
    'GHS 5s': facts.ghs,
    'GHS av': facts.averageGhs,
    Max: 0,
    Min: 99_999_999,
    Mode: 2,
    miner_count: facts.boards.length,
    fan_num: facts.fans.length,
    frequency: facts.frequencyMhz,
    rate_30m: facts.averageGhs,
    rate_unit: 'GH',
    total_acn: 4,
    total_freqavg: facts.frequencyMhz,
    total_rateideal: facts.idealGhs,
  };
  for (const [index, rpm] of facts.fans.entries()) stats[`fan${index + 1}`] = rpm;
  for (let chain = 1; chain <= 4; chain++) {
    const board = facts.boards[chain - 1];
    const isThere = board !== undefined && !board.isDead;
    const corners = board ? [board.exhaustC, board.inletC, board.inletC, board.exhaustC].join('-') : '0-0-0-0';
    stats[`chain_acn${chain}`] = isThere ? model.chipsPerBoard : 0;
    stats[`chain_acs${chain}`] = isThere ? ' oooo'.repeat(Math.ceil(model.chipsPerBoard / 4)) : '';
    stats[`chain_hw${chain}`] = board?.hw ?? 0;
    stats[`chain_rate${chain}`] = board ? (board.averageMhs / 1_000).toFixed(2) : '0';
    stats[`freq${chain}`] = isThere ? facts.frequencyMhz : 0;
    for (const kind of ['pcb', 'chip', 'pic']) stats[`temp_${kind}${chain}`] = corners;
  }
  return stats;
}

/** Not in the order of the slots: the last board comes first. */
function devRows(device: SimDevice, model: LuxosModel, facts: LuxosFacts): object[] {
  const rows = facts.boards.map((board) => ({
    ASC: board.slot,
    Accepted: Math.floor(device.shares().accepted / facts.boards.length),
    Board: model.boardName,
    Connector: `J${board.slot + 7}`,
    'Device Elapsed': facts.elapsedS,
    Enabled: 'Y',
    'Hardware Errors': board.hw,
    ID: board.slot,
    IsRamping: false,
    IsUserShutdown: false,
    'MHS 15m': board.averageMhs,
    'MHS 1m': board.mhs,
    'MHS 30m': board.averageMhs,
    'MHS 5m': board.averageMhs,
    'MHS 5s': board.mhs,
    'MHS 60m': board.averageMhs,
    'MHS av': board.averageMhs,
    Name: '',
    'Nominal MHS': board.nominalMhs,
    Profile: facts.profile.name,
    Rejected: 0,
    SerialNumber: board.serial,
    Status: board.isDead ? 'Dead' : 'Alive',
    Temperature: board.exhaustC,
  }));
  return [...rows.slice(-1), ...rows.slice(0, -1)];
}

const CORNER_LABELS = {
  BottomLeft: { Label: 'Board Exhaust (bottom)', Position: [1, 0] },
  BottomRight: { Label: 'Board Intake (bottom)', Position: [1, 1] },
  TopLeft: { Label: 'Board Exhaust (top)', Position: [0, 0] },
  TopRight: { Label: 'Board Intake (top)', Position: [0, 1] },
} as const;

const tempRows = (facts: LuxosFacts) =>
  facts.boards.map(({ slot, inletC, exhaustC }) => ({
    BottomLeft: exhaustC,
    BottomRight: inletC,
    ID: slot,
    TEMP: slot,
    TopLeft: exhaustC,
    TopRight: inletC,
  }));

/** The names on the plugs are in another order than the ids. */
const fansContent = (facts: LuxosFacts) => ({
  FANS: facts.fans.map((rpm, id) => ({
    FAN: `FAN${[4, 2, 1, 3][id] ?? id + 1}`,
    ID: id,
    RPM: rpm,
    Speed: facts.dutyPercent,
  })),
  FANCTRL: [{ MinFans: 3, PowerOffSpeed: 20 }],
});

function profileRow(model: LuxosModel, mode: (typeof MODES)[number]): object {
  const { name, step, factor } = profileOf(model, mode);
  return {
    CanRestore: true,
    Frequency: Math.round(model.frequencyMhz * factor),
    HasOverrides: false,
    Hashrate: Math.round((model.hashrateHs * factor) / 1e11) / 10,
    IsDynamic: true,
    IsTuned: factor === 1,
    'Profile Name': name,
    Step: step,
    Voltage: 13.2,
    Watts: Math.round(model.powerW * factor),
  };
}

function poolRow(device: SimDevice, pool: SimDevice['settings']['pools'][number], index: number): object {
  const { difficulty } = device.shares();
  return {
    ...standardPool(device, pool, index),
    AsicBoost: true,
    Diff: `${Math.floor(difficulty / 1_024)}K`,
    GROUP: 0,
    'Has Vmask': true,
    'Last Share Time': '00:00:01',
  };
}

const eventRows = (device: SimDevice, facts: LuxosFacts) =>
  facts.events.map(({ code, text, board }) => ({
    Code: code,
    CreatedAt: new Date(device.nowS() * 1_000).toISOString(),
    Description: text,
    DocUrl: 'https://docs.example/events',
    ...(board === undefined ? { Target: 'MINER' } : { ID: board, Target: 'BOARD' }),
  }));
