// Antminer stock of generation A as variants of the farm: classic statistics on TCP, and what they say of themselves.
// Atlas sections 3.2, 3.3.
import { OLD_ANTMINERS, type OldAntminer, OTHER_ANTMINERS, RARE_ANTMINERS } from '../_farm/bitmain/antminer-a.data.ts';
import { poolFacts } from '../_farm/bitmain/facts.ts';
import { poolsOf } from '../_farm/bitmain/tcp.ts';
import { oldAntminerWebServer } from '../_farm/bitmain/web-a.ts';
import type { SimDevice, Variant } from '../_farm/device.ts';
import { round } from '../_farm/noise.ts';
import { cgminerServer, envelope, REFUSALS, type Said } from '../_farm/servers/cgminer-api.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import type { Truth } from '../_farm/truth.ts';
import { counted, turning, whoIs } from '../_farm/truth-parts.ts';

const variant = (family: string, model: OldAntminer): Variant => ({
  family,
  driver: 'antminer-stock',
  spec: model,
  hostname: 'antMiner',
  login: { user: 'root', password: 'root' },
  servers: (device) => [tcpServer(device, model), oldAntminerWebServer(device, model)],
  truth: (device) => truth(device, model),
});

export const OLD_ANTMINER_VARIANTS: readonly Variant[] = [
  ...OLD_ANTMINERS.map((model) => variant('antminer-a', model)),
  ...OTHER_ANTMINERS.map((model) => variant('antminer-other', model)),
];

export const RARE_ANTMINER_VARIANTS: readonly Variant[] = RARE_ANTMINERS.map((model) =>
  variant('antminer-rare', model),
);

const UNIT_HS = { G: 1e9, M: 1e6, one: 1 } as const;

/** In the unit of the machine, two digits, as it prints them. */
function facts(device: SimDevice, model: OldAntminer) {
  const body = device.body();
  const unitHs = UNIT_HS[model.unit];
  // Asleep the 17 series prints zeros in every place.
  const isAsleep = model.hasWorkMode && device.settings.mode === 'sleep';
  const boards = body.boards.map((board) => ({
    ...board,
    rate: round(board.hashrateHs / unitHs, 2),
    pcbC: board.isDead || isAsleep ? 0 : board.boardC,
    chipC: board.isDead || isAsleep ? 0 : board.chipMaxC,
  }));
  const rate = round(
    boards.reduce((sum, board) => sum + board.rate, 0),
    2,
  );
  return {
    body,
    boards,
    isAsleep,
    rate,
    average: round(rate * body.averageFactor, 2),
    ideal: isAsleep ? 0 : round(body.expectedHs / unitHs, 2),
  };
}

function tcpServer(device: SimDevice, model: OldAntminer): SimServer {
  const description = `${model.miner.key.toLowerCase()} ${model.miner.version}`;
  const wrap = (code: number, msg: string, content: Readonly<Record<string, unknown>>): Said => ({
    reply: envelope(device.nowS(), description, { code, msg }, content),
  });
  return cgminerServer(device, {
    port: device.site.port(4028),
    atOnce: 1,
    waiting: 100,
    ending: '\0',
    say({ name }) {
      switch (name) {
        case 'version':
          return wrap(22, 'CGMiner versions', { VERSION: [{ API: '3.1', ...head(model) }] });
        case 'summary':
          return wrap(11, 'Summary', { SUMMARY: [summary(device, model)] });
        case 'stats':
          return brokenStats(wrap(70, 'CGMiner stats', { STATS: [head(model), stats(device, model)] }));
        case 'pools':
          return wrap(7, '3 Pool(s)', { POOLS: poolsOf({ pools: poolFacts(device) }) });
        case 'devdetails':
          return {
            reply: envelope(device.nowS(), description, {
              code: 45,
              msg: "Access denied to 'devdetails' command",
              level: 'E',
            }),
          };
        default:
          return undefined;
      }
    },
    refuse: (code) => envelope(device.nowS(), description, { code, msg: REFUSALS[code], level: 'E' }),
  });
}

const head = (model: OldAntminer) => ({
  [model.miner.key]: model.miner.version,
  Miner: model.minerVersion,
  CompileTime: model.compileTime,
  Type: model.reportedAs,
});

/** The two objects of the list stand side by side without a comma. */
const brokenStats = ({ reply }: Said): Said => ({
  reply: JSON.stringify(reply).replace('},{"STATS":0', '}{"STATS":0'),
});

function summary(device: SimDevice, model: OldAntminer): Record<string, unknown> {
  const { rate, average, boards } = facts(device, model);
  const { accepted, rejected, stale } = device.shares();
  return {
    Elapsed: device.uptimeS(),
    'GHS 5s': rate.toFixed(2),
    'GHS av': average,
    'Found Blocks': 0,
    Accepted: accepted,
    Rejected: rejected,
    Stale: stale,
    'Hardware Errors': boards.reduce((sum, board) => sum + board.hwErrors, 0),
    Utility: 4.8,
  };
}

/** The program counts the fans that turn. */
const turningNow = (fansRpm: readonly number[]) => fansRpm.filter((rpm) => rpm > 0).length;

const PLACES = 16;

/** Sixteen places for boards and eight for fans, most of them full of zeros. */
function stats(device: SimDevice, model: OldAntminer): Record<string, unknown> {
  const { body, boards, rate, average, ideal, isAsleep } = facts(device, model);
  const row: Record<string, unknown> = {
    STATS: 0,
    ID: 'BC50',
    Elapsed: device.uptimeS(),
    Calls: 0,
    Wait: 0,
    Max: 0,
    Min: 99_999_999,
    'GHS 5s': rate.toFixed(2),
    'GHS av': average,
    miner_count: boards.filter(({ isDead }) => !isDead).length,
    ...wholeClock(model, isAsleep),
    fan_num: turningNow(body.fansRpm),
    ...(model.hasWorkMode && { Mode: isAsleep ? 254 : 0 }),
  };
  for (let place = 1; place <= (model.fanSlots ?? 8); place++)
    row[`fan${place}`] = body.fansRpm[model.fanPlaces.indexOf(place)] ?? 0;
  row.temp_num = boards.length;
  for (let chain = 1; chain <= PLACES; chain++) {
    const slot = model.chains?.findIndex((numbers) => numbers.includes(chain)) ?? chain - model.firstChain;
    const parts = model.chains?.[slot]?.length ?? 1;
    const board = boards[slot];
    const isPresent = board !== undefined && !board.isDead && !isAsleep;
    row[`temp${chain}`] = board?.pcbC ?? 0;
    row[`temp2_${chain}`] = board?.chipC ?? 0;
    Object.assign(row, chainClock(model, chain, isPresent));
    row[`chain_acn${chain}`] = isPresent ? model.chipsPerBoard / parts : 0;
    row[`chain_acs${chain}`] = isPresent ? ` ${(rate > 0 ? 'o' : 'x').repeat(model.chipsPerBoard / parts)}` : '';
    row[`chain_hw${chain}`] = Math.round((board?.hwErrors ?? 0) / parts);
    row[`chain_rate${chain}`] = isPresent ? (parts === 1 ? board.rate.toFixed(2) : String(board.rate / parts)) : '';
  }
  if (model.nameplateHs === undefined) row.total_rateideal = ideal;
  row.total_acn = boards.filter(({ isDead }) => !isDead).length * model.chipsPerBoard;
  row.total_rate = rate;
  row.temp_max = 0;
  row.no_matching_work = boards.reduce((sum, board) => sum + board.hwErrors, 0);
  row.miner_version = model.minerVersion;
  row.miner_id = `80344${device.identity.tag}`;
  return row;
}

function wholeClock({ clock, frequencyMhz }: OldAntminer, isAsleep: boolean): Record<string, unknown> {
  if (clock === 'numbered' || clock === 'beside') return { frequency: '' };
  return { frequency: isAsleep ? '' : clock === 'whole' ? `${frequencyMhz}M` : String(frequencyMhz) };
}

function chainClock({ clock, frequencyMhz }: OldAntminer, chain: number, isPresent: boolean): object {
  const mhz = isPresent ? frequencyMhz : 0;
  if (clock === 'beside') return { [`freq_avg${chain}`]: 0, [`freq${chain}`]: mhz };
  if (clock === 'numbered') return isPresent ? { [`frequency${chain}`]: String(frequencyMhz) } : {};
  return clock === 'whole' ? {} : { [`freq_avg${chain}`]: mhz };
}

/** Its own word, else what is known of the model in its usual mode. */
const expectedOf = (model: OldAntminer, idealHs: number) =>
  model.nameplateHs === undefined ? (idealHs === 0 ? null : idealHs) : model.nameplateHs;

function truth(device: SimDevice, model: OldAntminer): Truth {
  const { body, boards, rate, ideal, isAsleep } = facts(device, model);
  const unitHs = UNIT_HS[model.unit];
  const present = boards.filter(({ isDead }) => !isDead && !isAsleep);
  return {
    ...whoIs(device, model),
    serial_number: null,
    firmware_version: model.fileSystem,
    hostname: device.settings.hostname,
    is_mining: rate > 0,
    mining_mode: model.hasWorkMode ? (isAsleep ? 'sleep' : 'normal') : null,
    hashrate: rate * unitHs,
    expected_hashrate: expectedOf(model, ideal * unitHs),
    power: null,
    temp: present.length === 0 ? null : Math.max(...present.map(({ chipC }) => chipC)),
    uptime: device.uptimeS(),
    hashboards: present.map((board) => ({
      serial_number: null,
      hashrate: board.rate * unitHs,
      chips: model.chipsPerBoard,
      chip_frequency: model.frequencyMhz,
    })),
    // Of a machine whose build is in no table those that turn are known.
    fans: turning(body.fansRpm.filter((rpm) => rpm > 0 || !model.isUncounted)),
    pools: counted(poolFacts(device)),
    psus: [],
    errors: [],
    light_on: device.settings.isLightOn,
  };
}
