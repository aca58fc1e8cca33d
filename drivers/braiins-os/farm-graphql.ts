// GraphQL of Braiins OS (port 80): reads without login, changes with a cookie. Atlas section 6.1.
import type { SimDevice } from '../_farm/device.ts';
import { rollText } from '../_farm/noise.ts';
import { isRecord } from '../_farm/servers/cgminer-api.ts';
import { type Arguments, answerGraphql, fail, type Node } from '../_farm/servers/graphql.ts';
import type { WebReply, WebRequest } from '../_farm/servers/web.ts';
import type { BraiinsModel } from './farm.data.ts';
import { type BraiinsFacts, braiinsFacts, fanPlaces, isStopped } from './farm-facts.ts';
import type { Page } from './farm-rest.ts';
import { opens } from './farm-sessions.ts';

const json = (value: object, headers?: Readonly<Record<string, string>>): WebReply => ({
  status: 200,
  type: 'application/json',
  body: JSON.stringify(value),
  ...(headers && { headers }),
});

const VOID = { __typename: 'VoidResult', void: null } as const;

/**
 * Undefined = not a path of these. A device that has gone on to REST still says its names here: other clients rely on
 * it.
 */
export function braiinsGraphql(device: SimDevice, model: BraiinsModel): Page {
  const isOld = model.generation !== 'rest';
  let session: string | undefined;
  let ended = device.endedSessions;
  let made = 0;
  const newId = () => rollText('0123456789abcdef', 32, device.site.seed, device.index, 700 + ++made);

  const graphql = (request: WebRequest): WebReply => {
    if (ended !== device.endedSessions) session = undefined;
    ended = device.endedSessions;
    const isIn = session !== undefined && (request.cookie?.includes(`session_id=${session}`) ?? false);
    const effects: { cookie?: string; after?: () => void } = {};
    const mutation: Node = {
      auth: {
        login({ username, password }) {
          if (!opens(device, username, password))
            return { __typename: 'AuthError', message: 'Invalid username or password' };
          session = newId();
          effects.cookie = session;
          return VOID;
        },
      },
      ...(isOld &&
        orders(device, model, (run) => {
          if (!isIn) return fail('Unauthorized: log in first');
          if (device.faults.has('write-api-off')) return fail('Permission denied');
          return run((after) => {
            effects.after = after;
            session = undefined;
          });
        })),
    };
    const body = answerGraphql(request.body, {
      query: isOld ? query(device, model, isIn) : names(device, model),
      mutation,
    });
    const headers = effects.cookie && { 'Set-Cookie': `session_id=${effects.cookie}; Path=/; HttpOnly` };
    return { ...json(body, headers || undefined), ...(effects.after && { after: effects.after }) };
  };

  return (request) => (request.method === 'POST' && request.path === '/graphql' ? graphql(request) : undefined);
}

function names(device: SimDevice, model: BraiinsModel): Node {
  return {
    bos: { hostname: device.settings.hostname, info: { version: { full: model.firmware } } },
    bosminer: { info: { modelName: model.reportedAs } },
  };
}

function query(device: SimDevice, model: BraiinsModel, isIn: boolean): Node {
  const facts = braiinsFacts(device, model);
  return {
    bos: {
      hostname: device.settings.hostname,
      faultLight: device.settings.isLightOn,
      info: { version: { full: model.firmware } },
      uptime: { durationS: device.systemUptimeS() },
      log: () => (isIn ? ['INFO bosminer: starting', 'INFO bosminer: mining'] : fail('Unauthorized: log in first')),
    },
    bosminer: {
      // Of a program that is stopped there is nothing but its configuration.
      info: isStopped(facts, model) ? null : infoOf(device, model, facts),
      config: {
        __typename: 'BosminerConfig',
        autotuning: { mode: 'POWER_TARGET', powerTarget: device.settings.powerLimitW, hashrateTarget: null },
        groups: [{ id: '0', strategy: { __typename: 'QuotaStrategy', quota: 1 } }],
      },
    },
    events: {
      appeals: facts.troubles.map(({ kind, message }, index) => ({
        id: String(index),
        kind,
        message,
        timestamp: new Date(device.nowS() * 1_000).toISOString(),
      })),
    },
  };
}

/** What the mining program tells of itself. */
function infoOf(device: SimDevice, model: BraiinsModel, facts: BraiinsFacts): Node {
  const hasSerials = model.sensors.length === 4;
  const [board, chip, inlet, outlet] = model.sensors;
  const alive = facts.boards.filter(({ isDead }) => !isDead);
  const mhs = (hs: number) => hs / 1e6;
  const counts = device.shares();
  const isAlive = !device.faults.has('pool-dead');
  return {
    modelName: model.reportedAs,
    workSolver: {
      realHashrate: { mhs5S: mhs(facts.hs), mhs1M: mhs(facts.hs), mhs15M: mhs(facts.hs) },
      nominalMhs: mhs(alive.reduce((sum, { nominalHs }) => sum + nominalHs, 0)),
      childSolvers: alive.map((one) => ({
        name: String(one.name),
        realHashrate: { mhs5S: mhs(one.hs) },
        nominalMhs: mhs(one.nominalHs),
        hwDetails: {
          chips: model.chipsPerBoard,
          frequencyMhz: model.frequencyMhz,
          voltageV: 12.9,
          ...(hasSerials && { hbSerialNumber: one.serial }),
        },
        temperatures: [
          { name: board, degreesC: one.boardC },
          { name: chip, degreesC: one.chipC },
          ...(inlet === undefined ? [] : [{ name: inlet, degreesC: one.inletC }]),
          ...(outlet === undefined ? [] : [{ name: outlet, degreesC: one.outletC }]),
        ],
      })),
    },
    fans: fanPlaces(facts).map((rpm, index) => ({ name: String(index), rpm, speed: 100 })),
    summary: { power: { approxConsumptionW: facts.powerW, limitW: device.settings.powerLimitW } },
    poolGroups: [
      {
        name: 'farm',
        pools: device.settings.pools.map(({ url, user }, index) => ({
          url,
          user,
          status: isAlive ? 'ALIVE' : 'DEAD',
          active: index === 0 && isAlive,
          shares: {
            acceptedSolutions: index === 0 ? counts.accepted : 0,
            rejectedSolutions: index === 0 ? counts.rejected : 0,
          },
        })),
      },
    ],
  };
}

type Guard = (run: (onSent: (after: () => void) => void) => Node) => Node;

function orders(device: SimDevice, model: BraiinsModel, guarded: Guard): { readonly [field: string]: Node } {
  const isDeaf = device.faults.has('ignores-writes');
  const unless = (isOff: boolean, run: () => void): Node => {
    if (!isOff) run();
    return VOID;
  };
  const wrong = (message: string): Node => ({ __typename: 'BosminerError', message });
  return {
    bos: {
      reboot: () =>
        guarded((onSent) => {
          onSent(() => device.reboot());
          return VOID;
        }),
      setFaultLight: ({ enable }: Arguments) =>
        guarded(() => {
          if (!isDeaf) device.settings.isLightOn = enable === true;
          return { enabled: enable === true };
        }),
    },
    bosminer: {
      stop: () =>
        guarded(() =>
          device.settings.mode === 'sleep'
            ? wrong('BOSminer is not running')
            : unless(isDeaf, () => device.setMode('sleep')),
        ),
      start: () =>
        guarded(() =>
          device.settings.mode !== 'sleep'
            ? wrong('BOSminer is already running')
            : unless(isDeaf, () => {
                device.setMode('normal');
                device.restart();
              }),
        ),
      restart: () => guarded(() => unless(isDeaf, () => device.restart())),
      config: {
        updateAutotuning: ({ input }: Arguments) =>
          guarded(() => {
            const watt = isRecord(input) ? input.powerTarget : undefined;
            if (typeof watt !== 'number' || watt < model.powerW * 0.3 || watt > model.powerW * 1.5) {
              return { __typename: 'AutotuningError', message: 'Target is out of range' };
            }
            if (!isDeaf) device.settings.powerLimitW = watt;
            return { __typename: 'AutotuningOut', autotuning: { mode: 'POWER_TARGET', powerTarget: watt } };
          }),
        updateGroups: ({ groups }: Arguments) =>
          guarded(() => {
            const [group]: unknown[] = Array.isArray(groups) ? groups : [];
            const pools: unknown[] = isRecord(group) && Array.isArray(group.pools) ? group.pools : [];
            const set = pools.flatMap((pool) =>
              isRecord(pool) && String(pool.url).startsWith('stratum')
                ? [{ url: String(pool.url), user: String(pool.user), pass: String(pool.password) }]
                : [],
            );
            if (set.length === 0 || set.length !== pools.length) {
              return { __typename: 'GroupListError', message: 'Invalid pool URL' };
            }
            if (!isDeaf) device.settings.pools = set;
            return { __typename: 'GroupList', groups: [{ id: '0' }] };
          }),
      },
    },
  };
}
