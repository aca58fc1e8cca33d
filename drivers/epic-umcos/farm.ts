// Miners with ePIC's firmware as variants of the farm: a page on port 80, and an HTTP API on 4028, where others have
// CGMiner. Atlas section 9.
import { json, NOT_FOUND } from '../_farm/bitmain/pages.ts';
import type { SimDevice, SimulatedDevices, Variant } from '../_farm/device.ts';
import { serialOf } from '../_farm/identity.ts';
import { round } from '../_farm/noise.ts';
import type { ModelSpec } from '../_farm/physics.ts';
import { isRecord, parseObject } from '../_farm/servers/cgminer-api.ts';
import type { WebReply, WebRequest } from '../_farm/servers/web.ts';
import type { Truth } from '../_farm/truth.ts';
import { uncounted, whoIs } from '../_farm/truth-parts.ts';
import { EPIC_FIRST_VARIANTS } from './farm-first.ts';

type EpicModel = ModelSpec & { readonly software: string; readonly isTuned: boolean; readonly inletDropC: number };

const shared = { boards: 3, fans: 4, fanRpm: 5_900, chipC: 72, inletDropC: 9 } as const;
const MODELS: readonly EpicModel[] = [
  {
    ...shared,
    make: 'Antminer',
    model: 'S21',
    reportedAs: 'AntMiner S21',
    chipsPerBoard: 108,
    frequencyMhz: 490,
    hashrateHs: 200e12,
    powerW: 3_500,
    software: 'PowerPlay-BMS v1.17.0',
    isTuned: true,
  },
  {
    ...shared,
    make: 'ePIC',
    model: 'BlockMiner 720i',
    reportedAs: 'BlockMiner 720i',
    chipsPerBoard: 180,
    frequencyMhz: 430,
    hashrateHs: 120e12,
    powerW: 3_300,
    software: 'PowerPlay-BM v1.17.0',
    isTuned: false,
  },
];

const EPIC_VARIANTS: readonly Variant[] = MODELS.map((model) => ({
  family: 'epic',
  driver: 'epic-umcos',
  spec: model,
  hostname: 'epicminer',
  login: { user: 'root', password: 'letmein' },
  servers: (device) => {
    // The tuner's target in TH/s stands where others have their limit in W; 0 = it is off.
    device.settings.powerLimitW = model.isTuned ? model.hashrateHs / 1e12 : 0;
    return [
      device.site.web.server(device, device.site.port(80), ({ path }) =>
        path === '/'
          ? { status: 200, body: '<html><head><title>Miner Web Dashboard</title></head></html>\n' }
          : NOT_FOUND,
      ),
      device.site.web.server(device, device.site.port(4028), (request) => api(device, model, request)),
    ];
  },
  truth: (device) => truth(device, model),
}));

export const simulated: SimulatedDevices = { shares: { epic: 3 }, usual: EPIC_VARIANTS, rare: EPIC_FIRST_VARIANTS };

const found = (device: SimDevice) => device.body().boards.filter(({ isDead }) => !isDead);
const boardSerial = (device: SimDevice, slot: number) => serialOf('YNAHYPDB', 3, device.site.seed, device.index, slot);
const minerSerial = (device: SimDevice) => serialOf('YDFTDXUB', 3, device.site.seed, device.index, 9);
const lastError = ({ faults }: SimDevice) =>
  faults.text('vendor-error', 'Hashboard 1 failed to start') ??
  (faults.has('psu-fault') ? 'PSU does not answer' : null);

function rates(device: SimDevice, model: EpicModel) {
  const idealMhs = device.body().expectedHs / model.boards / 1e6;
  return found(device).map(({ slot, hashrateHs, boardC }) => {
    const mhs = round(hashrateHs / 1e6);
    return { slot, mhs, percent: round((mhs / idealMhs) * 100, 1), boardC: round(boardC, 3) };
  });
}

function api(device: SimDevice, model: EpicModel, request: WebRequest): WebReply {
  const name = request.path.slice(1);
  if (request.method === 'POST') return write(device, name, request);
  switch (name) {
    case 'summary':
      return json(summary(device, model));
    case 'temps':
      return json(
        rates(device, model).map(({ slot, boardC }) => ({
          Index: slot,
          Data: [boardC - model.inletDropC, boardC],
          Total: 0,
        })),
      );
    case 'hashrate':
      return json(
        rates(device, model).map(({ slot, mhs, percent }) => ({
          Index: slot,
          Data: Array.from({ length: model.chipsPerBoard }, () => [round(mhs / model.chipsPerBoard, 2), percent, 3.9]),
          Total: 0,
        })),
      );
    case 'network':
      return json({ dhcp: { address: device.ip, dns: '8.8.8.8', mac_address: device.mac, netmask: '255.255.255.0' } });
    case 'capabilities':
      return json(capabilities(device, model));
    case 'log':
      return { status: 200, type: 'text/plain', body: `umcOS: ${model.software} started\n` };
    default:
      return NOT_FOUND;
  }
}

const capabilities = (device: SimDevice, model: EpicModel) => ({
  Model: model.reportedAs,
  'Model Subtype': 'BHB56801',
  Coins: ['BTC'],
  'Miner Serial Number': minerSerial(device),
  'Board Serial Numbers': found(device).map(({ slot }) => boardSerial(device, slot)),
  'Control Board Version': {
    cpuHardware: 'STM32 (Device Tree Support)',
    cpuSerial: `0020003532325109${device.identity.tag}`,
  },
  'Default Hashrate': model.hashrateHs / 1e12,
  'Max HBs': model.boards,
  'Performance Estimator': { 'Chip Count': model.chipsPerBoard, 'Hashes Per Second Per Chip': 894 },
  PerpetualTune: [{ algorithm: 'VoltageOptimizer', name: 'Voltage Optimizer', min: 60, max: 300 }],
});

function summary(device: SimDevice, model: EpicModel): object {
  const body = device.body();
  const shares = device.shares();
  const boards = rates(device, model);
  const isAsleep = device.settings.mode === 'sleep';
  const target = device.settings.powerLimitW;
  const fans = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`Fans Speed ${index + 1}`, body.fansRpm[index] ?? null]),
  );
  return {
    Status: {
      'Operating State': isAsleep ? 'Idling' : 'Mining',
      'Last Command': null,
      'Last Command Result': null,
      'Last Error': lastError(device),
    },
    Hostname: device.settings.hostname,
    Software: model.software,
    'OS Type': 'umcOS',
    IdleOnConnectionLost: false,
    Mining: { Coin: 'BTC', Algorithm: 'SHA-256' },
    Stratum: {
      'Config Id': 0,
      'Current Pool': device.settings.pools[0]?.url.replace(/^.*:\/\//, '') ?? null,
      'Current User': device.settings.pools[0]?.user ?? null,
      IsPoolConnected: !device.faults.has('pool-dead'),
      'Worker Unique Id': false,
    },
    StratumConfigs: device.settings.pools.map(({ url, user, pass }) => ({ pool: url, login: user, password: pass })),
    Session: {
      Uptime: device.uptimeS(),
      'Active HBs': boards.length,
      'Average MHs': round(boards.reduce((sum, { mhs }) => sum + mhs, 0) * body.averageFactor),
      Accepted: shares.accepted,
      Rejected: shares.rejected,
      Difficulty: shares.difficulty,
    },
    HBStatus: body.boards.map(({ slot, isDead }) => ({ Index: slot, Detected: !isDead, Enabled: !isDead })),
    HBs: boards.map(({ slot, mhs, percent, boardC }) => ({
      Index: slot,
      Hashrate: [mhs, percent, 0.8],
      'Core Clock Avg': model.frequencyMhz,
      'Input Voltage': 12.6,
      Temperature: boardC,
    })),
    Fans: { 'Fan Mode': { Auto: { 'Idle Speed': 20, 'Target Temperature': 60 } }, 'Fans Speed': 80 },
    'Fans Rpm': fans,
    'Power Supply Stats': { 'Input Power': body.powerW, 'Output Voltage': 12.6, 'Target Voltage': 12_600 },
    PerpetualTune: {
      Running: target > 0,
      Algorithm:
        target > 0
          ? {
              VoltageOptimizer: {
                Target: target,
                'Throttle Target': null,
                'Min Throttle Target': 50,
                'Throttle Step': 5,
                Unit: 'TH/s',
                Optimized: true,
              },
            }
          : {},
    },
    Misc: { 'Locate Miner State': device.settings.isLightOn, 'Shutdown Temp': 85, 'Critical Temp': 100 },
  };
}

const yes = (after?: () => void) => json({ result: true, error: null }, after);
const no = (error: string) => json({ result: false, error });

function write(device: SimDevice, name: string, request: WebRequest): WebReply {
  const isUpload = name === 'systemupdate';
  const body = isUpload ? uploaded(request.body) : parseObject(request.body);
  if (body === undefined) return { status: 400, type: 'text/plain', body: 'bad request' };
  if (body.password !== device.login?.password) return no('Incorrect password');
  if (device.faults.has('write-api-off')) return no('Command is not allowed now');
  if (name === 'reboot') return yes(() => device.reboot());
  if (device.faults.has('ignores-writes')) return yes();
  const { param } = body;
  switch (name) {
    case 'identify':
      device.settings.isLightOn = param === true;
      return yes();
    case 'password':
      if (typeof param !== 'string' || param === '') return no('Invalid parameter');
      device.logins.change(param);
      return device.logins.losesReply ? { ...yes(), hangUp: true } : yes();
    case 'miner':
      device.setMode(param === 'Stop' ? 'sleep' : 'normal');
      return yes();
    case 'perpetualtune':
      return yes();
    case 'perpetualtune/algo':
      if (!isRecord(param) || typeof param.target !== 'number') return no('Invalid parameter');
      device.settings.powerLimitW = param.target;
      return yes();
    case 'coin':
      if (!isRecord(param) || !Array.isArray(param.stratum_configs)) return no('Invalid parameter');
      device.settings.pools = param.stratum_configs
        .filter(isRecord)
        .map(({ pool, login, password }) => ({ url: String(pool), user: String(login), pass: String(password) }));
      return yes();
    case 'systemupdate':
      return yes(() => device.reboot());
    default:
      return NOT_FOUND;
  }
}

function uploaded(body: string): Readonly<Record<string, unknown>> {
  const fields = [...body.matchAll(/name="([^"]+)"\r\n\r\n([^\r]*)\r\n/g)].map(([, name = '', value]) => [name, value]);
  return Object.fromEntries(fields);
}

function truth(device: SimDevice, model: EpicModel): Truth {
  const boards = rates(device, model);
  const error = lastError(device);
  const isAsleep = device.settings.mode === 'sleep';
  const target = device.settings.powerLimitW;
  const sumHs = boards.reduce((sum, { mhs }) => sum + mhs * 1e6, 0);
  const ideals = boards.filter(({ mhs }) => mhs > 0).map(({ mhs, percent }) => (mhs * 1e6) / (percent / 100));
  const clockHs = (ideals.reduce((sum, ideal) => sum + ideal, 0) / ideals.length) * model.boards;
  const awake = target > 0 ? 'hashrate_tuning' : 'normal';
  return {
    ...whoIs(device, model),
    serial_number: minerSerial(device),
    firmware_version: model.software,
    hostname: device.settings.hostname,
    is_mining: !isAsleep && sumHs > 0,
    // Stopped with an error on record: it is unknown who stopped it.
    mining_mode: isAsleep ? (error === null ? 'sleep' : null) : awake,
    hashrate: sumHs,
    expected_hashrate: target > 0 ? target * 1e12 : ideals.length > 0 ? clockHs : model.hashrateHs,
    power: device.body().powerW,
    temp: Math.max(...boards.map(({ boardC }) => boardC)),
    uptime: device.uptimeS(),
    hashboards: boards.map(({ slot, mhs }) => ({
      serial_number: boardSerial(device, slot),
      hashrate: mhs * 1e6,
      chips: mhs > 0 ? model.chipsPerBoard : null,
      chip_frequency: model.frequencyMhz,
    })),
    fans: device.body().fansRpm.map((rpm, index) => ({ index, rpm })),
    pools: uncounted(device.settings.pools),
    psus: [{ serial_number: null, temperature: null }],
    errors: error === null ? [] : [{ code: error }],
    light_on: device.settings.isLightOn,
  };
}
