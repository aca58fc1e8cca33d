// The CGMiner words of Braiins OS (port 4028): all that versions before 22.08 have, and an extra of the later ones.
// Atlas section 6.2.
import { standardPool } from '../_farm/cgminer-answers.ts';
import type { SimDevice } from '../_farm/device.ts';
import { type Command, cgminerServer, envelope, REFUSALS, type Said } from '../_farm/servers/cgminer-api.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import type { BraiinsModel } from './farm.data.ts';
import { braiinsFacts, fanPlaces, isStopped } from './farm-facts.ts';

const OF_BOSER: ReadonlySet<string> = new Set(['version', 'pause', 'resume']);

export function braiinsTcpServer(device: SimDevice, model: BraiinsModel): SimServer {
  const description = Object.entries(model.build)
    .map(([key, value]) => `${key} ${value}`)
    .join(' ');
  const word = (code: number, msg: string, content: Readonly<Record<string, unknown>> = {}, level: 'S' | 'E' = 'S') =>
    envelope(device.nowS(), description, { code, msg, level }, content);

  const say = ({ name }: Command): Said | undefined => {
    const facts = braiinsFacts(device, model);
    // The words are those of the mining program; who passes them on has a version of its own.
    if (isStopped(facts, model) && !OF_BOSER.has(name)) return undefined;
    const alive = facts.boards.filter(({ isDead }) => !isDead);
    const mhs = (hs: number) => hs / 1e6;
    switch (name) {
      case 'version':
        return { reply: word(22, 'BOSer versions', { VERSION: [{ API: '3.7', ...model.build }] }) };
      case 'summary': {
        const { accepted, rejected, stale } = device.shares();
        const rates = {
          'MHS 5s': mhs(facts.hs),
          'MHS 1m': mhs(facts.hs),
          'MHS 15m': mhs(facts.hs),
          'MHS av': mhs(facts.hs),
        };
        const counts = { Accepted: accepted, Rejected: rejected, Stale: stale };
        return { reply: word(11, 'Summary', { SUMMARY: [{ Elapsed: device.uptimeS(), ...rates, ...counts }] }) };
      }
      case 'devs': {
        const DEVS = alive.map((board, ASC) => ({
          ASC,
          ID: board.name,
          Enabled: 'Y',
          Status: 'Alive',
          Temperature: board.chipC,
          'MHS 5s': mhs(board.hs),
          'MHS 1m': mhs(board.hs),
          'MHS 15m': mhs(board.hs),
          'Nominal MHS': mhs(board.nominalHs),
          'Hardware Errors': 0,
        }));
        return { reply: word(9, `${DEVS.length} ASC(s)`, { DEVS }) };
      }
      case 'temps': {
        const TEMPS = alive.map((board, index) => ({
          TEMP: index,
          ID: board.name,
          Board: board.boardC,
          Chip: board.chipC,
        }));
        return { reply: word(201, `${TEMPS.length} Temp(s)`, { TEMPS }) };
      }
      case 'fans': {
        const FANS = fanPlaces(facts).map((RPM, ID) => ({ FAN: ID, ID, RPM, Speed: 100 }));
        return { reply: word(202, `${FANS.length} Fan(s)`, { FANS }) };
      }
      case 'tunerstatus': {
        const status = {
          ApproximateMinerPowerConsumption: facts.powerW,
          PowerLimit: device.settings.powerLimitW,
          TunerChainStatus: alive.map(({ name: HashchainIndex }) => ({ HashchainIndex, Status: 'Stable' })),
        };
        return { reply: word(203, 'Tuner Status', { TUNERSTATUS: [status] }) };
      }
      case 'devdetails': {
        const DEVDETAILS = alive.map((board, index) => ({
          DEVDETAILS: index,
          ID: board.name,
          Name: 'Hash Chain',
          Chips: model.chipsPerBoard,
          Model: `Bitmain ${model.reportedAs}`,
        }));
        return { reply: word(69, 'Device Details', { DEVDETAILS }) };
      }
      case 'pools': {
        const POOLS = device.settings.pools.map((pool, index) => standardPool(device, pool, index));
        return { reply: word(7, `${POOLS.length} Pool(s)`, { POOLS }) };
      }
      case 'pause':
      case 'resume':
        return order(device, name, word);
      default:
        return undefined;
    }
  };
  return cgminerServer(device, {
    port: device.site.port(4028),
    atOnce: 4,
    waiting: 100,
    ending: '\0',
    say,
    refuse: (code) => word(code, REFUSALS[code], {}, 'E'),
  });
}

type Word = (code: number, msg: string, content?: Readonly<Record<string, unknown>>, level?: 'S' | 'E') => object;

function order(device: SimDevice, name: 'pause' | 'resume', word: Word): Said {
  if (device.faults.has('write-api-off')) return { reply: word(45, 'Access denied', {}, 'E') };
  if (!device.faults.has('ignores-writes')) {
    const isAsleep = device.settings.mode === 'sleep';
    device.setMode(name === 'pause' ? 'sleep' : 'normal');
    if (isAsleep && name === 'resume') device.restart();
  }
  return { reply: word(204, name === 'pause' ? 'BOSminer paused' : 'BOSminer resumed') };
}
