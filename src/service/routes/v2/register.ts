// Every resource of v2, registered with what it needs of the store and the tasks.
import type { Clock } from '../../../base/clock.ts';
import type { Store } from '../../store/store.ts';
import type { PageCache } from '../page-cache.ts';
import type { App } from '../server.ts';
import { registerFarmAgents } from './agents.ts';
import { type BatchOrderParts, registerBatchOrders } from './batch-orders.ts';
import { registerBatches } from './batches.ts';
import { registerClassification } from './classification.ts';
import { registerEvents } from './events.ts';
import { registerFarms } from './farms.ts';
import { registerHistory } from './history.ts';
import { registerFarmMiners } from './miners.ts';
import { registerOperatorFields } from './operator-fields.ts';
import { type Positions, registerPositions } from './positions.ts';
import { registerWorkspaces } from './workspaces.ts';

export function registerV2(
  app: App,
  {
    store,
    positions,
    pages,
    clock,
    createBatches,
    deliver,
  }: {
    readonly store: Pick<
      Store,
      | 'agents'
      | 'tenants'
      | 'search'
      | 'classification'
      | 'batches'
      | 'batchDetail'
      | 'history'
      | 'events'
      | 'operators'
    >;
    readonly positions: Positions;
    readonly pages: PageCache;
    readonly clock: Clock;
  } & BatchOrderParts,
): void {
  registerWorkspaces(app, store.tenants, clock);
  registerFarms(app, store.tenants);
  registerFarmAgents(app, store.agents, clock);
  registerFarmMiners(app, store.search, pages, clock);
  registerClassification(app, store.classification, clock);
  registerBatches(app, store.batches, store.batchDetail);
  registerBatchOrders(app, store.batchDetail, { createBatches, deliver }, clock);
  registerHistory(app, store.history, clock);
  registerEvents(app, store.events);
  registerOperatorFields(app, store.operators, clock);
  registerPositions(app, positions, clock);
}
