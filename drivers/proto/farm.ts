// Proto rigs as variants of the farm: a page and a REST API on port 80, with a password that its owner has set. Atlas
// section 12.
import type { SimDevice, SimulatedDevices, Variant } from '../_farm/device.ts';
import { serialOf } from '../_farm/identity.ts';
import { rollText, round } from '../_farm/noise.ts';
import type { ModelSpec } from '../_farm/physics.ts';
import { isRecord, parseObject } from '../_farm/servers/cgminer-api.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import type { WebReply } from '../_farm/servers/web.ts';
import type { Truth } from '../_farm/truth.ts';
import { uncounted } from '../_farm/truth-parts.ts';

/** `slots`: where the boards are, counted from 1. */
type ProtoModel = ModelSpec & { readonly version: string; readonly slots: readonly number[] };

const shared = {
  make: 'Proto',
  model: 'Rig',
  reportedAs: 'Rig',
  chipsPerBoard: 120,
  frequencyMhz: 500,
  fanRpm: 4_600,
  chipC: 70,
} as const;
const MODELS: readonly ProtoModel[] = [
  { ...shared, boards: 6, fans: 6, hashrateHs: 217.5e12, powerW: 5_100, version: '1.8.2', slots: [1, 3, 4, 6, 7, 9] },
  { ...shared, boards: 4, fans: 4, hashrateHs: 145e12, powerW: 3_400, version: '1.8.0', slots: [1, 2, 3, 4] },
];
/** Rigs have no login from the factory: their owner sets one. */
const RIG_OWNER = { user: 'admin', password: 'owner-of-rigs' } as const;

const PROTO_VARIANTS: readonly Variant[] = MODELS.map((model) => {
  const performance = new WeakMap<SimDevice, 'low' | 'normal'>();
  return {
    family: 'proto',
    driver: 'proto',
    spec: model,
    hostname: 'proto-miner',
    login: RIG_OWNER,
    servers(device) {
      device.settings.powerLimitW = model.powerW;
      return [server(device, model, performance)];
    },
    truth: (device) => truth(device, model),
  };
});

export const simulated: SimulatedDevices = { shares: { proto: 2 }, owner: RIG_OWNER, usual: PROTO_VARIANTS };

const json = (value: unknown, status = 200, after?: () => void): WebReply => ({
  status,
  type: 'application/json',
  body: JSON.stringify(value),
  ...(after && { after }),
});
const no = (status: number, code: string) => json({ error: { code, message: code.toLowerCase() } }, status);
const ROOT = '/api/v1/';
const PAGE = '<!doctype html><html><head><title>Proto OS</title></head><body></body></html>\n';
const FREE: ReadonlySet<string> = new Set(['system', 'network', 'hardware']);

function server(device: SimDevice, model: ProtoModel, performance: WeakMap<SimDevice, 'low' | 'normal'>): SimServer {
  let logins = 0;
  let valid: { readonly token: string; readonly epoch: string } | undefined;
  const epoch = () => device.loginEpoch;
  return device.site.web.server(device, device.site.port(80), ({ method, path, body, authorization }) => {
    if (path === '/') return { status: 200, body: PAGE };
    const name = path.startsWith(ROOT) ? path.slice(ROOT.length) : '';
    if (name === 'auth/login' && method === 'POST') {
      if (parseObject(body)?.password !== device.login?.password) return no(401, 'UNAUTHORIZED');
      logins++;
      const token = `eyJ${rollText('abcdefghijkmnpqrstuvwxyz', 40, device.site.seed, device.index, 900 + logins)}`;
      valid = { token, epoch: epoch() };
      return json({ access_token: token, refresh_token: `${token}r` });
    }
    const isIn = valid !== undefined && valid.epoch === epoch() && authorization === `Bearer ${valid.token}`;
    if (!isIn && !(method === 'GET' && FREE.has(name))) return no(401, 'UNAUTHORIZED');
    if (method !== 'GET') return write(device, `${method} ${name}`, body, performance);
    const found = PAGES[name]?.(device, model);
    return found === undefined ? no(404, 'NOT_FOUND') : json(found);
  });
}

const serial = (device: SimDevice, prefix: string, channel: number) =>
  serialOf(prefix, 3, device.site.seed, device.index, channel);
const psusOf = (device: SimDevice) =>
  [0, 1].map((index) => ({
    index,
    serial: serial(device, 'PSU-', 20 + index),
    averageC: round(device.body().inletC + 10, 2),
  }));

function boardsOf(device: SimDevice, { slots }: ProtoModel) {
  return device.body().boards.map(({ slot, hashrateHs, boardC, chipMaxC, chipAvgC }) => ({
    index: (slots[slot] ?? slot + 1) - 1,
    serial: serial(device, 'HB-', slot),
    ths: round(hashrateHs / 1e12, 6),
    outletC: round(boardC, 2),
    chipMaxC: round(chipMaxC, 2),
    chipAvgC: round(chipAvgC, 2),
  }));
}
const thsOf = (device: SimDevice, model: ProtoModel) =>
  round(
    boardsOf(device, model).reduce((sum, { ths }) => sum + ths, 0),
    6,
  );

function faultsOf({ faults }: SimDevice) {
  const code = faults.text('vendor-error', 'AsicOverHeat');
  return [
    ...(code === undefined ? [] : [{ source: 'hashboard', slot: 1, error_code: code, message: code, timestamp: 1 }]),
    ...(faults.has('psu-fault')
      ? [{ source: 'psu', slot: 2, error_code: 'PsuOutputFailure', message: 'output failed', timestamp: 1 }]
      : []),
  ];
}

/** What each page of the API shows. */
const PAGES: Readonly<Record<string, (device: SimDevice, model: ProtoModel) => unknown>> = {
  system: (device, model) => ({
    'system-info': {
      product_name: 'Proto Rig',
      manufacturer: 'Proto',
      model: model.reportedAs,
      board: 'C3',
      cb_sn: serial(device, 'PROTO-', 30),
      os: { name: 'ProtoOS', version: model.version },
      web_server: { name: 'miner-api-server', version: model.version },
      uptime_seconds: device.systemUptimeS(),
    },
  }),
  network: (device) => ({
    'network-info': { dhcp: true, hostname: device.settings.hostname, ip_address: device.ip, mac: device.mac },
  }),
  hardware: (device, model) => {
    const body = device.body();
    const boards = boardsOf(device, model);
    return {
      'hardware-info': {
        'cb-info': { serial_number: serial(device, 'PROTO-', 30) },
        'hashboards-info': boards.map((board) => ({
          slot: board.index + 1,
          hb_sn: board.serial,
          mining_asic_count: model.chipsPerBoard,
        })),
        'fans-info': body.fansRpm.map((_, index) => ({ slot: index + 1, name: `Fan ${index + 1}` })),
        'psus-info': psusOf(device).map((psu) => ({ slot: psu.index + 1, psu_sn: psu.serial, model: 'PSU-3600W' })),
      },
    };
  },
  mining: (device, model) => {
    const body = device.body();
    const boards = boardsOf(device, model);
    const ghs = thsOf(device, model) * 1_000;
    return {
      'mining-status': {
        status: device.settings.mode === 'sleep' ? 'Stopped' : 'Mining',
        hashrate_ghs: ghs,
        average_hashrate_ghs: ghs * body.averageFactor,
        ideal_hashrate_ghs: body.expectedHs / 1e9,
        power_usage_watts: body.powerW,
        power_target_watts: device.settings.powerLimitW,
        mining_uptime_s: device.uptimeS(),
        reboot_uptime_s: device.systemUptimeS(),
        hashboards_installed: model.boards,
        hashboards_mining: boards.filter(({ ths }) => ths > 0).length,
      },
    };
  },
  telemetry: (device, model) => {
    const body = device.body();
    const boards = boardsOf(device, model);
    return {
      miner: { hashrate: { unit: 'TH/s', value: thsOf(device, model) }, power: { unit: 'W', value: body.powerW } },
      hashboards: boards.map((board) => ({
        index: board.index,
        serial_number: board.serial,
        hashrate: { unit: 'TH/s', value: board.ths },
        temperature: { unit: '°C', inlet: board.outletC - 14, outlet: board.outletC, average: board.outletC - 7 },
        // One at the maximum, the rest at the mean.
        asics: {
          temperature: {
            unit: '°C',
            values: [board.chipMaxC, ...new Array<number>(model.chipsPerBoard - 1).fill(board.chipAvgC)],
          },
        },
      })),
      psus: psusOf(device).map((psu) => ({
        index: psu.index,
        serial_number: psu.serial,
        voltage: { unit: 'V', input: 230, output: 14 },
        power: { unit: 'W', input: body.powerW / 2, output: body.powerW / 2.1 },
        temperature: { unit: '°C', average: psu.averageC },
      })),
    };
  },
  cooling: (device) => {
    const body = device.body();
    return {
      'cooling-status': {
        fan_mode: 'Auto',
        fans: body.fansRpm.map((rpm, index) => ({ slot: index + 1, rpm, speed_percentage: 60 })),
      },
    };
  },
  pools: (device) => {
    const { accepted, rejected, difficulty } = device.shares();
    return {
      pools: device.settings.pools.map(({ url, user }, id) => ({
        id,
        priority: id,
        url,
        user,
        status: device.faults.has('pool-dead') ? 'Dead' : id === 0 ? 'Active' : 'Idle',
        accepted: id === 0 ? accepted : 0,
        rejected: id === 0 ? rejected : 0,
        difficulty: String(difficulty),
      })),
    };
  },
  errors: faultsOf,
  'mining/target': (device, model) => ({
    power_target_watts: device.settings.powerLimitW,
    power_target_min_watts: 1_000,
    power_target_max_watts: 6_000,
    default_power_target_watts: model.powerW,
    performance_mode: device.settings.mode === 'low' ? 'Efficiency' : 'MaximumHashrate',
  }),
  'system/logs': () => ({
    logs: { content: ['[INFO] mining driver started', '[INFO] pool connected'], lines: 2, source: 'miner_sw' },
  }),
};

function write(
  device: SimDevice,
  order: string,
  text: string,
  performance: WeakMap<SimDevice, 'low' | 'normal'>,
): WebReply {
  if (device.faults.has('write-api-off')) return no(403, 'DEFAULT_PASSWORD_ACTIVE');
  const done = (after?: () => void) => json({ message: 'accepted' }, 202, after);
  if (order === 'POST system/reboot') return done(() => device.reboot());
  if (device.faults.has('ignores-writes')) return done();
  switch (order) {
    case 'POST system/locate':
      device.settings.isLightOn = true;
      return done();
    case 'POST mining/stop':
      device.setMode('sleep');
      return done();
    case 'POST mining/start':
      device.setMode(performance.get(device) ?? 'normal');
      return done();
    case 'PUT mining/target': {
      const body = parseObject(text) ?? {};
      if (typeof body.power_target_watts === 'number') device.settings.powerLimitW = body.power_target_watts;
      if (typeof body.performance_mode === 'string') {
        performance.set(device, body.performance_mode === 'Efficiency' ? 'low' : 'normal');
        if (device.settings.mode !== 'sleep') device.setMode(performance.get(device) ?? 'normal');
      }
      return done();
    }
    case 'POST pools': {
      const { pools } = parseObject(`{"pools":${text}}`) ?? {};
      if (!Array.isArray(pools)) return no(400, 'INVALID_REQUEST');
      device.settings.pools = pools
        .filter(isRecord)
        .map(({ url, username, password }) => ({ url: String(url), user: String(username), pass: String(password) }));
      return done();
    }
    case 'PUT system/update':
      return text.includes('name="file"') ? done(() => device.reboot()) : no(400, 'BAD_REQUEST');
    default:
      return no(404, 'NOT_FOUND');
  }
}

function truth(device: SimDevice, model: ProtoModel): Truth {
  const boards = boardsOf(device, model);
  const ths = thsOf(device, model);
  const { mode, powerLimitW } = device.settings;
  const awake = powerLimitW !== model.powerW ? 'power_tuning' : mode === 'low' ? 'low' : 'high';
  return {
    ip: device.ip,
    driver: device.driver,
    family: device.family,
    make: 'Proto',
    model: model.model,
    mac: device.mac,
    serial_number: serial(device, 'PROTO-', 30),
    firmware_version: model.version,
    hostname: device.settings.hostname,
    is_mining: mode !== 'sleep' && ths > 0,
    mining_mode: mode === 'sleep' ? 'sleep' : awake,
    hashrate: ths * 1e12,
    expected_hashrate: device.body().expectedHs,
    power: device.body().powerW,
    temp: Math.max(...boards.map(({ chipMaxC }) => chipMaxC)),
    uptime: device.uptimeS(),
    hashboards: boards.map((board) => ({
      serial_number: board.serial,
      hashrate: board.ths * 1e12,
      chips: model.chipsPerBoard,
      chip_frequency: null,
    })),
    fans: device.body().fansRpm.map((rpm, index) => ({ index, rpm })),
    pools: uncounted(device.settings.pools),
    psus: psusOf(device).map((psu) => ({ serial_number: psu.serial, temperature: psu.averageC })),
    errors: faultsOf(device).map(({ error_code: code }) => ({ code })),
    light_on: null,
  };
}
