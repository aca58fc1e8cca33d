// Auradine machines as variants of the farm: CGMiner words on TCP 4028, a page on 80, an API with a token on 8080.
// Atlas section 10.
import { json, NOT_FOUND } from '../_farm/bitmain/pages.ts';
import type { SimDevice, SimulatedDevices, Variant } from '../_farm/device.ts';
import { serialOf } from '../_farm/identity.ts';
import { textReport } from '../_farm/ip-report.ts';
import { rollText, round } from '../_farm/noise.ts';
import type { Mode, ModelSpec } from '../_farm/physics.ts';
import {
  type Command,
  cgminerServer,
  envelope,
  isRecord,
  parseObject,
  REFUSALS,
  type Said,
} from '../_farm/servers/cgminer-api.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import type { WebReply } from '../_farm/servers/web.ts';
import type { Truth } from '../_farm/truth.ts';
import { uncounted, whoIs } from '../_farm/truth-parts.ts';

type AuradineModel = ModelSpec & { readonly version: string; readonly hasNameplate: boolean };
type Custom = { readonly tune: 'power' | 'ths'; readonly value: number };

const shared = { make: 'Auradine', boards: 3, fans: 4, fanRpm: 7_000, chipC: 66 } as const;
const MODELS: readonly AuradineModel[] = [
  {
    ...shared,
    model: 'AT1500',
    reportedAs: 'AT1500',
    chipsPerBoard: 132,
    frequencyMhz: 320,
    hashrateHs: 150e12,
    powerW: 3_400,
    version: '2023-12.27',
    hasNameplate: true,
  },
  {
    ...shared,
    model: 'AT2880',
    reportedAs: 'AT2880',
    chipsPerBoard: 138,
    frequencyMhz: 500,
    hashrateHs: 260e12,
    powerW: 4_300,
    version: '2024-06.11',
    hasNameplate: false,
  },
];

const AURADINE_VARIANTS: readonly Variant[] = MODELS.map((model) => {
  const customs = new WeakMap<SimDevice, Custom>();
  return {
    family: 'auradine',
    driver: 'auradine-fluxos',
    spec: model,
    hostname: 'teraflux',
    login: { user: 'admin', password: 'admin' },
    servers: (device) => [tcpServer(device, model), pageServer(device), apiServer(device, model, customs)],
    truth: (device) => truth(device, model, customs.get(device)),
  };
});

export const simulated: SimulatedDevices = {
  shares: { auradine: 2 },
  usual: AURADINE_VARIANTS,
  ipReport: ({ ip, mac, model, serial_number: serial, firmware_version: version }) =>
    textReport(12_345, JSON.stringify({ command: 'ipreport', SerialNo: serial ?? '', ip, mac, model, version })),
};

const boardsOf = (device: SimDevice) =>
  device.body().boards.map((board) => ({ ...board, mhs: round(board.hashrateHs / 1e6, 2) }));
const NAMES: Readonly<Record<Mode, string>> = { sleep: 'normal', low: 'eco', normal: 'normal', high: 'turbo' };

function tcpServer(device: SimDevice, model: AuradineModel): SimServer {
  const word = (code: number, msg: string, content: Readonly<Record<string, unknown>> = {}, level: 'S' | 'E' = 'S') =>
    envelope(device.nowS(), `GCMiner-${model.version}`, { code, msg, level }, content);
  const say = ({ name }: Command): Said | undefined => {
    const boards = boardsOf(device);
    switch (name) {
      case 'version':
        return { reply: word(22, 'GCMiner versions', { VERSION: [{ API: '1.0', GCMiner: '0.5' }] }) };
      case 'summary': {
        const mhs = round(
          boards.reduce((sum, board) => sum + board.mhs, 0),
          2,
        );
        const { accepted, rejected, difficulty } = device.shares();
        const row = {
          Elapsed: device.uptimeS(),
          'MHS 5s': mhs,
          'MHS 1m': mhs,
          'MHS 5m': mhs,
          'MHS 15m': mhs,
          'MHS av': round(mhs * device.body().averageFactor, 2),
          Accepted: accepted,
          Rejected: rejected,
          'Difficulty Accepted': accepted * difficulty,
          'Difficulty Rejected': rejected * difficulty,
        };
        return { reply: word(11, 'Summary', { SUMMARY: [row] }) };
      }
      case 'devs': {
        const DEVS = boards.map(({ slot, isDead, mhs, boardC }) => ({
          DEV: slot + 1,
          ID: slot + 1,
          Name: 'ASICBoard',
          Enabled: true,
          Status: isDead ? 'Dead' : 'Alive',
          Temperature: boardC,
          'MHS 5s': mhs,
        }));
        return { reply: word(9, `${DEVS.length} Dev(s)`, { DEVS }) };
      }
      case 'devdetails': {
        const DEVDETAILS = boards.map(({ slot }) => ({
          DEVDETAILS: slot,
          Name: 'ASICBoard',
          ID: slot + 1,
          Driver: 'gcminer',
          Kernel: '',
          Model: model.reportedAs,
        }));
        return { reply: word(69, 'Device Details', { DEVDETAILS }) };
      }
      case 'asccount': {
        const alive = boards.filter(({ isDead }) => !isDead).length;
        const row = { AsicCount: alive * model.chipsPerBoard, BoardCount: alive };
        return { reply: word(104, 'ASC count', { ASCCount: [row] }) };
      }
      case 'pools': {
        const isAlive = !device.faults.has('pool-dead');
        const POOLS = device.settings.pools.map(({ url, user }, index) => ({
          POOL: index,
          Priority: index,
          URL: url,
          User: user,
          Status: isAlive ? 'Alive' : 'Dead',
          'Stratum Active': isAlive && index === 0,
          Accepted: index === 0 ? device.shares().accepted : 0,
          Rejected: index === 0 ? device.shares().rejected : 0,
        }));
        return { reply: word(7, `${POOLS.length} Pool(s)`, { POOLS }) };
      }
      default:
        return undefined;
    }
  };
  return cgminerServer(device, {
    port: device.site.port(4028),
    atOnce: 2,
    waiting: 100,
    ending: '\0',
    say,
    refuse: (code) => word(code, REFUSALS[code], {}, 'E'),
  });
}

const pageServer = (device: SimDevice): SimServer =>
  device.site.web.server(device, device.site.port(80), ({ path }) =>
    path === '/'
      ? { status: 200, body: '<html><head><title>Miner UI</title></head><body></body></html>\n' }
      : NOT_FOUND,
  );

const MAX_TOKENS = 16;

function apiServer(device: SimDevice, model: AuradineModel, customs: WeakMap<SimDevice, Custom>): SimServer {
  let logins = 0;
  const memory: Memory = { wakesTo: 'normal' };
  /** With what was so when each was given. Clients take one per request; the oldest goes when there are many. */
  const tokens = new Map<string, string>();
  const epoch = () => device.loginEpoch;
  const word = (code: number, msg: string, content: Readonly<Record<string, unknown>> = {}, level: 'S' | 'E' = 'S') =>
    envelope(device.nowS(), `FluxOS-${model.version}`, { code, msg, level }, content);
  const refused = (msg: string): WebReply => json(word(45, msg, {}, 'E'));

  return device.site.web.server(device, device.site.port(8080), (request) => {
    const name = request.path.slice(1);
    const body = parseObject(request.body) ?? {};
    if (request.method === 'POST' && body.command !== name) return json(word(24, 'Missing JSON command', {}, 'E'));
    if (name === 'token') {
      const { user, password } = device.login ?? {};
      if (body.user !== user || body.password !== password) return refused('Invalid user or password');
      logins++;
      const token = rollText('0123456789abcdef', 40, device.site.seed, device.index, 700 + logins);
      tokens.set(token, epoch());
      const [oldest] = tokens.keys();
      if (tokens.size > MAX_TOKENS && oldest !== undefined) tokens.delete(oldest);
      return json(word(500, 'Token', { Token: [{ Token: token }] }));
    }
    if (tokens.get(request.header('token') ?? '') !== epoch()) return refused('Invalid token');
    if (request.method === 'POST') return write(device, name, body, customs, word, memory);
    const found = show(device, model, customs.get(device), name);
    return found === undefined ? NOT_FOUND : json(word(600, name, found));
  });
}

const lampCode = (device: SimDevice): number =>
  device.faults.number('vendor-error', 4) ?? (device.faults.has('psu-fault') ? 1 : device.settings.isLightOn ? 3 : 2);

function show(
  device: SimDevice,
  model: AuradineModel,
  custom: Custom | undefined,
  name: string,
): Readonly<Record<string, unknown>> | undefined {
  const body = device.body();
  switch (name) {
    case 'ipreport':
      return {
        IPReport: [
          {
            command: 'ipreport',
            SerialNo: serial(device, 8),
            CBSerialNo: serial(device, 7),
            ChassisSerialNo: '000020',
            HBSerialNo: body.boards.map(({ slot }) => serial(device, slot)),
            InternalType: 'T1',
            hostname: device.settings.hostname,
            ip: device.ip,
            mac: device.mac.toLowerCase(),
            model: model.reportedAs,
            version: model.version,
          },
        ],
      };
    case 'temperature':
      return {
        Temperature: [
          { ID: 0, Name: 'Control Board', BoardTemp: [{ ID: 0, Temperature: 31.5 }], ChipTemp: null },
          ...body.boards.map(({ slot, isDead, boardC, chipMaxC, chipAvgC }) => ({
            ID: slot + 1,
            Name: `Hash Board ${slot + 1}`,
            BoardTemp: [boardC - 20, boardC - 19, boardC].map((Temperature, ID) => ({ ID, Temperature })),
            ChipTemp: isDead ? null : [chipMaxC, chipAvgC].map((Temperature, ID) => ({ ID, Temperature })),
          })),
        ],
      };
    case 'frequency':
      return {
        Frequency: body.boards.map(({ slot }) => ({
          ID: slot + 1,
          ChipFrequency: [0, 1, 2].map((ID) => ({ ID, Frequency: model.frequencyMhz })),
        })),
      };
    case 'voltage':
      return {
        Voltage: body.boards.map(({ slot }) => ({
          ID: slot + 1,
          Name: `Hash Board ${slot + 1}`,
          ChipVoltage: [0, 1, 2].map((ID) => ({ ID, Voltage: 0.245 })),
        })),
      };
    case 'fan':
      return { Fan: body.fansRpm.map((Speed, index) => ({ ID: index + 1, Speed, Target: 7_000, Max: 7_700 })) };
    case 'psu': {
      const watts = (value: number) => `${value.toFixed(2)}W`;
      return {
        PSU: [
          {
            PowerIn: watts(body.powerW),
            PowerOut: watts(body.powerW * 0.95),
            Vin: '245.00V',
            Vout: '11.53V',
            FanSpeed1: '4052.00 RPM',
            FanSpeed2: '4144.00 RPM',
          },
        ],
      };
    }
    case 'mode': {
      const Sleep = device.settings.mode === 'sleep' ? 'on' : 'off';
      if (custom === undefined) return { Mode: [{ Mode: NAMES[device.settings.mode], Sleep }] };
      return { Mode: [{ Mode: 'custom', Sleep, [custom.tune === 'power' ? 'Power' : 'Ths']: custom.value }] };
    }
    case 'led':
      return { LED: [{ Code: lampCode(device), LED1: 1, LED2: 1, Msg: 'State of the machine' }] };
    default:
      return undefined;
  }
}

const serial = (device: SimDevice, channel: number) =>
  serialOf(channel > 6 ? 'AU24' : 'QAHB', 2, device.site.seed, device.index, channel);

/** What it does when it is woken. */
type Memory = { wakesTo: 'low' | 'normal' | 'high' };
type Word = (code: number, msg: string, content?: Readonly<Record<string, unknown>>, level?: 'S' | 'E') => object;

function write(
  device: SimDevice,
  name: string,
  body: Readonly<Record<string, unknown>>,
  customs: WeakMap<SimDevice, Custom>,
  word: Word,
  memory: Memory,
): WebReply {
  if (device.faults.has('write-api-off')) return json(word(45, 'Access denied', {}, 'E'));
  const done = (after?: () => void) => json(word(610, 'Done'), after);
  if (name === 'restart') return done(() => device.reboot());
  if (device.faults.has('ignores-writes')) return done();
  switch (name) {
    case 'led':
      device.settings.isLightOn = body.code === 3;
      return done();
    case 'mode': {
      if (body.sleep === 'on') device.setMode('sleep');
      else if (body.sleep === 'off') device.setMode(memory.wakesTo);
      const mode = { eco: 'low', normal: 'normal', turbo: 'high' } as const;
      if (body.mode === 'eco' || body.mode === 'normal' || body.mode === 'turbo') {
        customs.delete(device);
        memory.wakesTo = mode[body.mode];
        if (device.settings.mode !== 'sleep') device.setMode(mode[body.mode]);
      }
      if (body.mode === 'custom' && typeof body.power === 'number')
        customs.set(device, { tune: 'power', value: body.power });
      if (body.mode === 'custom' && typeof body.ths === 'number') customs.set(device, { tune: 'ths', value: body.ths });
      return done();
    }
    case 'updatepools':
      if (!Array.isArray(body.pools)) return json(word(14, 'Invalid pools', {}, 'E'));
      device.settings.pools = body.pools
        .filter(isRecord)
        .map(({ url, user, pass }) => ({ url: String(url), user: String(user), pass: String(pass) }));
      return done();
    case 'password': {
      const { user, password } = device.login ?? {};
      const isRight = body.user === user && body.old === password && typeof body.new === 'string' && body.new !== '';
      if (!isRight) return json(word(45, 'Invalid user or password', {}, 'E'));
      device.logins.change(String(body.new));
      return device.logins.losesReply ? { ...done(), hangUp: true } : done();
    }
    case 'firmware-upgrade':
      return done(() => device.reboot());
    default:
      return NOT_FOUND;
  }
}

function truth(device: SimDevice, model: AuradineModel, custom: Custom | undefined): Truth {
  const boards = boardsOf(device);
  const { mode } = device.settings;
  const mhs = round(
    boards.reduce((sum, board) => sum + board.mhs, 0),
    2,
  );
  const code = lampCode(device);
  const tuned = custom?.tune === 'power' ? 'power_tuning' : 'hashrate_tuning';
  const shown = mode === 'sleep' ? 'sleep' : custom === undefined ? mode : tuned;
  const nameplate = model.hasNameplate && (shown === 'normal' || shown === 'sleep') ? model.hashrateHs : null;
  return {
    ...whoIs(device, model),
    serial_number: serial(device, 8),
    firmware_version: model.version,
    hostname: device.settings.hostname,
    is_mining: mode !== 'sleep' && mhs > 0,
    mining_mode: shown,
    hashrate: mhs * 1e6,
    expected_hashrate: custom?.tune === 'ths' ? custom.value * 1e12 : nameplate,
    power: device.body().powerW,
    temp: Math.max(...boards.filter(({ isDead }) => !isDead).map(({ chipMaxC }) => chipMaxC)),
    uptime: device.uptimeS(),
    hashboards: boards.map(({ slot, isDead, mhs: boardMhs }) => ({
      serial_number: serial(device, slot),
      hashrate: boardMhs * 1e6,
      chips: isDead ? null : model.chipsPerBoard,
      chip_frequency: model.frequencyMhz,
    })),
    fans: device.body().fansRpm.map((rpm, index) => ({ index, rpm })),
    pools: uncounted(device.settings.pools),
    psus: [{ serial_number: null, temperature: null }],
    errors: code === 2 || code === 3 ? [] : [{ code: String(code) }],
    light_on: code === 3,
  };
}
