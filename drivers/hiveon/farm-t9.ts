// A T9 with Hiveon firmware: three chains to a board, numbered 2 to 4 and 9 to 14, and fans in places 3 and 6. Atlas
// section 15.
import { type AntminerFacts, antminerFacts, antminerTruth } from '../_farm/bitmain/facts.ts';
import { poolsOf, summaryOf, versionOf } from '../_farm/bitmain/tcp.ts';
import type { SimDevice } from '../_farm/device.ts';
import { round } from '../_farm/noise.ts';
import { classicServer, envelope, type Said } from '../_farm/servers/cgminer-api.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import type { Truth } from '../_farm/truth.ts';
import { HIVEON_T9 as MODEL } from './farm.data.ts';

const DESCRIPTION = 'cgminer 4.9.0';
const BOARDS: readonly (readonly number[])[] = [
  [2, 9, 10],
  [3, 11, 12],
  [4, 13, 14],
];
const CHIPS_PER_CHAIN = MODEL.chipsPerBoard / 3;

export function hiveonT9TcpServer(device: SimDevice): SimServer {
  return classicServer(device, DESCRIPTION, ({ name }) => say(device, name));
}

function say(device: SimDevice, name: string): Said | undefined {
  const facts = antminerFacts(device);
  const wrap = (code: number, msg: string, content: Readonly<Record<string, unknown>>) => ({
    reply: envelope(device.nowS(), DESCRIPTION, { code, msg }, content),
  });
  switch (name) {
    case 'version':
      return wrap(22, 'CGMiner versions', { VERSION: [{ API: '3.1', ...versionOf(MODEL) }] });
    case 'summary':
      return wrap(11, 'Summary', { SUMMARY: [summaryOf(MODEL, facts)] });
    case 'stats':
      return wrap(70, 'CGMiner stats', { STATS: [versionOf(MODEL), stats(device, facts)] });
    case 'pools':
      return wrap(7, '3 Pool(s)', { POOLS: poolsOf(facts) });
    default:
      return undefined;
  }
}

/** GH/s of the three chains of a board; together they are the board. */
function chainRates(ghs: number): readonly [number, number, number] {
  const third = round(ghs / 3, 2);
  return [third, third, round(ghs - 2 * third, 2)];
}

function stats(device: SimDevice, facts: AntminerFacts): Record<string, unknown> {
  const { inletC } = device.body();
  const row: Record<string, unknown> = {
    STATS: 0,
    ID: 'BC50',
    Elapsed: facts.elapsedS,
    'GHS 5s': facts.ghs.toFixed(2),
    'GHS av': facts.averageGhs,
    frequency: String(MODEL.frequencyMhz),
    fan_num: facts.fans.length,
    chain_power: `${facts.powerW} W`,
  };
  for (let place = 1; place <= 8; place++) row[`fan${place}`] = 0;
  [row.fan3, row.fan6] = facts.fans;
  for (let chain = 1; chain <= 16; chain++) {
    const slot = BOARDS.findIndex((chains) => chains.includes(chain));
    const board = facts.boards[slot];
    const place = BOARDS[slot]?.indexOf(chain) ?? 0;
    const isPresent = board?.isPresent ?? false;
    const isFirst = place === 0 && isPresent;
    row[`chain_acn${chain}`] = isPresent ? CHIPS_PER_CHAIN : 0;
    row[`chain_acs${chain}`] = isPresent ? 'o'.repeat(CHIPS_PER_CHAIN) : '';
    row[`chain_rate${chain}`] = board && isPresent ? chainRates(board.ghs)[place] : '';
    row[`chain_hw${chain}`] = isFirst ? (board?.hw ?? 0) : 0;
    row[`freq_avg${chain}`] = isPresent ? MODEL.frequencyMhz : 0;
    row[`temp${chain}`] = isFirst ? board?.pcbC[0] : 0;
    row[`temp2_${chain}`] = isFirst ? board?.chipC[0] : 0;
    row[`temp3_${chain}`] = isFirst ? Math.round(inletC) : 0;
  }
  return row;
}

/** As stock's, but for what its older answers leave out. */
export function hiveonT9Truth(device: SimDevice): Truth {
  const stock = antminerTruth(device, MODEL);
  const facts = antminerFacts(device);
  return {
    ...stock,
    firmware_version: MODEL.minerVersion,
    mining_mode: null,
    expected_hashrate: MODEL.hashrateHs,
    power: facts.powerW,
    hashboards: facts.boards
      .filter((board) => board.isPresent)
      .map((board) => ({
        serial_number: null,
        hashrate: chainRates(board.ghs).reduce((total, ghs) => total + ghs * 1e9, 0),
        chips: MODEL.chipsPerBoard,
        chip_frequency: MODEL.frequencyMhz,
      })),
    errors: [],
  };
}
