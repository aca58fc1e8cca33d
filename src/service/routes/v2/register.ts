// Every resource of v2, registered with what it needs of the store and the tasks.
import type { Clock } from '../../../base/clock.ts';
import type { Store } from '../../store/store.ts';
import type { App } from '../server.ts';
import { registerFarmAgents } from './agents.ts';
import { registerFarms } from './farms.ts';
import { registerWorkspaces } from './workspaces.ts';

export function registerV2(
  app: App,
  { store, clock }: { readonly store: Pick<Store, 'agents' | 'tenants'>; readonly clock: Clock },
): void {
  registerWorkspaces(app, store.tenants, clock);
  registerFarms(app, store.tenants);
  registerFarmAgents(app, store.agents, clock);
}
