// VNish from before AnthillOS: no API on its web, and everything in the statistics on TCP, in the keys of the firmware
// that it replaced and some of its own. Atlas section 8 has its successors.
import { NOT_FOUND } from '../_farm/bitmain/pages.ts';
import { standardPool } from '../_farm/cgminer-answers.ts';
import type { SimDevice, Variant } from '../_farm/device.ts';
import { round } from '../_farm/noise.ts';
import type { ModelSpec } from '../_farm/physics.ts';
import { classicServer, envelope, type Said } from '../_farm/servers/cgminer-api.ts';
import type { Truth } from '../_farm/truth.ts';
import { firstCounted, turning, whoIs } from '../_farm/truth-parts.ts';

const S17_PLUS: ModelSpec = {
  make: 'Antminer',
  model: 'S17+',
  reportedAs: 'Antminer S17+',
  boards: 3,
  chipsPerBoard: 65,
  fans: 4,
  frequencyMhz: 606.54,
  hashrateHs: 78e12,
  powerW: 3_100,
  chipC: 81,
  fanRpm: 6_120,
};
const FIRMWARE = '2.0.3';
const HEAD = {
  Cgminer: '4.11.1',
  Miner: '35.0.1.3',
  CompileTime: 'Sat Aug 15 2020',
  Type: `${S17_PLUS.reportedAs} (vnish ${FIRMWARE})`,
} as const;
const DESCRIPTION = 'cgminer 4.11.1';

export const OLD_VNISH_VARIANTS: readonly Variant[] = [
  {
    family: 'vnish-old',
    driver: 'vnish',
    spec: S17_PLUS,
    login: { user: 'root', password: 'root' },
    servers: (device) => [
      device.site.web.server(device, device.site.port(80), () => NOT_FOUND),
      classicServer(device, DESCRIPTION, ({ name }) => say(device, name)),
    ],
    truth,
  },
];

function facts(device: SimDevice) {
  const body = device.body();
  const boards = body.boards.map((board) => ({
    ...board,
    ghs: round(board.hashrateHs / 1e9, 2),
    idealGhs: round(body.expectedHs / S17_PLUS.boards / 1e9, 1),
  }));
  const ghs = round(
    boards.reduce((sum, board) => sum + board.ghs, 0),
    2,
  );
  return {
    ...{ body, boards, ghs },
    averageGhs: round(ghs * body.averageFactor, 2),
    idealGhs: round(body.expectedHs / 1e9),
    state: device.settings.mode === 'sleep' ? 'stopped' : ghs > 0 ? 'mining' : 'starting',
  };
}

function say(device: SimDevice, name: string): Said | undefined {
  const wrap = (code: number, msg: string, content: Readonly<Record<string, unknown>>): Said => ({
    reply: envelope(device.nowS(), DESCRIPTION, { code, msg }, content),
  });
  const { ghs, averageGhs } = facts(device);
  switch (name) {
    case 'version':
      return wrap(22, 'CGMiner versions', { VERSION: [{ API: '3.7', ...HEAD }] });
    case 'summary': {
      const { accepted, rejected, stale } = device.shares();
      const counts = { Accepted: accepted, Rejected: rejected, Stale: stale };
      const rates = { 'GHS 5s': ghs.toFixed(2), 'GHS av': averageGhs };
      return wrap(11, 'Summary', { SUMMARY: [{ Elapsed: device.uptimeS(), ...rates, ...counts }] });
    }
    case 'stats':
      return wrap(70, 'CGMiner stats', { STATS: [HEAD, stats(device)] });
    case 'pools': {
      const POOLS = device.settings.pools.map((pool, nth) => standardPool(device, pool, nth));
      return wrap(7, `${POOLS.length} Pool(s)`, { POOLS });
    }
    default:
      return undefined;
  }
}

function stats(device: SimDevice): object {
  const { body, boards, ghs, averageGhs, idealGhs, state } = facts(device);
  const found: Record<string, unknown> = {
    ...{ STATS: 0, ID: 'BC50', Elapsed: device.uptimeS() },
    ...{ 'GHS 5s': ghs.toFixed(2), 'GHS av': averageGhs, total_rateideal: idealGhs },
    ...{ state, miner_count: boards.filter(({ isDead }) => !isDead).length },
    ...{ fan_num: body.fansRpm.length, fan_pwm: 90 },
  };
  for (const [nth, rpm] of body.fansRpm.entries()) found[`fan${nth + 1}`] = rpm;
  for (const { slot, isDead, ghs: rate, idealGhs: ideal, chipMaxC, boardC, hwErrors } of boards) {
    const chain = slot + 1;
    const chips = isDead ? 0 : S17_PLUS.chipsPerBoard;
    const temps = (max: number) => (isDead ? '0-0-0-0' : `${max - 8}-${max}-${max - 10}-${max - 8}`);
    Object.assign(found, {
      [`temp_pcb${chain}`]: temps(Math.round(boardC)),
      [`temp_chip${chain}`]: temps(Math.round(chipMaxC)),
      [`chain_acn${chain}`]: chips,
      [`chain_acs${chain}`]: (rate > 0 ? 'o' : 'x').repeat(chips),
      [`chain_rate${chain}`]: rate.toFixed(2),
      [`chain_rateideal${chain}`]: ideal,
      [`chain_hw${chain}`]: hwErrors,
      [`chain_consumption${chain}`]: isDead ? 0 : consumptionW(device),
      [`freq_avg${chain}`]: isDead ? 0 : S17_PLUS.frequencyMhz,
    });
  }
  return found;
}

const consumptionW = (device: SimDevice) => Math.max(1, Math.round(device.body().powerW / S17_PLUS.boards));

function truth(device: SimDevice): Truth {
  const { body, boards, ghs, idealGhs, state } = facts(device);
  const present = boards.filter(({ isDead }) => !isDead);
  return {
    ...whoIs(device, S17_PLUS),
    mac: '',
    serial_number: null,
    firmware_version: FIRMWARE,
    hostname: null,
    is_mining: ghs > 0,
    mining_mode: state === 'stopped' ? 'sleep' : null,
    hashrate: ghs * 1e9,
    expected_hashrate: idealGhs * 1e9,
    // What the boards draw together.
    power: consumptionW(device) * present.length || null,
    temp: Math.max(...present.map(({ chipMaxC }) => Math.round(chipMaxC))),
    uptime: device.uptimeS(),
    hashboards: present.map((board) => ({
      serial_number: null,
      hashrate: board.ghs * 1e9,
      chips: S17_PLUS.chipsPerBoard,
      chip_frequency: S17_PLUS.frequencyMhz,
    })),
    fans: turning(body.fansRpm),
    pools: firstCounted(device),
    psus: [],
    errors: [],
    light_on: null,
  };
}
