// Iceriver as variants of the farm: the web app of the KS series, whose forms are numbers, behind a login that sets a
// cookie. Atlas section 17.
import { json, NOT_FOUND } from '../_farm/bitmain/pages.ts';
import type { PoolSetting, SimDevice, SimulatedDevices, Variant } from '../_farm/device.ts';
import { textReport } from '../_farm/ip-report.ts';
import { rollText } from '../_farm/noise.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import type { WebReply, WebRequest } from '../_farm/servers/web.ts';
import { ICERIVER_MODELS, type IceriverModel } from './farm.data.ts';
import { type IceriverFacts, iceriverFacts, iceriverTruth } from './farm-facts.ts';

const ICERIVER_VARIANTS: readonly Variant[] = ICERIVER_MODELS.map((model) => ({
  family: 'iceriver',
  driver: 'iceriver',
  spec: model,
  hostname: 'petalinux',
  login: { user: 'admin', password: '12345678' },
  servers: (device) => [webServer(device, model)],
  truth: (device) => iceriverTruth(device, model),
}));

export const simulated: SimulatedDevices = {
  shares: { iceriver: 3 },
  usual: ICERIVER_VARIANTS,
  ipReport: ({ ip }) => textReport(11_503, `addr:${ip}`),
};

const LOGIN_PAGE =
  '<!doctype html><html><head><meta charset="utf-8"><TITLE>用户界面</TITLE></head><body><form action="/user/loginpost"></form></body></html>\n';
const page = (): WebReply => ({ status: 200, type: 'text/html; charset=utf-8', body: LOGIN_PAGE });

/** The firmware prints the words that it lacks. */
const yes = (after?: () => void) => json({ error: 0, data: {}, message: '(null)' }, after);
const no = (error: number, message: string) => json({ error, data: { id: 'set' }, message });

/** What is asked for stands in the address or in the body. */
const fieldsOf = ({ url, body }: WebRequest) =>
  new URLSearchParams([...new URLSearchParams(url.split('?')[1] ?? ''), ...new URLSearchParams(body)]);

function webServer(device: SimDevice, model: IceriverModel): SimServer {
  // A restart, and a new password, forget who was logged in.
  const epoch = () => 400 + (device.reboots + device.endedSessions) * 2 + Number(device.faults.has('wrong-password'));
  const ticket = () =>
    `-http-session-=1::http.session::${rollText('0123456789abcdef', 32, device.site.seed, device.index, epoch())}`;
  return device.site.web.server(device, device.site.port(80), (request) => {
    const fields = fieldsOf(request);
    const post = fields.get('post');
    if (request.path === '/user/loginpost') {
      const wanted = device.login ?? { user: '', password: '' };
      if (fields.get('user') !== wanted.user) return no(1001, 'user not exist');
      if (fields.get('pwd') !== wanted.password) return no(1002, 'password error');
      return { ...yes(), headers: { 'Set-Cookie': `${ticket()}; path=/; httponly` } };
    }
    const isKnown = request.cookie?.split('; ').includes(ticket()) ?? false;
    if (request.path === '/' || request.path === '/user/login') return page();
    if (!request.path.startsWith('/user/')) return NOT_FOUND;
    // The web app wants no login for what the panel shows; some builds do.
    const isPanel = request.path === '/user/userpanel' && post === '4';
    if (isPanel && (isKnown || !device.faults.has('guarded')))
      return json({ error: 0, data: panel(device, model), message: '' });
    if (!isKnown) return page();
    switch (`${request.path.slice('/user/'.length)} ${post}`) {
      case 'machineconfig 1':
        return json({ error: 0, data: machine(device), message: '' });
      case 'logconfig 1':
        return json({ error: 0, data: { text: LOG }, message: String(LOG.length) });
      default:
        return write(device, `${request.path.slice('/user/'.length)} ${post}`, fields);
    }
  });
}

const LOG = '[2026-01-02 03:04:05]&nbsp;start &lt;miner&gt;<br/>[2026-01-02 03:04:09] 100%% ready<br/>';

function write(device: SimDevice, what: string, fields: URLSearchParams): WebReply {
  const isOrder = ['userpanel 5', 'userpanel 3', 'userpanel 2', 'machineconfig 2'].includes(what);
  if (!isOrder) return json({ data: what.split(' ')[0] });
  if (device.faults.has('write-api-off')) return no(1005, 'permission denied');
  if (what === 'userpanel 3') return yes(() => device.reboot());
  if (device.faults.has('ignores-writes')) return yes();
  switch (what) {
    case 'userpanel 5':
      device.settings.isLightOn = fields.get('locate') === '1';
      return yes();
    case 'userpanel 2':
      // Back to what the factory set.
      device.settings.pools = [];
      return yes(() => device.reboot());
    default: {
      const pools = [1, 2, 3].flatMap((no): PoolSetting[] => {
        const url = fields.get(`pool${no}address`) ?? '';
        const user = fields.get(`pool${no}miner`) ?? '';
        return url === '' ? [] : [{ url, user, pass: fields.get(`pool${no}pwd`) ?? '' }];
      });
      if (fields.get('fanratio') === null) return no(1017, 'invalid ratio');
      device.settings.pools = pools;
      device.setMode(fields.get('fanmode') === 'sleep' ? 'sleep' : 'normal');
      device.restart();
      return yes();
    }
  }
}

const two = (value: number) => String(value).padStart(2, '0');
const runtime = (s: number) =>
  [Math.floor(s / 86_400), Math.floor(s / 3_600) % 24, Math.floor(s / 60) % 60, s % 60].map(two).join(':');

function panel(device: SimDevice, model: IceriverModel): object {
  const facts = iceriverFacts(device, model);
  return {
    model: 'none',
    algo: 'none',
    online: true,
    firmver1: 'BOOT_2_0.BIN',
    firmver2: 'image_1.0',
    softver1: model.softver1,
    softver2: model.softver2,
    firmtype: 'Factory',
    nic: 'eth0',
    mac: device.mac.toLowerCase().replaceAll(':', '-'),
    ip: device.ip,
    netmask: '255.255.255.0',
    host: device.settings.hostname,
    dhcp: true,
    gateway: '127.0.0.1',
    dns: '127.0.0.1',
    locate: device.settings.isLightOn,
    rtpow: `${facts.pow}${model.unit}`,
    avgpow: `${facts.averagePow}${model.unit}`,
    reject: 0.3,
    runtime: runtime(device.uptimeS()),
    unit: model.unit,
    pows: { board1: [facts.averagePow, facts.pow].map(Math.floor) },
    pows_x: ['0 mins', '5 mins'],
    powstate: facts.isHashing,
    netstate: facts.hasPool,
    fanstate: facts.areFansOk,
    tempstate: facts.isCool,
    fans: facts.fans,
    pools: poolRows(device),
    boards: facts.boards.map((board) => boardRow(model, board)),
    refTime: new Date(device.nowS() * 1_000).toISOString().slice(0, 19).replace('T', ' '),
  };
}

function boardRow(model: IceriverModel, board: IceriverFacts['boards'][number]): object {
  const chips = Array.from({ length: model.chipsPerBoard }, (_, index) => index + 1);
  return {
    no: board.slot + 1,
    chipnum: model.chipsPerBoard,
    chipsuc: 0,
    error: 0,
    freq: model.frequencyMhz,
    rtpow: `${board.ghs.toFixed(2)}G`,
    avgpow: `${board.ghs.toFixed(2)}G`,
    idealpow: `${board.idealGhs.toFixed(2)}G`,
    tempnum: '(null)',
    pcbtemp: '0.00-0.00-0.00-0.00',
    intmp: board.inC,
    outtmp: board.outC,
    state: !board.isDead,
    false: model.callsChipsBad ? chips : '',
  };
}

function poolRows(device: SimDevice): object[] {
  const { accepted, rejected, difficulty } = device.shares();
  const isAlive = !device.faults.has('pool-dead');
  return [0, 1, 2].map((place) => {
    const pool = device.settings.pools[place];
    const isFirst = place === 0;
    return {
      no: place + 1,
      addr: pool?.url ?? '',
      user: pool?.user ?? '',
      pass: pool?.pass ?? '',
      connect: isFirst && isAlive,
      diff: isFirst ? `${((difficulty * 2 ** 32) / 1e9).toFixed(2)} G` : '0.00 G',
      priority: place + 1,
      accepted: isFirst ? accepted : 0,
      rejected: isFirst ? rejected : 0,
      diffa: 0,
      diffr: 0,
      state: isFirst && isAlive ? 1 : 0,
      lsdiff: 0,
      lstime: '00:00:00',
    };
  });
}

const machine = (device: SimDevice) => ({
  pools: poolRows(device),
  ratio: 60,
  mode: device.settings.mode === 'sleep' ? 2 : 1,
});
