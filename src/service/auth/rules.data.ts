// The one authorisation table: which permission a route needs and what it is about. A route without a row here cannot be served.

export const PERMISSIONS = ['miners.read', 'agents.read', 'tasks.read', 'tasks.create', 'grants.read'] as const;
export type Permission = (typeof PERMISSIONS)[number];

export type Rule =
  /** Anybody may ask; it says nothing about any tenant. */
  | { readonly access: 'open' }
  /** A one-time code in the body decides. */
  | { readonly access: 'enrolment-code' }
  /** A key, for its own workspace. */
  | { readonly access: 'key'; readonly permission: Permission; readonly scope: 'own' }
  /** A key, for the workspace in the path: its own or one that a grant opens. */
  | { readonly access: 'key'; readonly permission: Permission; readonly scope: 'workspace' }
  /** ... and the farm in the path. `unknownFarm`: what a farm that does not exist or is foreign answers. */
  | {
      readonly access: 'key';
      readonly permission: Permission;
      readonly scope: 'farm';
      readonly unknownFarm: 'denied' | 'not-found';
    };

const V1_WORKSPACE = '/private-api/v1/:workspace_id';
const V1_FARM = `${V1_WORKSPACE}/farms/:farm_id`;

export const RULES: Readonly<Record<string, Rule>> = {
  'GET /healthz': { access: 'open' },
  'GET /readyz': { access: 'open' },
  'GET /openapi.json': { access: 'open' },
  'POST /agent/v1/enrol': { access: 'enrolment-code' },
  [`GET ${V1_FARM}/miner/latest`]: { access: 'key', permission: 'miners.read', scope: 'farm', unknownFarm: 'denied' },
  [`POST ${V1_FARM}/tasks/batches`]: {
    access: 'key',
    permission: 'tasks.create',
    scope: 'farm',
    unknownFarm: 'not-found',
  },
  [`GET ${V1_FARM}/tasks/batches`]: { access: 'key', permission: 'tasks.read', scope: 'farm', unknownFarm: 'denied' },
  [`POST ${V1_FARM}/tasks/search`]: { access: 'key', permission: 'tasks.read', scope: 'farm', unknownFarm: 'denied' },
  [`POST ${V1_WORKSPACE}/agents/search`]: { access: 'key', permission: 'agents.read', scope: 'workspace' },
  'GET /private-api/v1/me/grants': { access: 'key', permission: 'grants.read', scope: 'own' },
};
