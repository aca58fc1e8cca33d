// The web of a Sealminer (port 80): PHP pages under /cgi-bin; who has not logged in sees the form, with status 200.
// Atlas section 13.
import { json, NOT_FOUND } from '../_farm/bitmain/pages.ts';
import type { SimDevice } from '../_farm/device.ts';
import { rollText } from '../_farm/noise.ts';
import { parseObject } from '../_farm/servers/cgminer-api.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import type { WebReply, WebRequest } from '../_farm/servers/web.ts';
import type { SealminerModel } from './farm.data.ts';
import { type SealminerMemory, sealminerFacts, sealminerSerial } from './farm-facts.ts';

const LOGIN_PAGE =
  '<!doctype html><html><head><link rel="stylesheet" href="/css/amazeui.min.css"></head><body><form><input name="username"><input name="origin_pwd" type="password"></form></body></html>\n';
const MAX_SESSIONS = 16;

export function sealminerWebServer(device: SimDevice, model: SealminerModel, memory: SealminerMemory): SimServer {
  // Sessions live in memory: a reboot ends them, and so does what the device likes.
  let sessions: string[] = [];
  let epoch = device.loginEpoch;
  let given = 0;
  return device.site.web.server(device, device.site.port(80), (request) => {
    if (epoch !== device.loginEpoch) sessions = [];
    epoch = device.loginEpoch;
    const id = /(?:^|;\s*)PHPSESSID=([\w-]{1,64})/.exec(request.cookie ?? '')?.[1];
    if (request.path === '/cgi-bin/login.php' && request.method === 'POST') {
      given++;
      const session = id ?? rollText('0123456789abcdef', 26, device.site.seed, device.index, 300 + given);
      // PHP gives a cookie to everybody; only the answer says whether it is worth something.
      const headers = { 'Set-Cookie': `PHPSESSID=${session}; path=/` };
      if (!isRight(device, request)) return { ...json({ state: 1, msg: 'wrong password' }), headers };
      sessions = [session, ...sessions].slice(0, MAX_SESSIONS);
      return { ...json({ state: 0, msg: 'ok' }), headers };
    }
    if (request.path === '/') return { status: 200, body: LOGIN_PAGE };
    if (!request.path.startsWith('/cgi-bin/')) return NOT_FOUND;
    if (id === undefined || !sessions.includes(id)) return { status: 200, body: LOGIN_PAGE };
    return page(device, model, memory, request);
  });
}

function isRight(device: SimDevice, request: WebRequest): boolean {
  const form = new URLSearchParams(request.body);
  return form.get('username') === device.login?.user && form.get('origin_pwd') === device.login?.password;
}

function page(device: SimDevice, model: SealminerModel, memory: SealminerMemory, request: WebRequest): WebReply {
  switch (request.path) {
    case '/cgi-bin/get_system_info.php':
      return json(systemInfo(device, model, memory));
    case '/cgi-bin/miner-psu-status.php': {
      const { psuC, psuError } = sealminerFacts(device);
      return json({ Power: device.body().powerW, Temp: psuC, Voltage: 14.2, StatusCode: psuError, Online: true });
    }
    case '/cgi-bin/miner-status.php':
      return json(minerStatus(device));
    case '/cgi-bin/get_miner_poolconf.php':
      return json({ pools: device.settings.pools });
    case '/cgi-bin/led_conf.php':
    case '/cgi-bin/set_mining_mode.php':
    case '/cgi-bin/reboot.php':
      return device.faults.has('write-api-off')
        ? { status: 403, body: 'Forbidden' }
        : write(device, model, memory, request);
    default:
      return NOT_FOUND;
  }
}

/** What the start page shows. What it does not know is an empty text. */
function minerStatus(device: SimDevice): object {
  const { accepted, rejected, stale, difficulty } = device.shares();
  const isAlive = !device.faults.has('pool-dead');
  return {
    summary: {
      elapsed: device.uptimeS(),
      mhsav: sealminerFacts(device).averageMhs,
      foundblocks: '',
      rejected: rejected === 0 ? '' : rejected,
    },
    pools: device.settings.pools.map(({ url, user }, id) => ({
      id,
      url,
      user,
      status: isAlive ? 'Alive' : 'Dead',
      isActive: id === 0 && isAlive,
      diff: difficulty,
      getworks: 84,
      priority: id,
      accept: id === 0 ? accepted : 0,
      rejected: id === 0 ? rejected : 0,
      'rejected%': 0,
      stale: id === 0 ? stale : 0,
      diffA: 0,
      diffR: 0,
      lsdiff: id === 0 ? difficulty : 0,
      lstime: '',
    })),
  };
}

function systemInfo(device: SimDevice, model: SealminerModel, memory: SealminerMemory): object {
  const { low, normal, high, custom } = model.modeNumbers;
  return {
    low_power: low,
    normal,
    high_performance: high,
    custom,
    firmware_version: model.firmware,
    ctrl_version: model.controlBoard,
    miner_type: model.reportedAs,
    brand: 'SEALMINER',
    psu_model: 'BTPSU04KSA-03.00',
    macaddr: device.mac.toLowerCase(),
    ipaddress: device.ip,
    DHCP: 'true',
    miningMode: String(model.modeNumbers[memory.awake]),
    ratedHashrate: Math.round(model.hashrateHs / 1e12),
    crtl_sn: sealminerSerial(device),
    systemTime: '2026-01-02 03:04:05',
    upgrade_result: '',
    tuning_done: 1,
    led: device.settings.isLightOn ? 'on' : 'off',
  };
}

function write(device: SimDevice, model: SealminerModel, memory: SealminerMemory, request: WebRequest): WebReply {
  const done = (after?: () => void) => json({ status: 200, result: 0 }, after);
  if (request.path === '/cgi-bin/reboot.php') {
    const after = () => {
      if (memory.poolsAfterReboot && !device.faults.has('ignores-reboot'))
        device.settings.pools = memory.poolsAfterReboot;
      memory.poolsAfterReboot = undefined;
      if (memory.limitAfterReboot !== undefined && !device.faults.has('ignores-reboot'))
        device.settings.powerLimitW = memory.limitAfterReboot;
      memory.limitAfterReboot = undefined;
      // Suspended is a state of the process, not a setting.
      if (!device.faults.has('ignores-reboot') && device.settings.mode === 'sleep') device.setMode(memory.awake);
      device.reboot();
    };
    // Every second device goes down under its own web server.
    return device.index % 2 === 1 && !device.faults.has('ignores-reboot')
      ? { status: 200, body: '', hangUp: true, after }
      : done(after);
  }
  const body = parseObject(request.body);
  if (device.faults.has('ignores-writes')) return done();
  if (request.path === '/cgi-bin/led_conf.php') {
    if (body?.key !== 'led' || (body.value !== 'on' && body.value !== 'off')) return json({ status: 200, result: -1 });
    device.settings.isLightOn = body.value === 'on';
    return done();
  }
  const mode = (['low', 'normal', 'high'] as const).find((name) => model.modeNumbers[name] === body?.miningMode);
  if (mode === undefined) return json({ status: 200, result: -1 });
  memory.awake = mode;
  if (device.settings.mode !== 'sleep') {
    device.setMode(mode);
    device.restart();
  }
  return done();
}
