// The API of VNish (port 80, /api/v1): reads for everybody, a token for the password, which locks after five wrong
// ones. Atlas section 8.
import type { SimDevice } from '../_farm/device.ts';
import { rollText } from '../_farm/noise.ts';
import { isRecord, parseObject } from '../_farm/servers/cgminer-api.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import type { WebReply, WebRequest } from '../_farm/servers/web.ts';
import type { VnishModel } from './farm.data.ts';
import {
  presetName,
  presetOf,
  presetsOf,
  psuSerial,
  shownUptimeS,
  type VnishChain,
  vnishFacts,
  vnishSerial,
} from './farm-facts.ts';

const PAGE = '<!doctype html><html><head><title>AnthillOS</title></head><body><div id="root"></div></body></html>\n';
const ROOT = '/api/v1/';
const WRONG_BEFORE_LOCK = 5;
const LOCK_S = 60;

const json = (value: unknown, after?: () => void): WebReply => ({
  status: 200,
  type: 'application/json',
  body: JSON.stringify(value),
  ...(after && { after }),
});
const no = (status: number, err: string): WebReply => ({ ...json({ err }), status });
const DONE: WebReply = { status: 200, body: '' };

export function vnishWebServer(device: SimDevice, model: VnishModel): SimServer {
  if (!model.isTuned) device.settings.powerLimitW = 0;
  else device.settings.powerLimitW = model.powerW;
  let token: string | undefined;
  let ended = device.endedSessions;
  let unlocks = 0;
  let wrong = 0;
  let lockedUntilS = 0;
  // A change counts after a restart; until then the device says so.
  const flags = { wantsRestart: false };

  const unlock = (request: WebRequest): WebReply => {
    if (device.nowS() < lockedUntilS) {
      return { ...json({ unlock_timeout: Math.ceil(lockedUntilS - device.nowS()) }), status: 429 };
    }
    if (parseObject(request.body)?.pw !== device.login?.password) {
      wrong++;
      if (wrong >= WRONG_BEFORE_LOCK) lockedUntilS = device.nowS() + LOCK_S;
      return { ...json({}), status: 403 };
    }
    wrong = 0;
    unlocks++;
    token = `eyJ${rollText('abcdefghijkmnpqrstuvwxyz23456789', 30, device.site.seed, device.index, 800 + unlocks)}`;
    return json({ token });
  };
  const isLetIn = (name: string, { authorization }: WebRequest): boolean => {
    if (token === undefined) return false;
    const isBearer = authorization === `Bearer ${token}`;
    if (name.startsWith('system/')) return isBearer;
    return authorization === token || (isBearer && !model.wantsBareToken);
  };
  return device.site.web.server(device, device.site.port(80), (request) => {
    const { method, path } = request;
    if (ended !== device.endedSessions) token = undefined;
    ended = device.endedSessions;
    if (method === 'GET' && path === '/') return { status: 200, body: PAGE };
    if (!path.startsWith(ROOT)) return no(404, 'Not found');
    const name = path.slice(ROOT.length);
    if (method === 'POST' && name === 'unlock') return unlock(request);
    const shown = method === 'GET' ? read(device, model, name, flags) : undefined;
    if (shown !== undefined) return shown;
    if (!isLetIn(name, request)) return no(401, 'Unauthorized');
    if (method === 'GET') return readLoggedIn(device, model, name) ?? no(404, 'Not found');
    if (device.faults.has('write-api-off')) return no(403, 'Miner have warranty. Cancel warranty first');
    if (name === 'system/reboot') {
      token = undefined;
      return json({ after: 3 }, () => device.reboot());
    }
    return write(device, model, name, request, flags) ?? no(404, 'Not found');
  });
}

type Flags = { wantsRestart: boolean };

function read(device: SimDevice, model: VnishModel, name: string, flags: Flags): WebReply | undefined {
  const facts = vnishFacts(device, model);
  const status = {
    miner_state: facts.state,
    miner_state_time: facts.state === 'mining' ? device.uptimeS() : 0,
    ...(facts.failure && { failure_code: facts.failure.code, description: facts.failure.text }),
  };
  switch (name) {
    case 'summary':
      return json({ miner: summary(device, model, status) });
    case 'info':
      return json(info(device, model));
    case 'status':
      return json({
        ...status,
        find_miner: device.settings.isLightOn,
        restart_required: flags.wantsRestart,
        reboot_required: false,
        unlocked: false,
      });
    case 'perf-summary':
      return json({ current_preset: preset(presetOf(device, model)), preset_switcher: { enabled: false } });
    case 'chains/factory-info':
      return json({
        hr_stock: facts.nominalRate,
        has_pics: true,
        psu_model: 'APW12',
        psu_serial: psuSerial(device),
        chains: facts.chains.map(({ id, serial }) => ({ id, serial, board_model: 'BHB42603', chip_bin: 2 })),
      });
    // Another name from 1.3.4 on.
    case model.lightPath === 'locate-miner' ? 'boards' : 'chains':
      return json(facts.chains.map((chain) => chipsOf(model, chain)));
    case 'logs/miner':
      return { status: 200, type: 'text/plain', body: `[2026/01/02 03:04:05] INFO: ${model.reportedAs}\n` };
    default:
      return undefined;
  }
}

const preset = (name: string) => ({
  name,
  pretty: name === 'disabled' ? 'Disabled' : `${name} watt`,
  status: 'tuned',
  modded_psu_required: false,
});

/** `10 days, 18:00`, `1:05`. */
function uptimeText(device: SimDevice): string {
  const minutes = shownUptimeS(device) / 60;
  const [days, hours] = [Math.floor(minutes / 1_440), Math.floor((minutes % 1_440) / 60)];
  const clock = `${hours}:${String(minutes % 60).padStart(2, '0')}`;
  return days === 0 ? clock : `${days} ${days === 1 ? 'day' : 'days'}, ${clock}`;
}

function info(device: SimDevice, model: VnishModel): object {
  return {
    miner: model.reportedAs,
    model: model.model.toLowerCase().replaceAll(' ', ''),
    fw_name: 'Vnish',
    fw_version: model.firmware,
    platform: model.platform,
    install_type: 'nand',
    algorithm: model.measure === 'GH/s' ? 'sha256d' : 'scrypt',
    hr_measure: model.measure,
    serial: vnishSerial(device),
    system: {
      os: 'GNU/Linux',
      miner_name: model.reportedAs,
      uptime: uptimeText(device),
      network_status: {
        mac: device.mac,
        hostname: device.settings.hostname,
        ip: device.ip,
        netmask: '255.255.255.0',
        dhcp: true,
      },
    },
  };
}

function summary(device: SimDevice, model: VnishModel, miner_status: object): object {
  const facts = vnishFacts(device, model);
  const isMining = facts.state === 'mining';
  const hottest = Math.max(...facts.chains.filter(({ isDead }) => !isDead).map(({ chipC }) => chipC));
  const efficiency = facts.rate > 0 ? Math.round((facts.powerW / facts.rate) * 1_000) : 0;
  return {
    miner_status,
    miner_type: `${model.reportedAs} (Vnish ${model.firmware})`,
    hr_realtime: facts.rate,
    hr_average: facts.averageRate,
    hr_nominal: facts.nominalRate,
    hr_stock: facts.nominalRate,
    // In another unit, as ever.
    instant_hashrate: facts.rate / 1_000,
    average_hashrate: facts.averageRate / 1_000,
    power_consumption: facts.powerW,
    power_usage: efficiency,
    power_efficiency: efficiency,
    chip_temp: { min: hottest - 12, max: hottest },
    chains: facts.chains.map((chain) => chainOf(model, chain, isMining, device.faults.has('low-hashrate'))),
    pools: pools(device, model),
    cooling: {
      fan_num: facts.fans.length,
      fans: model.isLiquid
        ? [0, 1, 2, 3].map((id) => ({ id, rpm: 0, status: 'lost', max_rpm: 6_500 }))
        : facts.fans.map((rpm, id) => ({ id, rpm, status: rpm > 0 ? 'ok' : 'lost', max_rpm: 6_500 })),
      fan_duty: 80,
      settings: { mode: { name: model.isLiquid ? 'immersion' : 'auto' } },
    },
    ...(model.isLiquid && {
      psu: { psu_power_metering: true, temps: { pfc: facts.psuC - 3, llc1: facts.psuC, llc2: facts.psuC - 1 } },
    }),
  };
}

/** While it is not mining, every chip is shown as red. A healthy board has none. */
function chainOf(model: VnishModel, chain: VnishChain, isMining: boolean, isWeak: boolean): object {
  const { isDead } = chain;
  const red = isWeak ? 1 : 0;
  const chips = isDead ? 0 : model.chipsPerBoard;
  return {
    id: chain.id,
    frequency: isDead ? 0 : model.frequencyMhz,
    voltage: isDead ? 0 : 13_600,
    power_consumption: 0,
    hashrate_rt: chain.rate,
    hashrate_ideal: isDead ? 0 : chain.ideal,
    hashrate_percentage: isDead ? 0 : 99.2,
    hr_error: 0,
    hw_errors: chain.hwErrors,
    pcb_temp: isDead ? { min: 0, max: 0 } : { min: chain.boardC - 8, max: chain.boardC },
    chip_temp: isDead ? { min: 0, max: 0 } : { min: chain.chipC - 12, max: chain.chipC },
    chip_statuses: isMining && !isDead ? { red, orange: 2, grey: chips - 2 - red } : { red: chips, orange: 0, grey: 0 },
    ...(model.isLiquid && !isDead && { inlet_water_temp: chain.waterInC, outlet_water_temp: chain.waterOutC }),
    status: isDead
      ? { state: 'failure', description: 'Chain break: no chips found' }
      : { state: isMining ? 'mining' : 'stopped' },
  };
}

function chipsOf(model: VnishModel, chain: VnishChain): object {
  const count = chain.isDead ? 0 : model.chipsPerBoard;
  const chip = { hr: chain.rate / model.chipsPerBoard, freq: model.frequencyMhz, volt: 320, errs: 0, throttled: false };
  return {
    id: chain.id,
    freq: chain.isDead ? 0 : model.frequencyMhz,
    hr_realtime: chain.rate,
    hr_nominal: chain.ideal,
    chips: Array.from({ length: count }, (_, index) => ({ id: index + 1, ...chip, temp: chain.chipC, grade: 'grey' })),
    sensors: count === 0 ? [] : [{ loc: 1, state: 'measure', board: chain.boardC, chip: chain.chipC }],
    status: { state: chain.isDead ? 'failure' : 'mining' },
  };
}

function pools(device: SimDevice, { hidesWorkers }: VnishModel): object[] {
  const counts = device.shares();
  const own = device.settings.pools.map(({ url, user }, id) => {
    const { isAlive, isActive, hasShares } = device.poolState(id);
    return {
      id,
      url: url.replace(/^[a-z+]+:\/\//, ''),
      user: hidesWorkers ? '*****' : user,
      status: !isAlive ? 'offline' : isActive ? 'active' : 'working',
      pool_type: 'UserPool',
      accepted: hasShares ? counts.accepted : 0,
      rejected: hasShares ? counts.rejected : 0,
      stale: hasShares ? counts.stale : 0,
      diff: '524K',
      diffa: hasShares ? counts.accepted * counts.difficulty : 0,
      ls_diff: counts.difficulty,
      ls_time: '0:00:03',
      ping: 42,
      asic_boost: true,
    };
  });
  return [
    ...own,
    {
      id: 99,
      url: '*****',
      user: '*****',
      status: 'working',
      pool_type: 'DevFee',
      accepted: 12,
      rejected: 0,
      stale: 0,
    },
  ];
}

function readLoggedIn(device: SimDevice, model: VnishModel, name: string): WebReply | undefined {
  switch (name) {
    case 'settings':
      return json({
        miner: {
          overclock: {
            preset: presetOf(device, model),
            globals: { freq: model.frequencyMhz, volt: 13_600 },
            modded_psu: false,
          },
          cooling: { mode: { name: 'auto' } },
          pools: device.settings.pools.map(({ url, user }) => ({
            url: url.replace(/^[a-z+]+:\/\//, ''),
            user,
            pass: '*****',
          })),
        },
        network: { hostname: device.settings.hostname, dhcp: true },
      });
    case 'autotune/presets':
      return json(presetsOf(model).map((watts) => preset(presetName(watts, model))));
    default:
      return undefined;
  }
}

function write(
  device: SimDevice,
  model: VnishModel,
  name: string,
  { body }: WebRequest,
  flags: Flags,
): WebReply | undefined {
  const isDeaf = device.faults.has('ignores-writes');
  switch (name) {
    case 'mining/restart':
      flags.wantsRestart = false;
      if (!isDeaf) device.restart();
      return DONE;
    case 'mining/stop':
    case 'mining/pause':
      if (!isDeaf) device.setMode('sleep');
      return DONE;
    case 'mining/start':
    case 'mining/resume':
      if (!isDeaf && device.settings.mode === 'sleep') {
        device.setMode('normal');
        device.restart();
      }
      return DONE;
    case model.lightPath: {
      const given = parseObject(body);
      const on = model.lightPath === 'find-miner' ? given?.on : given?.is_enabled;
      if (typeof on !== 'boolean') return no(400, 'expected a boolean');
      // It turns over, whatever it is told.
      if (!isDeaf) device.settings.isLightOn = !device.settings.isLightOn;
      return json(model.lightPath === 'find-miner' ? { on } : { is_enabled: on });
    }
    case 'settings':
      return saveSettings(device, model, body, flags);
    case 'firmware/update':
      if (!body.includes('filename=') || !body.includes('keep_settings')) return no(500, 'No file in the request');
      return json({ after: 3 }, () => device.reboot());
    default:
      return undefined;
  }
}

function saveSettings(device: SimDevice, model: VnishModel, body: string, flags: Flags): WebReply {
  const miner = parseObject(body)?.miner;
  const isDeaf = device.faults.has('ignores-writes');
  if (!isRecord(miner)) return no(500, 'Failed to parse settings');
  if (isRecord(miner.overclock)) {
    const wanted = miner.overclock.preset;
    const watts = presetsOf(model).find((one) => presetName(one, model) === wanted);
    if (watts === undefined) return no(500, `Unknown preset: ${String(wanted)}`);
    // What is left out is lost.
    if (!isRecord(miner.overclock.globals)) return no(500, 'missing field `globals`');
    if (!isDeaf) device.settings.powerLimitW = watts;
  }
  if (Array.isArray(miner.pools)) {
    const pools = miner.pools.flatMap((pool: unknown) =>
      isRecord(pool) && typeof pool.url === 'string' && /^[\w.-]+:\d+$/.test(pool.url)
        ? [{ url: `stratum+tcp://${pool.url}`, user: String(pool.user), pass: String(pool.pass) }]
        : [],
    );
    if (pools.length === 0 || pools.length !== miner.pools.length) return no(500, 'Invalid pool url');
    if (!isDeaf) device.settings.pools = pools;
  }
  flags.wantsRestart = true;
  return json({ restart_required: true, reboot_required: false });
}
