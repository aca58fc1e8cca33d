// What GraphQL of Braiins OS is asked and told. The names of fields that a version does not know spoil the whole query:
// what is new stands alone.

export const QUERIES = {
  system: `query system { bos { hostname faultLight info { version { full } } uptime { durationS } }
    bosminer { info { workSolver { realHashrate { mhs5S } nominalMhs } fans { name rpm speed } summary { power { approxConsumptionW limitW } } } } }`,
  boards: `query boards { bosminer { info { workSolver { childSolvers { name realHashrate { mhs5S } nominalMhs
    hwDetails { chips frequencyMhz } temperatures { name degreesC } } } } } }`,
  serials: 'query serials { bosminer { info { workSolver { childSolvers { name hwDetails { hbSerialNumber } } } } } }',
  voltages: 'query voltages { bosminer { info { workSolver { childSolvers { name hwDetails { voltageV } } } } } }',
  pools: `query pools { bosminer { info { poolGroups { name pools { url user status active
    shares { acceptedSolutions rejectedSolutions } } } } } }`,
  tuning: `query tuning { bosminer { config { ... on BosminerConfig { autotuning { mode powerTarget hashrateTarget } } } } }`,
  events: 'query events { events { appeals { id kind message timestamp } } }',
  model: 'query model { bosminer { info { modelName } } }',
  log: 'query ($target: LogTarget!) { bos { log(target: $target) } }',
} as const;

export type Mutation = {
  /** The object whose type tells how it went. */
  readonly at: readonly string[];
  readonly query: string;
  /** Words that say that it was so before: no refusal. */
  readonly already?: RegExp;
};

export const MUTATIONS = {
  reboot: { at: ['bos', 'reboot'], query: 'mutation { bos { reboot { __typename } } }' },
  light: {
    at: ['bos', 'setFaultLight'],
    query: 'mutation ($enable: Boolean!) { bos { setFaultLight(enable: $enable) { enabled } } }',
  },
  start: {
    at: ['bosminer', 'start'],
    query: 'mutation { bosminer { start { __typename ... on BosminerError { message } } } }',
    already: /already|is running/i,
  },
  stop: {
    at: ['bosminer', 'stop'],
    query: 'mutation { bosminer { stop { __typename ... on BosminerError { message } } } }',
    already: /not running|already|stopped/i,
  },
  restart: {
    at: ['bosminer', 'restart'],
    query: 'mutation { bosminer { restart { __typename ... on BosminerError { message } } } }',
  },
  groups: {
    at: ['bosminer', 'config', 'updateGroups'],
    query: `mutation ($groups: [Group!]!) { bosminer { config { updateGroups(groups: $groups) {
  __typename ... on GroupListError { message } } } } }`,
  },
  /** `$input` is replaced. */
  tuning: {
    at: ['bosminer', 'config', 'updateAutotuning'],
    query: `mutation { bosminer { config { updateAutotuning(input: { $input },
    apply: true) { __typename ... on AutotuningOut { autotuning { powerTarget } } } } } }`,
  },
} satisfies Readonly<Record<string, Mutation>>;

export const LOGIN =
  'mutation ($username: String!, $password: String!) { auth { login(username: $username, password: $password) { __typename } } }';
