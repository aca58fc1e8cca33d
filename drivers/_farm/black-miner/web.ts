// The web of Hammer and VolcMiner (port 80), which ask for a login in the same words. Atlas sections 21, 22.
import {
  bodyOf,
  confBase,
  FORBIDDEN,
  json,
  NOT_FOUND,
  networkOf,
  readPools,
  reboot,
  refused,
  setBlink,
} from '../bitmain/pages.ts';
import type { SimDevice } from '../device.ts';
import { digestServer } from '../servers/digest.ts';
import type { SimServer } from '../servers/listener.ts';
import type { WebReply, WebRequest } from '../servers/web.ts';
import { type BlackMinerFacts, blackMinerFacts, grouped } from './facts.ts';
import { BLACK_MINER_REALM, type BlackMinerModel } from './models.data.ts';

export function blackMinerWebServer(device: SimDevice, model: BlackMinerModel): SimServer {
  return digestServer(device, BLACK_MINER_REALM, (request) => page(device, model, request));
}

function page(device: SimDevice, model: BlackMinerModel, request: WebRequest): WebReply {
  switch (request.path) {
    case '/':
      return { status: 200, body: '<html><head><title>Miner</title></head><body></body></html>\n' };
    case '/cgi-bin/get_system_info.cgi':
      return json(systemInfo(device, model));
    case '/cgi-bin/get_miner_status.cgi':
      return minerStatus(model, blackMinerFacts(device, model));
    case '/cgi-bin/reboot.cgi':
      return reboot(device);
    default:
      return model.driver === 'hammer' ? hammerPage(device, model, request) : volcminerPage(device, model, request);
  }
}

function hammerPage(device: SimDevice, model: BlackMinerModel, request: WebRequest): WebReply {
  switch (request.path) {
    case '/cgi-bin/get_miner_conf.cgi':
      return json(hammerConf(model, blackMinerFacts(device, model)));
    case '/cgi-bin/set_miner_conf.cgi':
      return setHammerConf(device, request);
    case '/cgi-bin/get_blink_status.cgi':
      return json({ code: device.settings.isLightOn ? 'B000' : 'B100' });
    case '/cgi-bin/blink.cgi':
      return setBlink(device, request);
    default:
      return NOT_FOUND;
  }
}

function volcminerPage(device: SimDevice, model: BlackMinerModel, request: WebRequest): WebReply {
  switch (request.path) {
    case '/cgi-bin/get_miner_conf.cgi':
      return json(volcminerConf(model, blackMinerFacts(device, model)));
    case '/cgi-bin/get_miner_confV1.cgi':
      return volcminerConfV1(model, blackMinerFacts(device, model));
    case '/cgi-bin/get_miner_statusV1.cgi':
      return minerStatusV1(model, blackMinerFacts(device, model));
    case '/cgi-bin/get_system_infoV1.cgi':
      return wrapped(JSON.stringify({ minertype: model.reportedAs, ...systemInfo(device, model) }));
    case '/cgi-bin/set_miner_conf.cgi':
      return setVolcminerConf(device, model, request);
    default:
      return NOT_FOUND;
  }
}

function systemInfo(device: SimDevice, model: BlackMinerModel): object {
  return {
    // Some builds of VolcMiner tell their type by the host name alone.
    ...(model.driver === 'hammer' || model.isSloppy ? { minertype: model.reportedAs } : {}),
    ...networkOf(device),
    gateway: '',
    dnsservers: '',
    system_mode: 'GNU/Linux',
    bb_hwv: model.minerVersion,
    system_kernel_version: model.kernel,
    system_filesystem_version: model.fileSystem,
    cgminer_version: '2.3.3',
  };
}

/** Every number a text; rates in MH/s under names that say GH/s. */
function minerStatus(model: BlackMinerModel, facts: BlackMinerFacts): WebReply {
  const text = JSON.stringify({
    summary: {
      elapsed: String(facts.elapsedS),
      ghs5s: grouped(facts.mhs, model.driver === 'hammer' ? 4 : 1),
      ghsav: grouped(facts.averageMhs, model.driver === 'hammer' ? 4 : 1),
    },
    pools: facts.pools
      .filter((pool) => pool.url !== '')
      .map((pool, index) => ({
        index: String(index),
        url: pool.url,
        user: pool.user,
        status: pool.isAlive ? 'Alive' : 'Dead',
        accepted: grouped(pool.accepted),
        rejected: grouped(pool.rejected),
      })),
    ...Object.fromEntries(facts.fans.map((rpm, index) => [`fan${index + 1}`, grouped(rpm)])),
    devs: [1, 2, 3, 4].map((chain) => dev(model, chain, facts.boards[chain - 1])),
  });
  return { status: 200, type: 'application/json', body: model.isSloppy ? text.replace(/\]\}$/, ',]}') : text };
}

/** A newer page: objects and lists in quotes, and nothing inside escaped. */
const wrapped = (data: string): WebReply => ({
  status: 200,
  type: 'application/json',
  body: `{\n"code": "200",\n"msg": "",\n"data": "${data}"\n}\n`,
});

function minerStatusV1(model: BlackMinerModel, facts: BlackMinerFacts): WebReply {
  const pools = facts.pools.map((pool, index) => ({
    index: String(index),
    url: pool.url,
    user: pool.user,
    status: pool.isAlive ? 'Alive' : 'Dead',
    priority: index,
    accepted: grouped(pool.accepted),
    rejected: grouped(pool.rejected),
  }));
  const chains = [1, 2, 3].flatMap((chain) => {
    const { index, chain_acn, chain_acs, freq, temp, rate } = dev(model, chain, facts.boards[chain - 1]);
    return { index, chain_acn, temp: String(temp[0]), hw: '0', chain_rate: rate, chain_acs, freq };
  });
  const head = {
    elapsed: String(facts.elapsedS),
    ghs5s: grouped(facts.mhs, 1),
    ghsav: grouped(facts.averageMhs, 1),
  };
  const fan = Object.fromEntries(facts.fans.map((rpm, index) => [`fan${index + 1}`, grouped(rpm)]));
  return wrapped(
    `{${JSON.stringify(head).slice(1, -1)}, "pools": {"pool_dtls": "${JSON.stringify(pools)}"}, "chains": "${JSON.stringify(chains)}", "fan": ${JSON.stringify(fan)}}`,
  );
}

function volcminerConfV1(model: BlackMinerModel, facts: BlackMinerFacts): WebReply {
  const cfgs = JSON.stringify([volcminerConf(model, facts)]);
  return wrapped(
    `{"cfgs": "${cfgs}", "keepower": "0", "debug": "{"bb_debug_enable": false}", "runmode": "0", "voltage": "1260"}`,
  );
}

function dev(model: BlackMinerModel, chain: number, board: BlackMinerFacts['boards'][number] | undefined) {
  const isPresent = board?.isPresent ?? false;
  const [boardA = 0, chipA = 0, boardB = 0, chipB = 0] = board?.sensorsC ?? [];
  return {
    index: String(chain),
    chain_acn: isPresent ? String(model.chipsPerBoard) : '0',
    freq: isPresent ? String(model.frequencyMhz) : '',
    temp: [boardA, boardB],
    temp2: [chipA, chipB],
    chain_acs: isPresent ? 'o'.repeat(model.chipsPerBoard) : '',
    rate: isPresent && board ? grouped(board.mhs, model.driver === 'hammer' ? 4 : 1) : '',
  };
}

function hammerConf(model: BlackMinerModel, facts: BlackMinerFacts): object {
  return {
    ...confBase(facts.pools),
    'bitmain-fan-ctrl': false,
    'bitmain-fan-pwm': '100',
    'bitmain-freq': String(model.frequencyMhz),
    'bitmain-voltage': '1400',
    'bitmain-work-mode': '0',
    'bitmain-freq-level': '',
  };
}

function setHammerConf(device: SimDevice, request: WebRequest): WebReply {
  if (device.faults.has('write-api-off')) return FORBIDDEN;
  const pools = readPools(bodyOf(request)?.pools);
  if (!pools) return refused('M004');
  if (device.faults.has('ignores-writes')) return json({ stats: 'success', code: 'M000', msg: 'OK!' });
  device.settings.pools = pools.filter((pool) => pool.url !== '');
  device.restart();
  return json({ stats: 'success', code: 'M000', msg: 'OK!' });
}

function volcminerConf(model: BlackMinerModel, facts: BlackMinerFacts): object {
  return {
    pools: facts.pools.map(({ url, user, pass }) => ({ url, user, pass })),
    freq: String(model.frequencyMhz),
    'coin-type': 'ltc',
    'sram-voltage': '3',
    'fan-ctrl': true,
    'fan-pwm-front': '70',
    'fan-pwm-back': '80',
  };
}

const FIELDS = [
  ...[1, 2, 3].flatMap((n) => [`pool${n}url`, `pool${n}user`, `pool${n}pw`]),
  ...['nobeeper', 'notempoverctrl', 'fan_customize_switch', 'fan_customize_value_front', 'fan_customize_value_back'],
  ...['freq', 'coin_type', 'runmode', 'voltage_customize_value', 'ema', 'debug'],
].map((name) => `_bb_${name}`);

/**
 * The script behind the page counts its fields, and would run the chips at whatever stands where frequency and voltage
 * should.
 */
function setVolcminerConf(device: SimDevice, model: BlackMinerModel, request: WebRequest): WebReply {
  if (device.faults.has('write-api-off')) return FORBIDDEN;
  const form = new URLSearchParams(request.body);
  const part = (name: string) => form.get(`_bb_${name}`) ?? '';
  const isWhole = [...form.keys()].join() === FIELDS.join() && part('pool1url') !== '';
  const isKept = part('freq') === String(model.frequencyMhz) && part('voltage_customize_value') === '1260';
  if (!isWhole || !isKept) return { status: 200, body: 'error\n' };
  if (device.faults.has('ignores-writes')) return { status: 200, body: 'ok\n' };
  device.settings.pools = [1, 2, 3]
    .map((n) => ({ url: part(`pool${n}url`), user: part(`pool${n}user`), pass: part(`pool${n}pw`) }))
    .filter(({ url }) => url !== '');
  device.restart();
  return { status: 200, body: 'ok\n' };
}
