// Goldshell as variants of the farm: TCP 4028 for reading, and a web API with one seat for the rest. Atlas section 18.
import { createCipheriv } from 'node:crypto';
import { json, NOT_FOUND } from '../_farm/bitmain/pages.ts';
import type { PoolSetting, SimDevice, Variant } from '../_farm/device.ts';
import { rollText } from '../_farm/noise.ts';
import { parseObject } from '../_farm/servers/cgminer-api.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import type { WebReply, WebRequest } from '../_farm/servers/web.ts';
import { GOLDSHELL_MODELS, type GoldshellModel } from './farm.data.ts';
import { type GoldshellFacts, goldshellFacts, goldshellTruth, plansOf } from './farm-facts.ts';
import { goldshellTcpServer, KINDS } from './farm-tcp.ts';

export const GOLDSHELL_VARIANTS: readonly Variant[] = GOLDSHELL_MODELS.map((model) => ({
  family: 'goldshell',
  driver: 'goldshell',
  spec: model,
  login: { user: 'admin', password: '123456789' },
  servers: (device) => [webServer(device, model), goldshellTcpServer(device, model)],
  truth: (device) => goldshellTruth(device, model),
}));

const PAGE = '<!DOCTYPE html><html><head><title>cloud-box</title></head><body><div id="app"></div></body></html>\n';
const UNAUTHORIZED: WebReply = { status: 401, type: 'text/plain', body: 'Check Token Error' };
const MAX_POOLS = 3;

function webServer(device: SimDevice, model: GoldshellModel): SimServer {
  const web = loginOf(device, model.wantsSealed);
  return device.site.web.server(device, device.site.port(80), (request) => {
    const { path } = request;
    if (path === '/') return { status: 200, body: PAGE };
    const answer = web.answer(request);
    if (answer !== undefined) return answer;
    if (!path.startsWith('/mcb/')) return NOT_FOUND;
    const name = path.slice('/mcb/'.length);
    if (name === 'status' && request.method === 'GET') return json(status(model));
    if (!web.isLoggedIn(request)) return UNAUTHORIZED;
    return request.method === 'PUT' ? write(device, name, request) : look(device, model, name);
  });
}

/**
 * One seat: who logs in takes it, if it is free; a restart and a new password free it. `answer` is undefined for what
 * is no page of the login.
 */
export function loginOf(device: SimDevice, wantsSealed: boolean) {
  let logins = 0;
  let seat: { readonly token: string; readonly epoch: string } | undefined;
  const epoch = () => device.loginEpoch;
  const holder = () => (seat?.epoch === epoch() ? seat.token : undefined);

  const logIn = (query: URLSearchParams): WebReply => {
    const wanted = device.login ?? { user: '', password: '' };
    const isSealed = query.get('cipher') === 'true';
    if (wantsSealed && !isSealed) return { status: 200, type: 'text/plain', body: 'cipher error' };
    const password = isSealed ? sealed(wanted.password) : wanted.password;
    const isRight = query.get('username') === wanted.user && query.get('password') === password;
    if (!isRight) return { status: 401, type: 'text/plain', body: 'Username or password error' };
    if (holder() !== undefined) return json({ 'Login Error': 'another user is logged in' });
    logins++;
    const token = `eyJhbGciOiJSUzI1NiJ9.${rollText('abcdefghijklmnop0123456789', 48, device.site.seed, device.index, 500 + logins)}.sig`;
    seat = { token, epoch: epoch() };
    return json({ 'JWT Token': token });
  };

  return {
    answer({ path, url }: WebRequest): WebReply | undefined {
      if (path === '/user/login') return logIn(new URLSearchParams(url.split('?')[1] ?? ''));
      if (path !== '/user/logout') return undefined;
      seat = undefined;
      return { status: 200, type: 'text/plain', body: '' };
    },
    isLoggedIn({ authorization }: WebRequest): boolean {
      const token = holder();
      return token !== undefined && authorization === `Bearer ${token}`;
    },
  };
}

/** As the page of the newer builds does it: a key that everybody knows, no vector, filled up with zeros. */
function sealed(password: string): string {
  const padded = Buffer.alloc(Math.ceil(Buffer.byteLength(password) / 16) * 16);
  padded.write(password);
  const cipher = createCipheriv('aes-128-cbc', '!!!!!!!!!!!!!!!!', Buffer.alloc(16)).setAutoPadding(false);
  return cipher.update(padded).toString('hex') + cipher.final('hex');
}

const status = (model: GoldshellModel) => ({
  hardware: model.hardware,
  model: model.reportedAs,
  mcbversion: model.controlBoard,
  firmware: model.firmware,
});

function look(device: SimDevice, model: GoldshellModel, name: string): WebReply {
  const facts = goldshellFacts(device, model);
  switch (name) {
    case 'setting':
      return json(setting(device, model, facts));
    case 'pools':
      return json(poolRows(device));
    case 'cgminer':
      return json(webDevs(device, model, facts));
    case 'restart':
      // Only a PUT restarts it.
      return json({});
    default:
      return NOT_FOUND;
  }
}

function setting(device: SimDevice, model: GoldshellModel, facts: GoldshellFacts): object {
  const powerplans = plansOf(model);
  return {
    select: facts.level,
    tempcontrol: true,
    ledcontrol: device.settings.isLightOn,
    manualPowerplan: powerplans[0]?.info,
    name: `${model.isSloppy ? ' ' : ''}${device.mac}`,
    powerplans,
    manual: false,
    version: 'v1.0',
  };
}

const poolRows = (device: SimDevice) =>
  device.settings.pools.map(({ url, user, pass }, index) => ({
    legal: true,
    url,
    user,
    pass,
    dragid: index,
    active: index === 0 && !device.faults.has('pool-dead'),
    'pool-priority': index,
  }));

function webDevs(device: SimDevice, model: GoldshellModel, facts: GoldshellFacts): object {
  const rows = facts.boards.map((board) => ({
    id: board.slot,
    valid: 20,
    hashrate: board.mhs,
    av_hashrate: board.averageMhs,
    temp: `${board.boardC.toFixed(1)} °C`,
    fanspeed: facts.fans.map((rpm) => `${rpm} rpm`).join(' / '),
    time: device.uptimeS(),
    accepted: 0,
    rejected: 0,
    hwerrors: board.hw,
    ...(model.isDouble && { power: device.body().powerW }),
    minerstatus: 0,
  }));
  if (!model.isDouble) return { status: 2, data: rows };
  return { status: 2, minfos: rows.map((row, index) => ({ name: KINDS[index], infos: [row] })) };
}

function write(device: SimDevice, name: string, request: WebRequest): WebReply {
  if (device.faults.has('write-api-off')) return { status: 403, type: 'text/plain', body: 'Forbidden' };
  if (name === 'restart') return json({}, () => device.reboot());
  const body = parseObject(request.body);
  if (body === undefined) return { status: 400, type: 'text/plain', body: 'bad request' };
  const isDeaf = device.faults.has('ignores-writes');
  switch (name) {
    case 'setting':
      if (!('powerplans' in body) || !('name' in body)) return { status: 400, type: 'text/plain', body: 'bad request' };
      if (!isDeaf) applySetting(device, body);
      return json({});
    case 'newpool':
      if (!isDeaf && !/^stratum\+/.test(String(body.url)))
        return { status: 500, type: 'text/plain', body: 'invalid url' };
      if (!isDeaf && device.settings.pools.length >= MAX_POOLS)
        return { status: 500, type: 'text/plain', body: 'too many pools' };
      if (!isDeaf) device.settings.pools = [...device.settings.pools, poolOf(body)];
      return json(poolRows(device));
    case 'delpool':
      if (!isDeaf) {
        device.settings.pools = device.settings.pools.filter(({ url, user }) => url !== body.url || user !== body.user);
      }
      return json(poolRows(device));
    default:
      return NOT_FOUND;
  }
}

const poolOf = (body: Readonly<Record<string, unknown>>): PoolSetting => ({
  url: String(body.url),
  user: String(body.user),
  pass: String(body.pass),
});

function applySetting(device: SimDevice, body: Readonly<Record<string, unknown>>): void {
  device.settings.isLightOn = body.ledcontrol === true;
  const mode = body.select === 3 ? 'sleep' : body.select === 1 ? 'low' : 'normal';
  if (mode !== device.settings.mode) device.setMode(mode);
}
