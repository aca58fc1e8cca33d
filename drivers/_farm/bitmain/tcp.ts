// TCP 4028 of Antminer stock: classic answers, the `new_api` form of generation C, and the broken `stats` of early
// builds. Atlas sections 3.2, 3.3.
import type { SimDevice } from '../device.ts';
import { type Command, classicServer, envelope, type Said } from '../servers/cgminer-api.ts';
import type { SimServer } from '../servers/listener.ts';
import type { AntminerModel } from './antminer.data.ts';
import { type AntminerFacts, antminerFacts } from './facts.ts';
import { tcpPools } from './pages.ts';
import { webStats, webSummary } from './web-answers.ts';

const DESCRIPTION = 'cgminer 1.0.0';

export function antminerTcpServer(device: SimDevice, model: AntminerModel): SimServer {
  return classicServer(device, DESCRIPTION, (command) => say(device, model, command));
}

function say(device: SimDevice, model: AntminerModel, command: Command): Said | undefined {
  if (!device.isProcessUp) return { reply: '', hangUp: true };
  const facts = antminerFacts(device);
  const isNewForm = command.body.new_api === true && model.generation === 'c';
  const wrap = (code: number, msg: string, content: Readonly<Record<string, unknown>>) =>
    envelope(device.nowS(), DESCRIPTION, { code, msg }, content);
  switch (command.name) {
    case 'version':
      return { reply: wrap(22, 'CGMiner versions', { VERSION: [{ API: '3.1', ...versionOf(model) }] }) };
    case 'summary':
      return {
        reply: isNewForm
          ? webSummary(device, model, facts)
          : wrap(11, 'Summary', { SUMMARY: [summaryOf(model, facts)] }),
      };
    case 'stats':
      if (isNewForm) return { reply: webStats(device, model, facts) };
      return {
        reply: statsText(
          model,
          wrap(70, 'CGMiner stats', { STATS: [versionOf(model), classicStats(device, model, facts)] }),
        ),
      };
    case 'pools':
      return { reply: wrap(7, '3 Pool(s)', { POOLS: poolsOf(facts) }) };
    case 'devs':
      return { reply: wrap(9, '1 ASC(s)', { DEVS: [uselessDev(facts)] }) };
    default:
      return undefined;
  }
}

export function versionOf(model: AntminerModel) {
  return {
    BMMiner: '1.0.0',
    Miner: model.minerVersion,
    CompileTime: model.compileTime,
    Type: model.reportedAs,
  };
}

/** Early builds print rates as text, and absent ones as empty text. */
function rate(model: AntminerModel, ghs: number): string | number {
  return model.isEarly ? ghs.toFixed(2) : ghs;
}

export function summaryOf(model: AntminerModel, facts: AntminerFacts): Record<string, unknown> {
  const [pool] = facts.pools;
  return {
    Elapsed: facts.elapsedS,
    'GHS 5s': rate(model, facts.ghs),
    'GHS av': facts.averageGhs,
    'GHS 30m': facts.averageGhs,
    'Found Blocks': 0,
    Getwork: Math.floor(facts.elapsedS / 13),
    Accepted: pool?.accepted ?? 0,
    Rejected: pool?.rejected ?? 0,
    'Hardware Errors': facts.boards.reduce((sum, board) => sum + board.hw, 0),
    Utility: 4.82,
    Discarded: Math.floor(facts.elapsedS / 2),
    Stale: pool?.stale ?? 0,
    'Get Failures': 0,
    'Remote Failures': 0,
    'Difficulty Accepted': (pool?.accepted ?? 0) * (pool?.difficulty ?? 0),
    'Difficulty Rejected': (pool?.rejected ?? 0) * (pool?.difficulty ?? 0),
    'Difficulty Stale': (pool?.stale ?? 0) * (pool?.difficulty ?? 0),
    'Device Hardware%': 0,
    'Device Rejected%': 0,
    'Pool Rejected%': 0,
    'Pool Stale%': 0,
    'Last getwork': 0,
  };
}

/** The flat form: numbered keys, a fourth chain that is a placeholder. */
function classicStats(device: SimDevice, model: AntminerModel, facts: AntminerFacts): Record<string, unknown> {
  const stats: Record<string, unknown> = {
    STATS: 0,
    ID: 'BTM_SOC0',
    Elapsed: facts.elapsedS,
    Calls: 0,
    Wait: 0,
    Max: 0,
    Min: 99_999_999,
    'GHS 5s': rate(model, facts.ghs),
    'GHS av': facts.averageGhs,
    rate_30m: facts.averageGhs,
    Mode: 2,
    miner_count: facts.boards.filter((board) => board.isPresent).length,
    frequency: model.frequencyMhz,
    fan_num: facts.fans.length,
  };
  for (const [index, rpm] of facts.fans.entries()) stats[`fan${index + 1}`] = rpm;
  stats.temp_num = facts.boards.length;
  for (let chain = 1; chain <= 4; chain++) {
    const board = facts.boards[chain - 1];
    const isPresent = board?.isPresent ?? false;
    stats[`temp${chain}`] = board?.pcbC[0] ?? 0;
    stats[`temp2_${chain}`] = board?.chipC[0] ?? 0;
    stats[`temp_chip${chain}`] = (board?.chipC ?? NO_SENSORS).join('-');
    stats[`temp_pcb${chain}`] = (board?.pcbC ?? NO_SENSORS).join('-');
    stats[`temp_pic${chain}`] = (board?.picC ?? NO_SENSORS).join('-');
    stats[`freq${chain}`] = isPresent ? model.frequencyMhz : 0;
    stats[`chain_acn${chain}`] = isPresent ? model.chipsPerBoard : 0;
    stats[`chain_acs${chain}`] = isPresent ? chipMap(model.chipsPerBoard, facts.ghs > 0) : '';
    stats[`chain_hw${chain}`] = board?.hw ?? 0;
    stats[`chain_rate${chain}`] = isPresent && board ? board.ghs.toFixed(2) : '';
  }
  stats.total_rateideal = facts.idealGhs;
  stats.rate_unit = 'GH';
  stats.total_freqavg = model.frequencyMhz;
  stats.total_acn = facts.boards.filter((board) => board.isPresent).length * model.chipsPerBoard;
  stats['total rate'] = facts.averageGhs;
  stats.temp_max = 0;
  stats.no_matching_work = facts.boards.reduce((sum, board) => sum + board.hw, 0);
  if (model.tellsPower) stats.chain_power = `${facts.powerW} W`;
  stats.miner_version = model.minerVersion;
  stats.miner_id = `8144${device.identity.tag.padStart(12, '0')}`;
  return stats;
}

const NO_SENSORS = [0, 0, 0, 0] as const;

/** A machine that stands prints every chip as bad. */
function chipMap(chips: number, isHashing: boolean): string {
  return (isHashing ? ' ooo' : ' xxx').repeat(Math.ceil(chips / 3)).slice(0, chips + Math.ceil(chips / 3));
}

/** Early builds forget the comma between the version object and the data. */
function statsText(model: AntminerModel, answer: object): object | string {
  return model.isEarly ? JSON.stringify(answer).replace('},{"STATS":0', '}{"STATS":0') : answer;
}

export const poolsOf = (facts: Pick<AntminerFacts, 'pools'>): object[] =>
  tcpPools(facts.pools).map((row) => ({
    ...row,
    'Diff1 Shares': 0,
    'Proxy Type': '',
    Proxy: '',
    'Best Share': 12_904_207_043,
    'Pool Rejected%': 0,
    'Pool Stale%%': 0,
  }));

function uselessDev(facts: AntminerFacts): object {
  return {
    ASC: 0,
    Name: 'BTM_SOC',
    ID: 0,
    Enabled: 'Y',
    Status: 'Alive',
    Tenperature: 0,
    'MHS av': 0,
    'MHS 5s': 0,
    Accepted: facts.pools[0]?.accepted ?? 0,
    Rejected: facts.pools[0]?.rejected ?? 0,
    'Hardware Errors': 0,
    Utility: 0,
    'Last Share Pool': 0,
    'Total MH': 0,
    'Device Elapsed': facts.elapsedS,
  };
}
