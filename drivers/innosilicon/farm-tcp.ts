// TCP 4028 of an Innosilicon: CGMiner's words for anybody, reads only. Atlas section 19.
import { standardPool, standardSummary } from '../_farm/cgminer-answers.ts';
import type { SimDevice } from '../_farm/device.ts';
import { type Command, cgminerServer, envelope, REFUSALS, type Said } from '../_farm/servers/cgminer-api.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import type { InnosiliconModel } from './farm.data.ts';
import { type InnosiliconFacts, innosiliconFacts } from './farm-facts.ts';

export function innosiliconTcpServer(device: SimDevice, model: InnosiliconModel): SimServer {
  const say = ({ name }: Command): Said | undefined => {
    const content = read(device, innosiliconFacts(device, model), name);
    if (content === undefined) return undefined;
    const [code, msg, rest] = content;
    return { reply: envelope(device.nowS(), model.program, { code, msg }, rest) };
  };
  return cgminerServer(device, {
    port: device.site.port(4028),
    atOnce: 2,
    waiting: 50,
    ending: '\0',
    say,
    refuse: (code) => envelope(device.nowS(), model.program, { code, msg: REFUSALS[code], level: 'E' }),
  });
}

type Content = readonly [code: number, msg: string, content: Record<string, unknown>];

function read(device: SimDevice, facts: InnosiliconFacts, name: string): Content | undefined {
  switch (name) {
    case 'version':
      return [22, 'CGMiner versions', { VERSION: [{ CGMiner: '4.11.1', API: '3.7' }] }];
    case 'summary': {
      const nowMhs = facts.hs / facts.mhsHs;
      return [
        11,
        'Summary',
        { SUMMARY: [standardSummary(device, { nowMhs, averageMhs: nowMhs * facts.averageFactor })] },
      ];
    }
    case 'devs':
      return [9, `${facts.boards.length} ASC(s)`, { DEVS: facts.boards.map((board) => devRow(device, facts, board)) }];
    case 'stats':
      return [70, 'CGMiner stats', { STATS: facts.boards.map((board) => statsRow(device, facts, board)) }];
    case 'pools':
      return [7, `${device.settings.pools.length} Pool(s)`, { POOLS: poolRows(device) }];
    default:
      return undefined;
  }
}

export const poolRows = (device: SimDevice) =>
  device.settings.pools.map((pool, index) => standardPool(device, pool, index));

type Board = InnosiliconFacts['boards'][number];

export function devRow(device: SimDevice, facts: InnosiliconFacts, board: Board): object {
  const { accepted, rejected } = device.shares();
  const mhs = board.hs / facts.mhsHs;
  return {
    ASC: board.slot,
    Name: 'HUB',
    ID: board.slot,
    Enabled: 'Y',
    Status: board.isDead ? 'Dead' : 'Alive',
    Temperature: board.averageC,
    'MHS av': mhs * facts.averageFactor,
    'MHS 5s': mhs,
    'MHS 1m': mhs,
    TempMIN: board.minC,
    TempAVG: board.averageC,
    TempMAX: board.maxC,
    DUTY: facts.dutyPercent,
    Accepted: Math.floor(accepted / facts.boards.length),
    Rejected: Math.floor(rejected / facts.boards.length),
    'Hardware Errors': board.hw,
    'Device Elapsed': device.uptimeS(),
  };
}

function statsRow(device: SimDevice, facts: InnosiliconFacts, board: Board): object {
  return {
    STATS: board.slot,
    ID: `HUB${board.slot}`,
    Elapsed: device.uptimeS(),
    'Chain ID': board.slot,
    'Num chips': board.activeChips,
    'Num active chips': board.activeChips,
    'Temp max': board.maxC,
    'Temp min': board.minC,
    'Fan duty': facts.dutyPercent,
    'MHS av': (board.hs / facts.mhsHs) * facts.averageFactor,
  };
}
