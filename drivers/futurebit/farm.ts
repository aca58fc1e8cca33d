// FutureBit Apollos as variants of the farm: a page that sends everybody on, and GraphQL on port 5000 behind a token.
// Atlas section 23.
import { json, NOT_FOUND } from '../_farm/bitmain/pages.ts';
import type { SimDevice, SimulatedDevices, Variant } from '../_farm/device.ts';
import { rollText, round } from '../_farm/noise.ts';
import type { ModelSpec } from '../_farm/physics.ts';
import { answerGraphql, fail, type Node } from '../_farm/servers/graphql.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import type { Truth } from '../_farm/truth.ts';
import { whoIs } from '../_farm/truth-parts.ts';

type ApolloModel = ModelSpec & {
  readonly statVersion: string;
  readonly firmware: string;
  /** Says whether it runs in words, not as a boolean. */
  readonly hasWords: boolean;
};

const shared = { make: 'FutureBit', boards: 1, chipsPerBoard: 44, fans: 1, chipC: 72, shareDifficulty: 4_096 } as const;
const MODELS: readonly ApolloModel[] = [
  {
    ...shared,
    model: 'Apollo2',
    reportedAs: 'v2',
    frequencyMhz: 300,
    hashrateHs: 9.2e12,
    powerW: 370,
    fanRpm: 2_600,
    statVersion: '1.2',
    firmware: '2.0.4-alpha',
    hasWords: true,
  },
  {
    ...shared,
    model: 'Apollo1',
    reportedAs: 'v1',
    frequencyMhz: 300,
    hashrateHs: 2.8e12,
    powerW: 190,
    fanRpm: 3_100,
    statVersion: '1.2',
    firmware: '1.0.3',
    hasWords: false,
  },
];

const FUTUREBIT_VARIANTS: readonly Variant[] = MODELS.map((model) => ({
  family: 'futurebit',
  driver: 'futurebit',
  spec: model,
  hostname: 'futurebit-apollo',
  login: { user: 'futurebit', password: 'futurebit123' },
  servers: (device) => [webServer(device), graphqlServer(device, model)],
  truth: (device) => truth(device, model),
}));

export const simulated: SimulatedDevices = { shares: { futurebit: 2 }, usual: FUTUREBIT_VARIANTS };

const webServer = (device: SimDevice): SimServer =>
  device.site.web.server(device, device.site.port(80), ({ path }) =>
    path === '/overview'
      ? { status: 200, body: '<!doctype html><html><head><title>Apollo</title></head><body></body></html>\n' }
      : { status: 308, headers: { Location: '/overview' }, body: '' },
  );

function graphqlServer(device: SimDevice, model: ApolloModel): SimServer {
  // The key is made anew when the computer starts; a restart of the miner leaves it.
  const tokenNow = () =>
    `${rollText('0123456789abcdef', 24, device.site.seed, device.index, 600 + device.endedSessions)}.sig`;
  return device.site.web.server(device, device.site.port(5000), (request) => {
    if (request.path !== '/api/graphql') return NOT_FOUND;
    const query = new URLSearchParams(request.url.split('?')[1] ?? '').get('query');
    const isForeignForm = request.method === 'GET' && request.header('content-type') !== 'application/json';
    if (request.method === 'GET' && (query === null || isForeignForm)) return { status: 400, body: 'Bad Request' };
    const token = tokenNow();
    const isKnown = request.authorization === `Bearer ${token}`;
    const body = request.method === 'GET' ? JSON.stringify({ query }) : request.body;
    return json(answerGraphql(body, roots(device, model, isKnown ? token : undefined, token)));
  });
}

const nothing = { result: null, error: null };

function roots(device: SimDevice, model: ApolloModel, known: string | undefined, token: string) {
  const login: Node = (args) => {
    const input = typeof args.input === 'object' && args.input !== null ? args.input : {};
    return 'password' in input && input.password === device.login?.password
      ? { result: { accessToken: token }, error: null }
      : { result: { accessToken: null }, error: { message: 'Incorrect password' } };
  };
  const guarded = (node: () => Node): Node =>
    known === undefined ? () => fail('Unauthenticated: jwt expired') : node();
  return {
    query: {
      Auth: { login, status: { result: { status: 'done' }, error: null } },
      Miner: guarded(() => ({
        stats: answer({ stats: [unit(device, model)] }),
        online: answer({ online: status(device, model) }),
      })),
      Mcu: guarded(() => ({ stats: answer({ stats: host(device) }) })),
    },
    mutation: { Miner: guarded(() => orders(device)) },
  } satisfies { query: Node; mutation: Node };
}

const answer = (result: Node): Node => ({ result, error: null });

/** Off is what `stop` leaves behind; a fault shows as a word where there are words. */
function state(device: SimDevice): 'online' | 'offline' | 'pending' | 'error' {
  if (device.settings.mode === 'sleep') return 'offline';
  if (device.faults.has('vendor-error')) return 'error';
  return device.body().isHashing ? 'online' : 'pending';
}

const status = (device: SimDevice, model: ApolloModel): Node => ({
  status: model.hasWords ? state(device) : state(device) !== 'offline',
  timestamp: '2026-01-02T03:04:05Z',
});

const uid = (device: SimDevice) => rollText('0123456789', 24, device.site.seed, device.index, 601);

function facts(device: SimDevice) {
  const body = device.body();
  const [board] = body.boards;
  return {
    ghs: round((board?.hashrateHs ?? 0) / 1e9, 3),
    tempC: board?.isDead ? 0 : (board?.chipMaxC ?? 0),
    chips: board?.isDead ? 0 : device.spec.chipsPerBoard,
    rpm: body.fansRpm[0] ?? 0,
    powerW: body.powerW,
  };
}

function unit(device: SimDevice, model: ApolloModel): Node {
  const { ghs, tempC, chips, rpm, powerW } = facts(device);
  const { accepted, rejected } = device.shares();
  const [pool] = device.settings.pools;
  const [, poolHost = '', port = '0'] = /^[a-z+]+:\/\/([^:/]+):(\d+)/.exec(pool?.url ?? '') ?? [];
  // The intervals remember what was, also after a stop.
  const old = device.spec.hashrateHs / 1e9;
  return {
    version: model.reportedAs,
    statVersion: model.statVersion,
    versions: { miner: model.firmware },
    master: {
      upTime: device.uptimeS(),
      boardsW: powerW,
      hwAddr: '0x00',
      intervals: {
        int_0: { bySol: old, errors: 0 },
        int_30: { bySol: old, byDiff: old },
        int_900: { interval: Math.min(900, Math.floor(device.uptimeS())), bySol: old },
      },
    },
    slots: { int_0: { chips, pwrOn: ghs > 0 ? 1 : 0, temperature: tempC, temperature1: 0, ghs } },
    slaves: [{ uid: uid(device) }],
    fans: { int_0: { rpm: [rpm] } },
    pool: {
      host: poolHost,
      port: Number(port),
      userName: pool?.user ?? '',
      diff: device.shares().difficulty,
      intervals: {
        int_0: {
          sharesAccepted: accepted,
          sharesRejected: rejected,
          inService: device.faults.has('pool-dead') ? 0 : 1,
        },
      },
    },
  };
}

const host = (device: SimDevice): Node => ({
  hostname: device.settings.hostname,
  network: [
    { name: 'miner', address: '', mac: '00:00:00:00:00:00' },
    { name: 'eth0', address: device.ip, mac: device.mac.toLowerCase() },
    { name: 'wlan0', address: '', mac: '02:ff:ff:00:00:01' },
  ],
});

function orders(device: SimDevice): Node {
  const order =
    (run: () => void): Node =>
    () => {
      if (device.faults.has('write-api-off')) return { ...nothing, error: { message: 'Operation not permitted' } };
      run();
      return nothing;
    };
  const unlessDeaf = (run: () => void) => () => (device.faults.has('ignores-writes') ? undefined : run());
  return {
    restart: order(() => {
      if (device.faults.has('ignores-reboot')) return;
      device.reboots++;
      device.restart();
    }),
    stop: order(unlessDeaf(() => device.setMode('sleep'))),
    start: order(
      unlessDeaf(() => {
        device.setMode('normal');
        device.restart();
      }),
    ),
  };
}

function truth(device: SimDevice, model: ApolloModel): Truth {
  const { ghs, tempC, chips, rpm, powerW } = facts(device);
  const [pool] = device.settings.pools;
  return {
    ...whoIs(device, model),
    serial_number: uid(device),
    firmware_version: model.firmware,
    hostname: device.settings.hostname,
    is_mining: ghs > 0,
    // A fault is no mode.
    mining_mode: model.hasWords && state(device) === 'error' ? null : device.settings.mode,
    hashrate: ghs * 1e9,
    expected_hashrate: null,
    power: powerW,
    temp: tempC === 0 ? null : tempC,
    uptime: device.uptimeS(),
    hashboards: [{ serial_number: uid(device), hashrate: ghs * 1e9, chips, chip_frequency: null }],
    fans: [{ index: 0, rpm }],
    pools: pool
      ? [
          {
            url: pool.url,
            worker_id: pool.user,
            difficulty_accepted: null,
            difficulty_rejected: null,
            difficulty_stale: null,
          },
        ]
      : [],
    psus: [],
    errors: model.hasWords && state(device) === 'error' ? [{ code: 'status:error' }] : [],
    light_on: null,
  };
}
