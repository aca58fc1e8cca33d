// Every route that the service serves, in the order of the OpenAPI document. The document itself is openapi.ts.
import { registerDocs } from './docs/docs.ts';
import { registerEnrol } from './enrol.ts';
import { registerHealth } from './health.ts';
import { registerPage } from './page/page.ts';
import type { App, RouteParts } from './server.ts';
import { registerAgents } from './v1/agents.ts';
import { registerBatches as registerBatchesV1 } from './v1/batches.ts';
import { registerGrants } from './v1/grants.ts';
import { registerMiners } from './v1/miners.ts';
import { registerFarmAgents } from './v2/agents.ts';
import { registerAudit } from './v2/audit.ts';
import { registerBoard } from './v2/board/board.ts';
import { registerMinerExport } from './v2/board/export.ts';
import { registerBoardStream } from './v2/board/stream.ts';
import { registerEventStream } from './v2/event-stream.ts';
import { registerEvents } from './v2/events.ts';
import { registerKey, registerKeys } from './v2/keys/keys.ts';
import { registerLocationChanges, registerLocations, registerLocationUndo } from './v2/locations/changes.ts';
import { registerPositions } from './v2/locations/positions.ts';
import { registerContainers, registerRacks } from './v2/locations/racks.ts';
import { registerSameChassis } from './v2/locations/same-chassis.ts';
import { registerTakenWork } from './v2/locations/taken-work.ts';
import { registerChanges } from './v2/memory/changes.ts';
import { registerOneMiner } from './v2/memory/one-miner.ts';
import { registerClassification, registerHistory, registerMinerHistory } from './v2/metrics-queries.ts';
import { registerFarmMiners } from './v2/miners.ts';
import { registerOperatorFields } from './v2/operator-fields.ts';
import { registerDevices, registerOwnPassword } from './v2/people/devices.ts';
import { registerPeople, registerPerson, registerPersonCommands } from './v2/people/people.ts';
import { registerLogin, registerSession } from './v2/people/session.ts';
import { registerBatchCommands } from './v2/tasks/batch-commands.ts';
import { registerBatches } from './v2/tasks/batches.ts';
import { registerPoolSets } from './v2/tasks/pool-sets.ts';
import { registerScans } from './v2/tasks/scans.ts';
import { registerSecondPerson } from './v2/tasks/second-person.ts';
import { registerWebhookCommands } from './v2/webhooks/webhook-commands.ts';
import { registerWebhook, registerWebhooks } from './v2/webhooks/webhooks.ts';
import { registerWorkspaces } from './v2/workspaces.ts';

export function registerRoutes(app: App, parts: RouteParts): void {
  const service = [registerHealth, registerDocs, registerPage, registerEnrol];
  const v1 = [registerMiners, registerBatchesV1, registerAgents, registerGrants];
  const v2 = [registerWorkspaces, registerFarmAgents, registerFarmMiners];
  const v2Board = [registerBoard, registerBoardStream, registerMinerExport, registerClassification];
  const v2Tasks = [registerBatches, registerBatchCommands, registerSecondPerson, registerScans, registerPoolSets];
  const v2More = [
    registerHistory,
    registerMinerHistory,
    registerEvents,
    registerEventStream,
    registerChanges,
    registerOneMiner,
  ];
  const v2Operators = [registerOperatorFields, registerAudit];
  const v2Locations = [
    ...[registerContainers, registerRacks, registerLocations, registerPositions],
    ...[registerLocationChanges, registerLocationUndo, registerSameChassis, registerTakenWork],
  ];
  const v2Webhooks = [registerWebhooks, registerWebhook, registerWebhookCommands];
  const v2Keys = [registerKeys, registerKey];
  const v2People = [
    ...[registerSession, registerLogin, registerOwnPassword, registerDevices],
    ...[registerPeople, registerPerson, registerPersonCommands],
  ];
  for (const register of [
    ...service,
    ...v1,
    ...v2,
    ...v2Board,
    ...v2Tasks,
    ...v2More,
    ...v2Operators,
    ...v2Locations,
    ...v2Webhooks,
    ...v2Keys,
    ...v2People,
  ])
    register(app, parts);
}
