// The CGMiner API of Hammer (4028 or 8359) and VolcMiner (8359): rates in MH/s as text; Hammer repeats keys, VolcMiner
// forgets a comma. Atlas sections 21, 22.
import { tcpPools } from '../bitmain/pages.ts';
import type { SimDevice } from '../device.ts';
import { classicServer, envelope, type Said } from '../servers/cgminer-api.ts';
import type { SimServer } from '../servers/listener.ts';
import { type BlackMinerFacts, blackMinerFacts, grouped } from './facts.ts';
import type { BlackMinerModel } from './models.data.ts';

const DESCRIPTION = 'ccminer 2.3.3';

export function blackMinerTcpServer(device: SimDevice, model: BlackMinerModel, port: number): SimServer {
  return classicServer(device, DESCRIPTION, ({ name }) => say(device, model, name), port);
}

function say(device: SimDevice, model: BlackMinerModel, name: string): Said | undefined {
  const facts = blackMinerFacts(device, model);
  const wrap = (code: number, msg: string, content: Readonly<Record<string, unknown>>) =>
    envelope(device.nowS(), DESCRIPTION, { code, msg }, content);
  switch (name) {
    case 'version':
      return { reply: wrap(22, 'CGMiner versions', { VERSION: [{ API: model.api, ...versionOf(model) }] }) };
    case 'summary':
      return { reply: wrap(11, 'Summary', { SUMMARY: [summaryOf(model, facts)] }) };
    case 'stats': {
      const answer = JSON.stringify(wrap(70, 'CGMiner stats', { STATS: [versionOf(model), statsOf(model, facts)] }));
      return { reply: asPrinted(model, answer) };
    }
    case 'pools':
      return { reply: wrap(7, `${facts.pools.length} Pool(s)`, { POOLS: tcpPools(facts.pools) }) };
    default:
      return undefined;
  }
}

function versionOf(model: BlackMinerModel) {
  return { CGMiner: '2.3.3', Miner: model.minerVersion, CompileTime: model.compileTime, Type: model.reportedAs };
}

function rate(model: BlackMinerModel, mhs: number): string {
  return model.driver === 'hammer' ? mhs.toFixed(4) : grouped(mhs, 1);
}

/** Shares are texts, and the rejected ones repeat the accepted ones. */
function summaryOf(model: BlackMinerModel, facts: BlackMinerFacts): object {
  const accepted = (facts.pools[0]?.accepted ?? 0).toFixed(4);
  return {
    Elapsed: facts.elapsedS,
    'MHS 5s': rate(model, facts.mhs),
    'MHS av': rate(model, facts.averageMhs),
    'Found Blocks': 0,
    Getworks: Math.floor(facts.elapsedS / 13),
    Accepted: accepted,
    Rejected: accepted,
    'Hardware Errors': facts.boards.reduce((sum, board) => sum + board.hw, 0),
    Stale: 0,
    'Get Failures': 0,
    'Remote Failures': 0,
  };
}

/** Marks a key that is printed several times under one name. */
const AGAIN = '~';

function statsOf(model: BlackMinerModel, facts: BlackMinerFacts): object {
  const stats: Record<string, unknown> = {
    STATS: 0,
    ID: 'A30',
    Elapsed: facts.elapsedS,
    Calls: 0,
    Wait: 0,
    Max: 0,
    Min: 99_999_999,
    'MHS 5s': rate(model, facts.mhs),
    'MHS av': rate(model, facts.averageMhs),
    miner_count: facts.boards.filter((board) => board.isPresent).length,
    frequency: String(model.frequencyMhz),
    fan_num: facts.fans.length,
  };
  for (const [index, rpm] of facts.fans.entries()) stats[`fan${index + 1}`] = rpm;
  stats.temp_num = 12;
  const chains = [1, 2, 3, 4].map((chain) => ({ chain, board: facts.boards[chain - 1] }));
  for (const { chain, board } of chains) {
    for (const [place, tempC] of (board?.sensorsC ?? [0, 0, 0, 0]).entries()) {
      stats[`temp${chain}${AGAIN.repeat(place)}`] = tempC;
    }
  }
  for (const { chain, board } of chains) {
    const isPresent = board?.isPresent ?? false;
    stats[`chain_acn${chain}`] = isPresent ? model.chipsPerBoard : 0;
    stats[`chain_acs${chain}`] = isPresent ? chipMap(model.chipsPerBoard) : '';
    stats[`chain_hw${chain}`] = board?.hw ?? 0;
    stats[`chain_rate${chain}`] = isPresent && board ? rate(model, board.mhs) : '';
  }
  return stats;
}

const chipMap = (chips: number) => ' oooooooo'.repeat(Math.ceil(chips / 8)).slice(0, chips + Math.ceil(chips / 8));

/** A VolcMiner names one sensor of each board, and forgets the comma between the version object and the data. */
function asPrinted(model: BlackMinerModel, answer: string): string {
  if (model.driver === 'hammer') return answer.replaceAll(/~+":/g, '":');
  return answer.replaceAll(/"temp\d~+":\d+,/g, '').replace('},{"STATS":0', '}{"STATS":0');
}
