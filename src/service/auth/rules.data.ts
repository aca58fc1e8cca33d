// The one authorisation table: which permission a route needs and what it is about. A route without a row here cannot
// be served.

import type { Permission } from '../../model/permissions/permissions.data.ts';

/**
 * What a rule needs: one permission, `any` of them (for what leads to everything else that the key may do), or
 * `any-task`: one that allows a task. Which task it is stands in the body, and the handler asks for its permission.
 */
export type Needed = Permission | 'any' | 'any-task';

/** The answer where the path names something that does not exist or that the caller may not use. Default: denied. */
type Unknown = 'denied' | 'not-found';

export type KeyRule = {
  readonly access: 'key';
  readonly permission: Needed;
  /**
   * `own` = the workspace of the key; else that in the path (own or granted), with `farm` also the farm in the path.
   */
  readonly scope: 'own' | 'workspace' | 'farm';
  /** No grant opens it: to others the workspace is unknown. */
  readonly isOwnOnly?: true;
  /** It shows what all workspaces do together: only keys of the operator's workspace may see that. */
  readonly isOperatorOnly?: true;
  readonly unknownWorkspace?: Unknown;
  readonly unknownFarm?: Unknown;
  /** It gives the farm something to do or changes it: an archived farm refuses that. */
  readonly isChange?: true;
};

export type OpenRule = {
  readonly access: 'open';
  /** Each address may ask so often. What is asked by those who watch the service is not counted. */
  readonly isCounted?: true;
  /** A part of a page, for browsers: the OpenAPI document does not list it. */
  readonly isPartOfPage?: true;
};

/** For people: a session is needed and no permission, and a key opens nothing. */
export type SessionRule = {
  readonly access: 'session';
  /** It works without a good one too. */
  readonly isOptional?: true;
};

/**
 * `open` = needs no key and shows nothing of any tenant; `enrolment-code` = a one-time code in the body decides;
 * `login` and `claim` = a name with a password or a one-time code in the body begins a session.
 */
export type Rule =
  | KeyRule
  | OpenRule
  | SessionRule
  | BodyRule<'enrolment-code'>
  | BodyRule<'login'>
  | BodyRule<'claim'>;

/** What is in the body decides. */
type BodyRule<Access extends string> = { readonly access: Access };

export const V1_WORKSPACE = '/private-api/v1/:workspace_id';
export const V1_FARM = `${V1_WORKSPACE}/farms/:farm_id`;
export const V2_WORKSPACE = '/public-api/v2/workspaces/:workspace_id';
export const V2_FARM = `${V2_WORKSPACE}/farms/:farm_id`;
/** A WebSocket. */
export const BOARD_STREAM = `${V2_FARM}/board/stream`;
export const V2_SESSION = '/public-api/v2/session';
export const V2_KEYS = `${V2_WORKSPACE}/keys`;
export const V2_PEOPLE = `${V2_WORKSPACE}/people`;

const v1Farm = (permission: Permission, unknownFarm: Unknown = 'denied'): KeyRule => ({
  access: 'key',
  permission,
  scope: 'farm',
  unknownFarm,
});

/** In v2 a workspace or farm that the caller may not use is not found. Spec decisions, "Authentication". */
const v2Farm = (permission: Permission | 'any-task'): KeyRule => ({
  access: 'key',
  permission,
  scope: 'farm',
  unknownFarm: 'not-found',
  unknownWorkspace: 'not-found',
});

/** For the people of a workspace itself: no grant opens its trail, or sends its events elsewhere. */
const v2OwnWorkspace = (permission: Permission): KeyRule => ({
  access: 'key',
  permission,
  scope: 'workspace',
  isOwnOnly: true,
  unknownWorkspace: 'not-found',
});

const changes = (rule: KeyRule): KeyRule => ({ ...rule, isChange: true });

export const RULES: Readonly<Record<string, Rule>> = {
  'GET /healthz': { access: 'open' },
  'GET /readyz': { access: 'open' },
  'GET /metrics': { access: 'key', permission: 'metrics.read', scope: 'own', isOperatorOnly: true },
  'GET /openapi.json': { access: 'open', isCounted: true },
  'GET /docs': { access: 'open', isCounted: true },
  'GET /docs/:file': { access: 'open', isCounted: true, isPartOfPage: true },
  'GET /': { access: 'open', isCounted: true, isPartOfPage: true },
  'GET /login': { access: 'open', isCounted: true, isPartOfPage: true },
  'GET /claim': { access: 'open', isCounted: true, isPartOfPage: true },
  'GET /trust': { access: 'open', isCounted: true, isPartOfPage: true },
  'GET /trust/farm.crt': { access: 'open', isCounted: true, isPartOfPage: true },
  'GET /f/*': { access: 'open', isCounted: true, isPartOfPage: true },
  'GET /page/:file': { access: 'open', isPartOfPage: true },
  'POST /agent/v1/enrol': { access: 'enrolment-code' },
  [`GET ${V1_FARM}/miner/latest`]: v1Farm('miners.read'),
  [`POST ${V1_FARM}/tasks/batches`]: changes(v1Farm('tasks.reboot', 'not-found')),
  [`GET ${V1_FARM}/tasks/batches`]: v1Farm('tasks.read'),
  [`POST ${V1_FARM}/tasks/search`]: v1Farm('tasks.read'),
  [`POST ${V1_WORKSPACE}/agents/search`]: { access: 'key', permission: 'agents.read', scope: 'workspace' },
  'GET /private-api/v1/me/grants': { access: 'key', permission: 'grants.read', scope: 'own' },
  'GET /public-api/v2/workspaces': { access: 'key', permission: 'any', scope: 'own' },
  [`GET ${V2_WORKSPACE}/farms`]: {
    access: 'key',
    permission: 'farms.read',
    scope: 'workspace',
    unknownWorkspace: 'not-found',
  },
  [`GET ${V2_WORKSPACE}/audit`]: v2OwnWorkspace('audit.read'),
  [`GET ${V2_FARM}/agents`]: v2Farm('agents.read'),
  [`GET ${V2_FARM}/miners`]: v2Farm('miners.read'),
  [`POST ${V2_FARM}/miners/search`]: v2Farm('miners.read'),
  [`GET ${V2_FARM}/board`]: v2Farm('miners.read'),
  [`GET ${BOARD_STREAM}`]: v2Farm('miners.read'),
  [`POST ${V2_FARM}/board/search`]: v2Farm('miners.read'),
  [`POST ${V2_FARM}/miners/export`]: v2Farm('miners.read'),
  [`POST ${V2_FARM}/miner-metrics/query`]: v2Farm('metrics.read'),
  [`GET ${V2_FARM}/task-batches`]: v2Farm('tasks.read'),
  [`POST ${V2_FARM}/task-batches`]: changes(v2Farm('any-task')),
  [`POST ${V2_FARM}/task-batches/search`]: v2Farm('tasks.read'),
  [`POST ${V2_FARM}/task-batches/:task_batch_id/confirm`]: changes(v2Farm('any-task')),
  [`POST ${V2_FARM}/task-batches/:task_batch_id/cancel`]: v2Farm('tasks.cancel'),
  [`GET ${V2_FARM}/task-batches/:task_batch_id`]: v2Farm('tasks.read'),
  [`GET ${V2_FARM}/task-batches/:task_batch_id/tasks`]: v2Farm('tasks.read'),
  [`GET ${V2_FARM}/scans/:task_id/addresses`]: v2Farm('tasks.read'),
  [`GET ${V2_FARM}/pool-sets`]: v2Farm('tasks.pools_saved'),
  [`GET ${V2_FARM}/pool-sets/:name`]: v2Farm('tasks.pools_saved'),
  [`PUT ${V2_FARM}/pool-sets/:name`]: changes(v2Farm('tasks.pools')),
  [`DELETE ${V2_FARM}/pool-sets/:name`]: changes(v2Farm('tasks.pools')),
  [`GET ${V2_FARM}/work`]: v2Farm('miners.read'),
  [`POST ${V2_FARM}/work/take`]: changes(v2Farm('miners.update')),
  [`POST ${V2_FARM}/work/release`]: changes(v2Farm('miners.update')),
  [`GET ${V2_FARM}/miners/:miner_id`]: v2Farm('miners.read'),
  [`GET ${V2_FARM}/miners/:miner_id/notes`]: v2Farm('miners.read'),
  [`POST ${V2_FARM}/miners/:miner_id/notes`]: changes(v2Farm('miners.update')),
  [`PATCH ${V2_FARM}/miners/:miner_id`]: changes(v2Farm('miners.update')),
  [`POST ${V2_FARM}/miners/:miner_id/same-chassis`]: changes(v2Farm('miners.update')),
  [`GET ${V2_FARM}/miner-positions`]: v2Farm('miners.read'),
  [`POST ${V2_FARM}/miner-positions`]: changes(v2Farm('miners.update')),
  [`GET ${V2_FARM}/locations`]: v2Farm('miners.read'),
  [`GET ${V2_FARM}/location-changes`]: v2Farm('miners.read'),
  [`POST ${V2_FARM}/location-changes`]: changes(v2Farm('miners.update')),
  [`POST ${V2_FARM}/location-changes/:location_change_id/undo`]: changes(v2Farm('miners.update')),
  [`GET ${V2_FARM}/racks`]: v2Farm('miners.read'),
  [`GET ${V2_FARM}/racks/:rack`]: v2Farm('miners.read'),
  [`PUT ${V2_FARM}/racks/:rack`]: changes(v2Farm('miners.update')),
  [`DELETE ${V2_FARM}/racks/:rack`]: changes(v2Farm('miners.update')),
  [`GET ${V2_FARM}/containers`]: v2Farm('miners.read'),
  [`PUT ${V2_FARM}/containers/:container`]: changes(v2Farm('miners.update')),
  [`DELETE ${V2_FARM}/containers/:container`]: changes(v2Farm('miners.update')),
  [`POST ${V2_FARM}/metrics/query`]: v2Farm('metrics.read'),
  [`GET ${V2_FARM}/changes`]: v2Farm('events.read'),
  [`POST ${V2_FARM}/miners/:miner_id/metrics/query`]: v2Farm('metrics.read'),
  [`GET ${V2_FARM}/events`]: v2Farm('events.read'),
  [`GET ${V2_FARM}/events/stream`]: v2Farm('events.read'),
  [`GET ${V2_WORKSPACE}/webhooks`]: v2OwnWorkspace('webhooks.update'),
  [`POST ${V2_WORKSPACE}/webhooks`]: v2OwnWorkspace('webhooks.update'),
  [`GET ${V2_WORKSPACE}/webhooks/:webhook_id`]: v2OwnWorkspace('webhooks.update'),
  [`PATCH ${V2_WORKSPACE}/webhooks/:webhook_id`]: v2OwnWorkspace('webhooks.update'),
  [`POST ${V2_WORKSPACE}/webhooks/:webhook_id/rotate`]: v2OwnWorkspace('webhooks.update'),
  [`POST ${V2_WORKSPACE}/webhooks/:webhook_id/test`]: v2OwnWorkspace('webhooks.update'),
  [`GET ${V2_WORKSPACE}/webhooks/:webhook_id/dead-letters`]: v2OwnWorkspace('webhooks.update'),
  [`POST ${V2_WORKSPACE}/webhooks/:webhook_id/dead-letters/resend`]: v2OwnWorkspace('webhooks.update'),
  [`DELETE ${V2_WORKSPACE}/webhooks/:webhook_id`]: v2OwnWorkspace('webhooks.update'),
  [`GET ${V2_KEYS}`]: v2OwnWorkspace('keys.update'),
  [`POST ${V2_KEYS}`]: v2OwnWorkspace('keys.update'),
  [`DELETE ${V2_KEYS}/:key_id`]: v2OwnWorkspace('keys.update'),
  [`POST ${V2_SESSION}`]: { access: 'login' },
  [`GET ${V2_SESSION}`]: { access: 'session' },
  [`DELETE ${V2_SESSION}`]: { access: 'session', isOptional: true },
  [`POST ${V2_SESSION}/claim`]: { access: 'claim' },
  [`POST ${V2_SESSION}/password`]: { access: 'session' },
  [`GET ${V2_SESSION}/devices`]: { access: 'session' },
  [`DELETE ${V2_SESSION}/devices`]: { access: 'session' },
  [`DELETE ${V2_SESSION}/devices/:session_id`]: { access: 'session' },
  [`GET ${V2_PEOPLE}`]: v2OwnWorkspace('people.update'),
  [`POST ${V2_PEOPLE}`]: v2OwnWorkspace('people.update'),
  [`GET ${V2_PEOPLE}/:person_id`]: v2OwnWorkspace('people.update'),
  [`PATCH ${V2_PEOPLE}/:person_id`]: v2OwnWorkspace('people.update'),
  [`DELETE ${V2_PEOPLE}/:person_id`]: v2OwnWorkspace('people.update'),
  [`POST ${V2_PEOPLE}/:person_id/code`]: v2OwnWorkspace('people.update'),
  [`DELETE ${V2_PEOPLE}/:person_id/sessions`]: v2OwnWorkspace('people.update'),
};
