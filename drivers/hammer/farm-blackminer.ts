// A Blackminer F1-ULTRA with the maker's firmware, as a variant of the farm: the API that a Hammer has from it, its
// keys named by the coin (GHS beside Handshake), the sensors of its chips in a text; a web in the words of Hammer and
// VolcMiner. After published answers of such a machine; atlas section 26.
import { poolFacts } from '../_farm/bitmain/facts.ts';
import { json, NOT_FOUND, networkOf, reboot, setBlink, tcpPools } from '../_farm/bitmain/pages.ts';
import { BLACK_MINER_REALM } from '../_farm/black-miner/models.data.ts';
import type { SimDevice, Variant } from '../_farm/device.ts';
import { round } from '../_farm/noise.ts';
import type { ModelSpec } from '../_farm/physics.ts';
import { classicServer, envelope, type Said } from '../_farm/servers/cgminer-api.ts';
import { digestServer } from '../_farm/servers/digest.ts';
import type { WebReply, WebRequest } from '../_farm/servers/web.ts';
import type { Truth } from '../_farm/truth.ts';
import { counted, whoIs } from '../_farm/truth-parts.ts';

const MODEL: ModelSpec = {
  make: 'Blackminer',
  model: 'F1-ULTRA',
  reportedAs: 'Blackminer F1-ULTRA',
  boards: 2,
  chipsPerBoard: 6,
  fans: 2,
  frequencyMhz: 380,
  hashrateHs: 4.5e9,
  powerW: 1_300,
  chipC: 70,
  fanRpm: 2_900,
  shareDifficulty: 32,
};
const HEAD = {
  CGMiner: '2.3.3',
  Miner: '1.3.0.8',
  CompileTime: '2020-04-05 16-27-23 CST',
  Type: MODEL.reportedAs,
} as const;
const DESCRIPTION = 'ccminer 2.3.3';
const CHAINS = [1, 2, 3, 4] as const;

export const BLACKMINER_VARIANTS: readonly Variant[] = [
  {
    family: 'blackminer',
    driver: 'hammer',
    spec: MODEL,
    login: { user: 'root', password: 'root' },
    servers: (device) => [
      classicServer(device, DESCRIPTION, ({ name }) => say(device, name)),
      digestServer(device, BLACK_MINER_REALM, (request) => page(device, request)),
    ],
    truth,
  },
];

function facts(device: SimDevice) {
  const body = device.body();
  const boards = body.boards.map((board) => ({ ...board, ghs: round(board.hashrateHs / 1e9, 4) }));
  const ghs = round(
    boards.reduce((sum, board) => sum + board.ghs, 0),
    4,
  );
  return { body, boards, ghs };
}

function say(device: SimDevice, name: string): Said | undefined {
  const wrap = (code: number, msg: string, content: Readonly<Record<string, unknown>>) =>
    envelope(device.nowS(), DESCRIPTION, { code, msg }, content);
  switch (name) {
    case 'version':
      return { reply: wrap(22, 'CGMiner versions', { VERSION: [{ API: '3.1', ...HEAD }] }) };
    case 'stats': {
      const answer = JSON.stringify(wrap(70, 'CGMiner stats', { STATS: [HEAD, stats(device)] }));
      return { reply: answer.replace('},{"STATS":0', '}{"STATS":0') };
    }
    case 'pools':
      return { reply: wrap(7, '3 Pool(s)', { POOLS: tcpPools(poolFacts(device)) }) };
    default:
      return undefined;
  }
}

function stats(device: SimDevice): Record<string, unknown> {
  const { body, boards, ghs } = facts(device);
  const row: Record<string, unknown> = {
    STATS: 0,
    ID: 'A30',
    Elapsed: device.uptimeS(),
    'GHS 5s': ghs.toFixed(4),
    'GHS av': (ghs * body.averageFactor).toFixed(4),
    miner_count: boards.length,
    frequency: String(MODEL.frequencyMhz),
    fan_num: body.fansRpm.length,
  };
  for (const [index, rpm] of body.fansRpm.entries()) row[`fan${index + 1}`] = rpm;
  for (const chain of CHAINS) {
    const board = boards[chain - 1];
    const isPresent = board !== undefined && !board.isDead;
    const chips = Array.from({ length: MODEL.chipsPerBoard }, (_, chip) => (isPresent ? board.chipMaxC - chip : 0));
    row[`temp${chain}`] = isPresent ? board.boardC : 0;
    row[`chipTemp${chain}`] = `[${chips.map((tempC) => tempC.toFixed(2)).join(', ')}]`;
    row[`chain_acn${chain}`] = isPresent ? MODEL.chipsPerBoard : 0;
    row[`chain_acs${chain}`] = isPresent ? ` ${'o'.repeat(MODEL.chipsPerBoard)}` : '';
    row[`chain_hw${chain}`] = board?.hwErrors ?? 0;
    row[`chain_rate${chain}`] = isPresent ? board.ghs.toFixed(4) : '';
  }
  return row;
}

function page(device: SimDevice, request: WebRequest): WebReply {
  switch (request.path) {
    case '/':
      return { status: 200, body: '<html><head><title>Miner</title></head><body></body></html>\n' };
    case '/cgi-bin/get_system_info.cgi':
      return json({ minertype: MODEL.reportedAs, ...networkOf(device), system_filesystem_version: HEAD.CompileTime });
    case '/cgi-bin/get_miner_conf.cgi':
      return json({
        pools: poolFacts(device).map(({ url, user, pass }) => ({ url, user, pass })),
        'api-listen': true,
        freq: String(MODEL.frequencyMhz),
        'coin-type': 'hns',
      });
    case '/cgi-bin/get_blink_status.cgi':
      return json({ code: device.settings.isLightOn ? 'B000' : 'B100' });
    case '/cgi-bin/blink.cgi':
      return setBlink(device, request);
    case '/cgi-bin/reboot.cgi':
      return reboot(device);
    default:
      return NOT_FOUND;
  }
}

function truth(device: SimDevice): Truth {
  const { body, boards, ghs } = facts(device);
  const present = boards.filter(({ isDead }) => !isDead);
  return {
    ...whoIs(device, MODEL),
    serial_number: null,
    firmware_version: HEAD.CompileTime,
    hostname: device.settings.hostname,
    is_mining: ghs > 0,
    mining_mode: null,
    hashrate: ghs * 1e9,
    expected_hashrate: null,
    power: null,
    temp: present.length === 0 ? null : Math.max(...present.map(({ chipMaxC }) => chipMaxC)),
    uptime: device.uptimeS(),
    hashboards: present.map((board) => ({
      serial_number: null,
      hashrate: board.ghs * 1e9,
      chips: MODEL.chipsPerBoard,
      chip_frequency: MODEL.frequencyMhz,
    })),
    fans: body.fansRpm.map((rpm, index) => ({ index, rpm })),
    pools: counted(poolFacts(device)),
    psus: [],
    errors: [],
    light_on: device.settings.isLightOn,
  };
}
