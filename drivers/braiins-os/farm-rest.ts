// The REST API of Braiins OS (port 80, /api/v1): a bare token that dies after an hour without use, quantities wrapped
// in their units. Atlas section 6.3.
import type { SimDevice } from '../_farm/device.ts';
import { parseObject } from '../_farm/servers/cgminer-api.ts';
import type { WebReply, WebRequest } from '../_farm/servers/web.ts';
import type { BraiinsModel } from './farm.data.ts';
import { cooling, details, errors, hashboard, network, poolGroup, stats, tuner, tunerState } from './farm-bodies.ts';
import { braiinsFacts } from './farm-facts.ts';
import { poolsOf, powerTargetProblem, wake } from './farm-orders.ts';
import { type BraiinsSessions, TOKEN_LIFE_S } from './farm-sessions.ts';

export type Page = (request: WebRequest) => WebReply | undefined;

const ROOT = '/api/v1/';

const json = (value: unknown): WebReply => ({ status: 200, type: 'application/json', body: JSON.stringify(value) });
const no = (status: number, message: string): WebReply => ({ ...json({ message }), status });
const DONE: WebReply = { status: 204, body: '' };

/** Undefined = not a path of this API. */
export function braiinsRest(device: SimDevice, model: BraiinsModel, sessions: BraiinsSessions): Page {
  const login = (request: WebRequest): WebReply => {
    const token = sessions.login(parseObject(request.body) ?? {});
    if (token === undefined) return no(401, 'Invalid username or password');
    return json({ token, timeout_s: TOKEN_LIFE_S });
  };
  return (request) => {
    if (!request.path.startsWith(ROOT)) return undefined;
    const name = request.path.slice(ROOT.length).replace(/\/$/, '');
    if (request.method === 'POST' && name === 'auth/login') return login(request);
    if (request.method === 'GET' && name === 'version')
      return json({ major: 1, minor: model.hasLog ? 3 : 0, patch: 0 });
    if (!sessions.isLetIn(request.authorization)) return no(401, 'Missing or expired token');
    if (request.method === 'GET') return read(device, model, name) ?? no(404, 'Not found');
    if (device.faults.has('write-api-off')) return no(403, 'The API is read-only');
    if (request.method === 'PUT' && name === 'actions/reboot') {
      sessions.forget();
      return { ...DONE, after: () => device.reboot() };
    }
    if (device.faults.has('ignores-writes')) return DONE;
    return write(device, model, `${request.method} ${name}`, request) ?? no(404, 'Not found');
  };
}

function read(device: SimDevice, model: BraiinsModel, name: string): WebReply | undefined {
  const facts = braiinsFacts(device, model);
  switch (name) {
    case 'miner/details':
      return json(details(device, model, facts));
    case 'miner/stats':
      return json(stats(device, facts));
    case 'miner/hw/hashboards':
      return json({ hashboards: facts.boards.map((board) => hashboard(model, board)) });
    case 'cooling/state':
      return json(cooling(facts));
    case 'pools':
      return json([poolGroup(device)]);
    case 'configuration/miner':
      return json({ pool_groups: [], tuner: tuner(device, model) });
    case 'performance/tuner-state':
      return json(tunerState(device, model));
    case 'miner/errors':
      return json({ errors: errors(device, facts) });
    case 'actions/locate':
      return json(device.settings.isLightOn);
    case 'network':
      return json(network(device));
    case 'miner/log/bosminer':
      if (!model.hasLog) return undefined;
      return { status: 200, type: 'text/plain', body: `INFO bosminer: ${model.reportedAs}\nINFO bosminer: mining\n` };
    default:
      return undefined;
  }
}

function write(device: SimDevice, model: BraiinsModel, order: string, { body }: WebRequest): WebReply | undefined {
  switch (order) {
    case 'PUT actions/restart':
      device.restart();
      return DONE;
    case 'PUT actions/pause':
    case 'PUT actions/stop':
      device.setMode('sleep');
      return DONE;
    case 'PUT actions/resume':
    case 'PUT actions/start':
      wake(device);
      return DONE;
    case 'PUT actions/locate':
      if (body !== 'true' && body !== 'false') return no(400, 'expected a boolean');
      device.settings.isLightOn = body === 'true';
      return json(device.settings.isLightOn);
    case 'PUT auth/password': {
      const password = parseObject(body)?.password;
      if (typeof password !== 'string') return no(400, 'expected a password');
      // Who is logged in stays so.
      device.logins.change(password);
      return device.logins.losesReply ? { ...DONE, hangUp: true } : DONE;
    }
    case 'PUT performance/power-target': {
      const watt = parseObject(body)?.watt;
      const problem = powerTargetProblem(model, watt);
      if (problem !== undefined) return no(400, problem.says);
      device.settings.powerLimitW = Number(watt);
      return json({ watt });
    }
    case 'PUT performance/hashrate-target':
      return no(400, 'Hashrate target is out of range');
    case 'PUT pools/batch': {
      const pools = poolsOf(arrayOf(body));
      if (pools === undefined) return no(400, 'Invalid pool groups');
      device.settings.pools = pools;
      return json([poolGroup(device)]);
    }
    case 'POST upgrade/system-upgrade':
      if (!body.includes('filename=')) return no(400, 'No file in the request');
      return { ...DONE, after: () => device.reboot() };
    default:
      return undefined;
  }
}

function arrayOf(body: string): unknown[] {
  try {
    const value: unknown = JSON.parse(body);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
