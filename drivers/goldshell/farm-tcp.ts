// TCP 4028 of a Goldshell: a BFGMiner kind of API for anybody, reads only. Atlas section 18.
import { standardPool, standardSummary } from '../_farm/cgminer-answers.ts';
import type { SimDevice } from '../_farm/device.ts';
import { type Command, cgminerServer, envelope, REFUSALS, type Said } from '../_farm/servers/cgminer-api.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import type { GoldshellModel } from './farm.data.ts';
import { type GoldshellFacts, goldshellFacts } from './farm-facts.ts';

const WRITES = new Set(['restart', 'quit', 'addpool', 'removepool', 'switchpool', 'pgaset', 'pgadisable', 'pgaenable']);

export function goldshellTcpServer(device: SimDevice, model: GoldshellModel): SimServer {
  const word = (code: number, msg: string, content: Record<string, unknown> = {}, level: 'S' | 'E' = 'S') =>
    envelope(device.nowS(), model.program, { code, msg, level }, content);
  const say = ({ name }: Command): Said | undefined => {
    if (WRITES.has(name)) return { reply: word(45, `Access denied to '${name}' command`, {}, 'E') };
    const facts = goldshellFacts(device, model);
    const content = read(device, model, facts, name);
    return content && { reply: word(...content) };
  };
  return cgminerServer(device, {
    port: device.site.port(4028),
    atOnce: 2,
    waiting: 50,
    ending: '\0',
    say,
    refuse: (code) => word(code, REFUSALS[code], {}, 'E'),
  });
}

type Content = readonly [code: number, msg: string, content: Record<string, unknown>];

function read(device: SimDevice, model: GoldshellModel, facts: GoldshellFacts, name: string): Content | undefined {
  switch (name) {
    case 'version':
      return [22, `${model.program} versions`, { VERSION: [{ Miner: '5.4.2', API: '3.3' }] }];
    case 'summary': {
      const sum = (mhs: (board: GoldshellFacts['boards'][number]) => number) =>
        facts.boards.reduce((total, board) => total + mhs(board), 0);
      const rates = { nowMhs: sum(({ mhs }) => mhs), averageMhs: sum(({ averageMhs }) => averageMhs) };
      return [11, 'Summary', { SUMMARY: [{ ...standardSummary(device, rates), 'MHS 20s': rates.nowMhs }] }];
    }
    case 'devs':
      return [
        9,
        `${facts.boards.length} PGA(s)`,
        { DEVS: facts.boards.map((board) => devRow(device, model, facts, board)) },
      ];
    case 'devdetails': {
      const rows = facts.boards.map(({ slot, chips }) => ({
        DEVDETAILS: slot,
        Name: 'INCS',
        ID: slot,
        Driver: 'intchains_qomo',
        'chips-nr': chips,
      }));
      return [69, 'Device Details', { DEVS: rows }];
    }
    case 'stats':
      return [
        70,
        'BFGMiner stats',
        { STATS: facts.boards.map(({ slot }) => ({ STATS: slot, ID: `INCS${slot}`, ...fanKeys(facts) })) },
      ];
    case 'pools': {
      const pools = device.settings.pools.map((pool, index) => standardPool(device, pool, index));
      return [7, `${pools.length} Pool(s)`, { POOLS: pools }];
    }
    default:
      return undefined;
  }
}

function devRow(
  device: SimDevice,
  model: GoldshellModel,
  facts: GoldshellFacts,
  board: GoldshellFacts['boards'][number],
): object {
  const { accepted, rejected } = device.shares();
  const share = facts.boards.length;
  return {
    PGA: board.slot,
    Name: 'INCS',
    ID: board.slot,
    Enabled: 'Y',
    Status: board.isDead ? 'Dead' : 'Alive',
    'Device Elapsed': device.uptimeS(),
    'MHS av': board.averageMhs,
    'MHS 20s': board.mhs,
    'MHS rolling': board.mhs,
    Accepted: Math.floor(accepted / share),
    Rejected: Math.floor(rejected / share),
    'Hardware Errors': board.hw,
    'Device Hardware%': 0.1,
    voltage: 0.41,
    clock: board.clockMhz,
    ...fanKeys(facts),
    'tstemp-0': board.chipC,
    'tstemp-1': board.chipC,
    'tstemp-2': board.boardC,
    overheat: 0,
    rebootcnt: 0,
    'hwerr-ration': 0.000_008,
    ...estimate(model, board.slot),
    range_scan_time: 16,
  };
}

export const KINDS = ['scrypt(LTC)', 'zkSNARK(ALEO)'] as const;

/** Each board tells the fans of the whole machine. */
const fanKeys = ({ fans }: GoldshellFacts) => Object.fromEntries(fans.map((rpm, index) => [`fan${index}`, rpm]));

/** Of the whole machine, of the board where there are two kinds, or of something unknown. */
function estimate(model: GoldshellModel, slot: number): object {
  if (!model.isDouble) return { estimate_hash_rate: model.isSloppy ? 40_000_000 : model.hashrateHs };
  const hs = model.hashrateHs / model.boards;
  return slot === 0 ? { pool: KINDS[0], estimate_hash_rate: hs } : { pool: KINDS[1], theory_hash: hs / 1e6 };
}
