// Innosilicon as variants of the farm: a web API where every call is posted behind a token, and TCP 4028 for reading.
// Atlas section 19.
import { json, NOT_FOUND } from '../_farm/bitmain/pages.ts';
import type { PoolSetting, SimDevice, Variant } from '../_farm/device.ts';
import { rollText } from '../_farm/noise.ts';
import { parseObject } from '../_farm/servers/cgminer-api.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import type { WebReply, WebRequest } from '../_farm/servers/web.ts';
import { INNOSILICON_MODELS, type InnosiliconModel } from './farm.data.ts';
import { type InnosiliconFacts, innosiliconFacts, innosiliconTruth } from './farm-facts.ts';
import { devRow, innosiliconTcpServer, poolRows } from './farm-tcp.ts';

export const INNOSILICON_VARIANTS: readonly Variant[] = INNOSILICON_MODELS.map((model) => ({
  family: 'innosilicon',
  driver: 'innosilicon',
  spec: model,
  login: { user: 'admin', password: 'admin' },
  servers: (device) => [
    innosiliconWebServer(device, (name) => look(device, model, name)),
    innosiliconTcpServer(device, model),
  ],
  truth: (device) => innosiliconTruth(device, model),
}));

const PAGE = '<!doctype html><html><head><title>DragonMint</title></head><body><div id="root"></div></body></html>\n';
export const yes = (content: object = {}, after?: () => void) => json({ success: true, ...content }, after);
const no = (content: object = {}) => json({ success: false, ...content });

/** What one of its calls answers; undefined = it has none of that name. */
export type Call = (name: string) => WebReply | undefined;

export function innosiliconWebServer(device: SimDevice, look: Call): SimServer {
  // A token dies with the process and the password that gave it.
  const epoch = () => 600 + (device.reboots + device.endedSessions) * 2 + Number(device.faults.has('wrong-password'));
  const token = () =>
    `eyJ0eXAiOiJKV1QifQ.${rollText('abcdefghijklmnop0123456789', 40, device.site.seed, device.index, epoch())}.s`;
  return device.site.web.server(device, device.site.port(80), (request) => {
    const { method, path, authorization } = request;
    if (path === '/') return { status: 200, body: PAGE };
    if (!path.startsWith('/api/')) return NOT_FOUND;
    if (method !== 'POST') return { status: 405, type: 'text/plain', body: 'Method Not Allowed' };
    const name = path.slice('/api/'.length);
    const fields = fieldsOf(request);
    if (name === 'auth') {
      const isRight =
        fields.get('username') === device.login?.user && fields.get('password') === device.login?.password;
      return isRight ? yes({ jwt: token() }) : no();
    }
    if (authorization === undefined) return { status: 401, type: 'text/plain', body: 'Unauthorized' };
    if (authorization !== `Bearer ${token()}`) return no({ token: 'expired' });
    return look(name) ?? write(device, name, fields);
  });
}

/** A form, or the same as JSON. */
function fieldsOf({ body }: WebRequest): ReadonlyMap<string, string> {
  const object = parseObject(body);
  if (object === undefined) return new Map(new URLSearchParams(body));
  return new Map(Object.entries(object).map(([key, value]) => [key, String(value)]));
}

function look(device: SimDevice, model: InnosiliconModel, name: string): WebReply | undefined {
  const facts = innosiliconFacts(device, model);
  switch (name) {
    case 'type':
      return yes({ type: model.reportedAs });
    case 'overview':
      return yes({
        type: model.reportedAs,
        hostname: device.settings.hostname,
        version: {
          hwver: model.hardware,
          ethaddr: device.mac.toLowerCase(),
          build_date: model.buildDate,
          platform_v: '1',
        },
        network: { dhcp: 'dhcp', ipaddress: device.ip },
        hardware: { status: 'up', memUsed: 81_244, memTotal: 240_288 },
      });
    case 'getAll':
      return yes({ all: all(device, model, facts) });
    case 'summary':
      return yes({
        DEVS: facts.boards.map((board) => ({ ...devRow(device, facts, board), ...rates(model, board.hs) })),
        TotalHash: rates(model, facts.hs),
        POOLS: poolRows(device),
        HARDWARE: { 'Fan duty': facts.dutyPercent },
        tuning: false,
      });
    case 'pools':
      return yes({ pools: device.settings.pools });
    case 'getErrorDetail':
      return yes({
        code: facts.errorCode,
        detail: { msg: facts.errorCode === '0' ? 'OK' : `Error ${facts.errorCode}` },
      });
    default:
      return undefined;
  }
}

const rates = ({ unit }: InnosiliconModel, hs: number) => ({
  ...(unit !== undefined && { 'Hash Rate': hs / (unit === 'TH/s' ? 1e12 : 1e6), Unit: unit }),
  'Hash Rate H': hs,
});

/** What the command `uptime` prints. */
function uptimeLine(ageS: number): string {
  const minutes = Math.floor(ageS / 60);
  const [days, hours, rest] = [Math.floor(minutes / 1_440), Math.floor(minutes / 60) % 24, minutes % 60];
  const age = hours === 0 ? `${rest} min` : `${String(hours).padStart(2)}:${String(rest).padStart(2, '0')}`;
  return ` 10:22:33 up ${days === 0 ? '' : `${days} day${days === 1 ? '' : 's'}, `}${age},  load average: 0.10, 0.20, 0.30`;
}

function all(device: SimDevice, model: InnosiliconModel, facts: InnosiliconFacts): object {
  return {
    type: model.reportedAs,
    total_hash: rates(model, facts.hs),
    chain: facts.boards.map((board) => ({
      ASC: board.slot,
      'Temp min': board.minC,
      'Temp max': board.maxC,
      'Average Temp': board.averageC,
      ...rates(model, board.hs),
      'Hardware Errors': board.hw,
    })),
    power: facts.powerW,
    fansSpeed: facts.dutyPercent,
    running_mode: { mode: 'factory', level: '2' },
    mac: device.mac,
    uptime: uptimeLine(device.systemUptimeS()),
  };
}

function write(device: SimDevice, name: string, fields: ReadonlyMap<string, string>): WebReply {
  if (name !== 'reboot' && name !== 'restartCgMiner' && name !== 'updatePools') return NOT_FOUND;
  if (device.faults.has('write-api-off')) return no({ msg: 'permission denied' });
  if (name === 'reboot') return yes({}, () => device.reboot());
  if (device.faults.has('ignores-writes')) return yes();
  if (name === 'updatePools') {
    const pools = [1, 2, 3].flatMap((place): PoolSetting[] => {
      const url = fields.get(`Pool${place}`) ?? '';
      const pass = fields.get(`Password${place}`) ?? '';
      return url === '' ? [] : [{ url, user: fields.get(`UserName${place}`) ?? '', pass }];
    });
    if (pools.length === 0) return no({ msg: 'Pool1 is required' });
    device.settings.pools = pools;
  }
  device.restart();
  return yes();
}
