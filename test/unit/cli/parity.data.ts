// What command line and API can both do: the operations that each command uses, and why the others need none. A new
// operation and a new command are not complete without a row here.

/** Operations of the API that a command asks for, by way of an agent or of a service elsewhere. */
type Uses = { readonly uses: readonly string[] };
/** It does what these operations do, in the database itself: for the host of the service, before there is a key. */
type Same = { readonly same: readonly string[] };
/** It has nothing to do with the API. */
type Apart = { readonly apart: string };

const FARM = ['listWorkspacesV2', 'listFarmsV2'];
const SELECTED = [...FARM, 'searchBoardV2'];
/** Followed to its end, and given up at Ctrl-C. */
const ACT = [...SELECTED, 'createTaskBatchV2', 'getTaskBatchV2', 'listTasksV2', 'cancelTaskBatchV2'];
const MOVED = [...FARM, 'changeLocationsV2'];

const DATABASE = 'it works on the database of the service itself; the API gives nobody these rights';
const OF_AGENT = 'it asks the agent of this host, and no service';
const OF_HOST = 'it is about this host or this program';

export const COMMANDS: Readonly<Record<string, Uses | Same | Apart>> = {
  scan: {
    uses: [
      ...[...FARM, 'listAgentsV2', 'createTaskBatchV2', 'listTasksV2', 'listScannedAddressesV2', 'cancelTaskBatchV2'],
    ],
  },
  tasks: { uses: [...SELECTED, 'searchTaskBatchesV2', 'listTasksV2'] },
  abort: { uses: [...FARM, 'searchTaskBatchesV2', 'cancelTaskBatchV2'] },
  miners: { uses: [...SELECTED, 'listMinersV2'] },
  miner: { uses: [...SELECTED, 'getMinerV2', 'queryMinerHistoryV2'] },
  changes: { uses: [...FARM, 'listChangesV2'] },
  note: { uses: [...SELECTED, 'addMinerNoteV2'] },
  ...Object.fromEntries(
    [
      ...['light on', 'light off', 'refresh', 'reboot', 'sleep', 'wake', 'power', 'firmware', 'password', 'log'],
      ...['pools set', 'pools lock', 'pools unlock', 'tasks retry'],
    ].map((command) => [command, { uses: ACT }]),
  ),
  'pools show': { uses: [...SELECTED, 'getMinerV2'] },
  'pools sets': { uses: [...FARM, 'listPoolSetsV2'] },
  'pools save': { uses: [...FARM, 'savePoolSetV2'] },
  'pools forget': { uses: [...FARM, 'removePoolSetV2'] },
  'maintenance on': { uses: [...SELECTED, 'updateMinerV2'] },
  'maintenance off': { uses: [...SELECTED, 'updateMinerV2'] },
  'position set': { uses: MOVED },
  'position clear': { uses: MOVED },
  'position list': { uses: [...FARM, 'listLocationsV2'] },
  'position export': { uses: [...FARM, 'exportMinerPositionsV2'] },
  'position import': { uses: [...FARM, 'importMinerPositionsV2'] },
  'position undo': { uses: [...FARM, 'listLocationChangesV2', 'undoLocationChangeV2'] },
  'position same-chassis': { uses: [...FARM, 'listLocationsV2', 'keepChassisV2'] },
  walk: {
    uses: [
      ...[...FARM, 'listRacksV2', 'getRackV2', 'listLocationsV2', 'listEventsV2', 'changeLocationsV2'],
      ...['undoLocationChangeV2', 'createTaskBatchV2'],
    ],
  },
  'rack list': { uses: [...FARM, 'listRacksV2'] },
  'rack show': { uses: [...FARM, 'getRackV2'] },
  'rack set': { uses: [...FARM, 'listRacksV2', 'putRackV2'] },
  'rack remove': { uses: [...FARM, 'removeRackV2'] },
  'container list': { uses: [...FARM, 'listContainersV2'] },
  'container add': { uses: [...FARM, 'putContainerV2'] },
  'container remove': { uses: [...FARM, 'removeContainerV2'] },

  'agent list': { same: ['listAgentsV2'] },
  'workspace list': { same: ['listWorkspacesV2'] },
  'farm list': { same: ['listFarmsV2'] },
  'webhook list': { same: ['listWebhooksV2'] },
  'webhook add': { same: ['createWebhookV2'] },
  'webhook show': { same: ['getWebhookV2'] },
  'webhook change': { same: ['updateWebhookV2'] },
  'webhook pause': { same: ['updateWebhookV2'] },
  'webhook resume': { same: ['updateWebhookV2'] },
  'webhook remove': { same: ['removeWebhookV2'] },
  'webhook rotate': { same: ['rotateWebhookV2'] },
  'webhook test': { same: ['testWebhookV2'] },
  'webhook dead': { same: ['listWebhookDeadLettersV2'] },
  'webhook resend': { same: ['resendWebhookDeadLettersV2'] },
  'audit list': { same: ['listAuditV2'] },
  'key create': { same: ['createKeyV2'] },
  'key list': { same: ['listKeysV2'] },
  'key revoke': { same: ['revokeKeyV2'] },
  'people list': { same: ['listPeopleV2'] },
  'people add': { same: ['createPersonV2'] },
  'people role': { same: ['updatePersonV2'] },
  'people disable': { same: ['updatePersonV2'] },
  'people enable': { same: ['updatePersonV2'] },
  'people remove': { same: ['removePersonV2'] },
  'people reset': { same: ['createPersonCodeV2'] },
  'people pair': { same: ['createPersonCodeV2'] },

  ...Object.fromEntries(
    [
      ...['agent revoke', 'agent limit', 'workspace create', 'farm create', 'farm archive', 'farm restore', 'enroll'],
      ...['grant create', 'grant list', 'grant revoke', 'audit verify'],
      ...['signing-key show', 'signing-key replace', 'restore', 'update-databases', 'people claim', 'people wall'],
    ].map((command) => [command, { apart: DATABASE }]),
  ),
  ...Object.fromEntries(
    [
      ...['status', 'reload', 'capture', 'trust list', 'trust accept', 'trust retry', 'trust forget'],
      ...['identity list', 'identity settle'],
    ].map((command) => [command, { apart: OF_AGENT }]),
  ),
  ...Object.fromEntries(
    [
      ...['driver new', 'driver check', 'driver replay', 'driver list', 'up', 'agent', 'service', 'run', 'config seal'],
      ...['config check', 'demo', 'selftest', 'setup', 'doctor', 'service-install', 'service-remove', 'update'],
      ...['driver-process', 'update-drivers', 'help', 'completion', 'complete'],
    ].map((command) => [command, { apart: OF_HOST }]),
  ),
};

const WORKLIST = 'people take lines of the worklist on the page, which shows it';
const SESSION = 'of the session of a browser; a person at the command line has the system user, or a key';

/** Operations that no command uses, and why a person at the command line needs none. */
export const WITHOUT_COMMAND: Readonly<Record<string, string>> = {
  exportMinersV2: 'miners --csv and --xlsx write the same sheet from the rows that they have',
  getBoardV2: 'searchBoardV2 without a selector; every list asks for that',
  searchMinersV2: 'whole documents by conditions; miners selects the same ones by words, miner shows one of them whole',
  queryHistoricalMetricsV2: 'curves of a farm are for pages; miner shows the day of one miner',
  queryMinerMetricsV2: 'miners --group-by counts the rows that it has',
  listMinerNotesV2: 'miner shows the newest notes; pages go through the older ones',
  streamBoardV2: 'a feed for pages; lists ask again by searchBoardV2',
  streamEventsV2: 'a feed for programs; changes shows what has happened',
  getPoolSetV2: 'pools sets shows all of them, and there are at most 100',
  confirmTaskBatchV2:
    'a second person has logged in on the page: at the command line the service cannot tell two people apart',
  listTaskBatchesV2: 'searchTaskBatchesV2 with fewer conditions',
  listTakenWorkV2: WORKLIST,
  takeWorkV2: WORKLIST,
  releaseWorkV2: WORKLIST,
  getPersonV2: 'people list shows all of each person',
  endPersonSessionsV2: 'people disable and enable end them; a person that lost a phone ends that session on the page',
  logInV2: SESSION,
  claimSessionV2: SESSION,
  getSessionV2: SESSION,
  endSessionV2: SESSION,
  changePasswordV2: SESSION,
  listDevicesV2: SESSION,
  endDeviceV2: SESSION,
  endOtherDevicesV2: SESSION,
};
