// The gRPC face of Braiins OS (port 50051, `braiins.bos.v1`): what REST tells and does, as calls. The token of the
// login comes in the `authorization` header. Atlas section 6.
import type { SimDevice } from '../_farm/device.ts';
import { isRecord } from '../_farm/servers/cgminer-api.ts';
import { type GrpcCall, type GrpcMethod, type GrpcReply, grpcServer, no } from '../_farm/servers/grpc.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import type { Message, Values } from '../_farm/servers/protobuf.ts';
import type { BraiinsModel } from './farm.data.ts';
import { cooling, details, errors, hashboard, network, poolGroup, stats, tuner, tunerState } from './farm-bodies.ts';
import { braiinsFacts } from './farm-facts.ts';
import * as of from './farm-messages.data.ts';
import { poolsOf, powerLimits, powerTargetProblem, wake } from './farm-orders.ts';
import { type BraiinsSessions, TOKEN_LIFE_S } from './farm-sessions.ts';

const PACKAGE = 'braiins.bos.v1';

export function braiinsGrpcServer(
  device: SimDevice,
  model: BraiinsModel,
  sessions: BraiinsSessions,
  minor: number,
): SimServer {
  const isLetIn = ({ authorization }: GrpcCall) => sessions.isLetIn(authorization);
  const read = (gives: Message, tell: () => Values): GrpcMethod => ({
    takes: of.EMPTY,
    gives,
    answer: (call) => (isLetIn(call) ? { message: tell() } : LOG_IN),
  });
  const order = (takes: Message, gives: Message, act: (asked: Values, isDeaf: boolean) => GrpcReply): GrpcMethod => ({
    takes,
    gives,
    answer(call) {
      if (!isLetIn(call)) return LOG_IN;
      if (device.faults.has('write-api-off')) return no('permission-denied', 'The API is read-only');
      return act(call.message, device.faults.has('ignores-writes'));
    },
  });
  const methods = {
    ...reads(device, model, read),
    ...actions(device, order, sessions),
    ...settings(device, model, order),
    [`${PACKAGE}.AuthenticationService/Login`]: {
      takes: of.LOGIN,
      gives: of.LOGGED_IN,
      answer({ message }: GrpcCall): GrpcReply {
        const token = sessions.login(message);
        if (token === undefined) return no('unauthenticated', 'Invalid username or password');
        return { message: { token, timeout_s: TOKEN_LIFE_S }, headers: { authorization: token } };
      },
    },
    'braiins.bos.ApiVersionService/GetApiVersion': {
      takes: of.EMPTY,
      gives: of.API_VERSION,
      answer: (): GrpcReply => ({ message: { major: 1, minor, patch: 0 } }),
    },
  };
  return grpcServer(device, device.site.port(50_051), methods);
}

const LOG_IN = no('unauthenticated', 'Missing or expired token');

type Methods = Readonly<Record<string, GrpcMethod>>;

function reads(
  device: SimDevice,
  model: BraiinsModel,
  read: (gives: Message, tell: () => Values) => GrpcMethod,
): Methods {
  const facts = () => braiinsFacts(device, model);
  return {
    [`${PACKAGE}.MinerService/GetMinerDetails`]: read(of.DETAILS, () => details(device, model, facts())),
    [`${PACKAGE}.MinerService/GetMinerStats`]: read(of.STATS, () => stats(device, facts())),
    [`${PACKAGE}.MinerService/GetHashboards`]: read(of.HASHBOARDS, () => ({
      hashboards: facts().boards.map((board) => hashboard(model, board)),
    })),
    [`${PACKAGE}.MinerService/GetErrors`]: read(of.ERRORS, () => ({ errors: errors(device, facts()) })),
    [`${PACKAGE}.CoolingService/GetCoolingState`]: read(of.COOLING, () => cooling(facts())),
    [`${PACKAGE}.NetworkService/GetNetworkInfo`]: read(of.NETWORK, () => network(device)),
    [`${PACKAGE}.ActionsService/GetLocateDeviceStatus`]: read(of.LOCATE, () => ({
      enabled: device.settings.isLightOn,
    })),
    [`${PACKAGE}.PerformanceService/GetTunerState`]: read(of.TUNER_STATE, () => {
      const { mode_state, ...state } = tunerState(device, model);
      return { ...state, ...mode_state };
    }),
    [`${PACKAGE}.PerformanceService/GetActivePerformanceMode`]: read(of.PERFORMANCE_MODE, () =>
      performanceMode(device, model),
    ),
    [`${PACKAGE}.PoolService/GetPoolGroups`]: read(of.POOL_GROUPS, () => {
      const { strategy, ...group } = poolGroup(device);
      return { pool_groups: [{ ...group, ...strategy }] };
    }),
    [`${PACKAGE}.ConfigurationService/GetMinerConfiguration`]: read(of.CONFIGURATION, () => ({
      pool_groups: [configuredGroup(device.settings.pools)],
      tuner: tuner(device, model),
    })),
    [`${PACKAGE}.ConfigurationService/GetConstraints`]: read(of.CONSTRAINTS, () => ({
      tuner_constraints: {
        power_target: powerLimits(model),
        enabled: { default: true },
        default_mode: 1,
      },
    })),
  };
}

function performanceMode(device: SimDevice, model: BraiinsModel): Values {
  if (model.isTuned) return { tuner_mode: { power_target: { power_target: { watt: device.settings.powerLimitW } } } };
  return { manual_mode: { global_frequency: { hertz: model.frequencyMhz * 1e6 }, global_voltage: { volt: 12.9 } } };
}

const configuredGroup = (pools: SimDevice['settings']['pools']): Values => ({
  uid: 'group0',
  name: 'farm',
  quota: { value: 1 },
  pools: pools.map(({ url, user, pass }, index) => ({
    uid: `pool${index}`,
    url,
    user,
    password: pass === '' ? undefined : pass,
    enabled: true,
  })),
});

type Order = (takes: Message, gives: Message, act: (asked: Values, isDeaf: boolean) => GrpcReply) => GrpcMethod;

function actions(device: SimDevice, order: Order, sessions: BraiinsSessions): Methods {
  const isAsleep = () => device.settings.mode === 'sleep';
  /** Each says whether there was nothing to do. */
  const doing = (gives: Message, name: string, isDone: () => boolean, run: () => void) =>
    order(of.EMPTY, gives, (_, isDeaf) => {
      const message = { [name]: isDone() };
      if (!isDeaf) run();
      return { message };
    });
  const sleep = () => device.setMode('sleep');
  return {
    [`${PACKAGE}.ActionsService/Start`]: doing(
      of.ALREADY_RUNNING,
      'already_running',
      () => !isAsleep(),
      () => wake(device),
    ),
    [`${PACKAGE}.ActionsService/Stop`]: doing(of.ALREADY_STOPPED, 'already_stopped', isAsleep, sleep),
    [`${PACKAGE}.ActionsService/PauseMining`]: doing(of.ALREADY_PAUSED, 'already_paused', isAsleep, sleep),
    [`${PACKAGE}.ActionsService/ResumeMining`]: doing(
      of.ALREADY_MINING,
      'already_mining',
      () => !isAsleep(),
      () => wake(device),
    ),
    [`${PACKAGE}.ActionsService/Restart`]: doing(
      of.ALREADY_RUNNING,
      'already_running',
      () => !isAsleep(),
      () => device.restart(),
    ),
    [`${PACKAGE}.ActionsService/Reboot`]: order(of.EMPTY, of.EMPTY, () => {
      sessions.forget();
      return { message: {}, after: () => device.reboot() };
    }),
    [`${PACKAGE}.ActionsService/SetLocateDeviceStatus`]: order(of.SET_LOCATE, of.LOCATE, ({ enable }, isDeaf) => {
      if (!isDeaf) device.settings.isLightOn = enable === true;
      return { message: { enabled: enable === true } };
    }),
  };
}

function settings(device: SimDevice, model: BraiinsModel, order: Order): Methods {
  const aim = (watt: number | undefined, isDeaf: boolean, message: Values): GrpcReply => {
    const problem = powerTargetProblem(model, watt);
    if (problem !== undefined)
      return no(problem.why === 'range' ? 'invalid-argument' : 'failed-precondition', problem.says);
    if (!isDeaf && watt !== undefined) device.settings.powerLimitW = watt;
    return { message };
  };
  const power = (takes: Message, target: (asked: Values) => number | undefined) =>
    order(takes, of.POWER_SET, (asked, isDeaf) => {
      const watt = target(asked);
      return aim(watt, isDeaf, { power_target: { watt } });
    });
  const change = (sign: 1 | -1) =>
    power(of.CHANGE_POWER, ({ by }) => device.settings.powerLimitW + sign * (numberAt(by, 'watt') ?? 0));
  const noHashrate = (takes: Message) =>
    order(takes, of.HASHRATE_SET, () => no('invalid-argument', 'Hashrate target is out of range'));
  return {
    [`${PACKAGE}.PerformanceService/SetPowerTarget`]: power(of.SET_POWER, ({ power_target }) =>
      numberAt(power_target, 'watt'),
    ),
    [`${PACKAGE}.PerformanceService/SetDefaultPowerTarget`]: power(of.SAVE, () => powerLimits(model).default.watt),
    [`${PACKAGE}.PerformanceService/IncrementPowerTarget`]: change(1),
    [`${PACKAGE}.PerformanceService/DecrementPowerTarget`]: change(-1),
    [`${PACKAGE}.PerformanceService/SetHashrateTarget`]: noHashrate(of.SET_HASHRATE),
    [`${PACKAGE}.PerformanceService/SetPerformanceMode`]: order(
      of.SET_PERFORMANCE_MODE,
      of.PERFORMANCE_MODE,
      ({ mode }, isDeaf) => {
        const watt = numberAt(mode, 'tuner_mode', 'power_target', 'power_target', 'watt');
        if (watt === undefined) return no('invalid-argument', 'Only a power target can be set');
        return aim(watt, isDeaf, { tuner_mode: { power_target: { power_target: { watt } } } });
      },
    ),
    [`${PACKAGE}.PoolService/SetPoolGroups`]: order(
      of.SET_POOL_GROUPS,
      of.POOL_GROUPS_SET,
      ({ pool_groups }, isDeaf) => {
        const pools = poolsOf(Array.isArray(pool_groups) ? pool_groups : []);
        if (pools === undefined) return no('invalid-argument', 'Invalid pool groups');
        if (!isDeaf) device.settings.pools = pools;
        return { message: { pool_groups: [configuredGroup(pools)] } };
      },
    ),
  };
}

function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  let found = value;
  for (const name of path) found = isRecord(found) ? found[name] : undefined;
  return typeof found === 'number' ? found : undefined;
}
