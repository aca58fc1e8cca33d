// Bitaxe, NerdAxe and LuckyMiner as variants of the farm: one small web server with one API and a compressed page, no
// login, no TCP. Atlas section 11.
import { gzipSync } from 'node:zlib';
import type { PoolSetting, SimDevice, SimulatedDevices, Variant } from '../_farm/device.ts';
import { versionIn } from '../_farm/image.ts';
import { parseObject } from '../_farm/servers/cgminer-api.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import type { WebReply, WebRequest } from '../_farm/servers/web.ts';
import { AXEOS_MODELS, type AxeosModel } from './farm.data.ts';
import { axeosFacts, axeosPools, axeosTruth, mhzNow } from './farm-facts.ts';

const AXEOS_VARIANTS: readonly Variant[] = AXEOS_MODELS.map((model) => ({
  family: model.family,
  driver: 'axeos',
  spec: model,
  servers: (device) => [webServer(device, model)],
  truth: (device) => axeosTruth(device, model),
}));

export const simulated: SimulatedDevices = { shares: { bitaxe: 4, nerdaxe: 2, luckyminer: 2 }, usual: AXEOS_VARIANTS };

function webServer(device: SimDevice, model: AxeosModel): SimServer {
  const page = gzipSync(
    `<!doctype html><html><head><title>${model.title}</title></head><body><app-root></app-root></body></html>`,
  );
  // Settings of pools and frequency are stored at once and count after a restart.
  let stored: readonly PoolSetting[] | undefined;
  let storedMhz: number | undefined;
  const restart = (): WebReply => {
    if (!device.faults.has('ignores-reboot')) {
      device.settings.pools = stored ?? device.settings.pools;
      device.settings.preset = storedMhz === undefined ? device.settings.preset : String(storedMhz);
    }
    stored = undefined;
    storedMhz = undefined;
    return { ...text('System will restart shortly.'), after: () => device.reboot() };
  };
  return device.site.web.server(device, device.site.port(80), (request) => {
    const { method, path } = request;
    if (method !== 'GET' && device.faults.has('write-api-off')) return { status: 401, body: 'Unauthorized' };
    const isIgnored = device.faults.has('ignores-writes') && method !== 'GET' && path !== '/api/system/restart';
    if (isIgnored) return text('OK');
    switch (`${method} ${path}`) {
      case 'GET /':
        // Compressed whatever the client accepts.
        return { status: 200, headers: { 'Content-Encoding': 'gzip' }, body: page };
      case 'GET /api/system/info':
        return { status: 200, type: 'application/json', body: JSON.stringify(info(device, model)) };
      case 'POST /api/system/restart':
        return restart();
      case 'PATCH /api/system': {
        const settings = parseObject(request.body);
        if (settings === undefined) return { status: 400, body: 'Invalid JSON' };
        stored = changed(stored ?? device.settings.pools, settings);
        if (typeof settings.frequency === 'number') storedMhz = settings.frequency;
        if (typeof settings.hostname === 'string') device.settings.hostname = settings.hostname;
        return text('');
      }
      case 'POST /api/system/OTA':
        return update(device, Buffer.from(request.body, 'latin1'));
      default:
        return (model.isNew ? newer(device, model, request) : undefined) ?? missing(request);
    }
  });
}

const text = (body: string): WebReply => ({ status: 200, type: 'text/plain', body });

/** Checked as its boot loader does: an application and nothing else. */
function update(device: SimDevice, file: Buffer): WebReply {
  const version = file[0] === 0xe9 && file.length > 36 && file.readUInt32LE(32) === 0xabcd5432 && versionIn(file);
  if (!version) return { status: 500, type: 'text/plain', body: 'Validation / Activation Error' };
  return {
    ...text('Firmware update complete, rebooting now!'),
    after() {
      device.settings.firmware = version;
      device.reboot();
    },
  };
}

function newer(device: SimDevice, model: AxeosModel, { method, path }: WebRequest): WebReply | undefined {
  if (method === 'GET' && path === '/api/system/asic') {
    const { frequencyMhz: usual } = model;
    return {
      status: 200,
      type: 'application/json',
      body: JSON.stringify({
        ASICModel: model.chip,
        deviceModel: model.model,
        asicCount: model.chipsPerBoard,
        defaultFrequency: usual,
        frequencyOptions: [usual - 125, usual - 50, usual, usual + 25, usual + 100],
        defaultVoltage: 1_150,
        voltageOptions: [1_000, 1_060, 1_100, 1_150],
      }),
    };
  }
  if (method !== 'POST') return undefined;
  switch (path) {
    case '/api/system/identify':
      return text('{"message":"The device shows itself for 30 seconds."}');
    case '/api/system/pause':
      device.setMode('sleep');
      return text('{"message":"Mining paused"}');
    case '/api/system/resume':
      device.setMode('normal');
      return text('{"message":"Mining resumed"}');
    default:
      return undefined;
  }
}

/** Unknown pages lead to the start page, unknown orders nowhere. */
const missing = ({ method, path }: WebRequest): WebReply =>
  method === 'GET' && !path.startsWith('/api/')
    ? { status: 302, headers: { Location: '/' }, body: 'Redirect to the captive portal' }
    : { status: method === 'GET' ? 404 : 405, type: 'text/plain', body: 'Nothing matches the given URI' };

function info(device: SimDevice, model: AxeosModel): object {
  const facts = axeosFacts(device, model);
  const [main, fallback] = axeosPools(device);
  const { accepted, rejected, difficulty } = device.shares();
  return {
    power: facts.powerW,
    voltage: 5_175,
    current: Math.round((facts.powerW / 5.175) * 1_000),
    temp: facts.chipC,
    ...(model.isNew ? { temp2: -1 } : {}),
    vrTemp: facts.regulatorC,
    hashRate: facts.toldGhs,
    ...(model.isNew
      ? { hashRate_1m: facts.toldGhs, hashRate_10m: facts.toldGhs, expectedHashrate: facts.expectedGhs }
      : {}),
    bestDiff: '483k',
    bestSessionDiff: '12.1k',
    [model.isNew ? 'poolDifficulty' : 'stratumDiff']: difficulty,
    isUsingFallbackStratum: 0,
    freeHeap: 8_443_612,
    coreVoltage: 1_166,
    coreVoltageActual: 1_172,
    frequency: mhzNow(device, model),
    ssid: 'farm',
    macAddr: device.mac,
    hostname: device.settings.hostname,
    wifiStatus: 'Connected!',
    wifiRSSI: -58,
    sharesAccepted: accepted,
    sharesRejected: rejected,
    uptimeSeconds: device.uptimeS(),
    asicCount: model.chipsPerBoard,
    smallCoreCount: model.smallCores,
    ASICModel: model.chip,
    ...model.names,
    stratumURL: main?.host ?? '',
    stratumPort: main?.port ?? 0,
    stratumUser: main?.user ?? '',
    fallbackStratumURL: fallback?.host ?? '',
    fallbackStratumPort: fallback?.port ?? 0,
    fallbackStratumUser: fallback?.user ?? '',
    version: device.settings.firmware ?? model.version,
    idfVersion: 'v5.4',
    boardVersion: model.boardVersion,
    runningPartition: 'factory',
    overheat_mode: facts.isOverheated ? 1 : 0,
    // Builds differ: some have the key only while there is a fault.
    ...(model.isNew || facts.powerFault !== '' ? { power_fault: facts.powerFault } : {}),
    ...(model.isNew ? { miningPaused: facts.isPaused } : {}),
    autofanspeed: 1,
    fanspeed: 35,
    fanrpm: facts.fanRpm,
    ...(model.isNew ? { fan2rpm: 0 } : {}),
  };
}

/** The pools with the given settings laid over. A URL may come with its scheme. */
function changed(pools: readonly PoolSetting[], settings: Readonly<Record<string, unknown>>): readonly PoolSetting[] {
  return ['stratum', 'fallbackStratum'].flatMap((prefix, place) => {
    const before = pools[place];
    const [, scheme = 'stratum+tcp://', host = '', port = ''] =
      /^([a-z+]+:\/\/)?([^:/]*)(?::(\d+))?$/.exec(before?.url ?? '') ?? [];
    const given = (key: string, otherwise: string) => {
      const value = settings[`${prefix}${key}`];
      return typeof value === 'string' || typeof value === 'number' ? String(value) : otherwise;
    };
    const address = given('URL', host).replace(/^[a-z+]+:\/\//, '');
    if (address === '') return [];
    return [
      {
        url: `${scheme}${address}:${given('Port', port)}`,
        user: given('User', before?.user ?? ''),
        pass: given('Password', before?.pass ?? ''),
      },
    ];
  });
}
