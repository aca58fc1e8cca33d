// What the commands about locations ask of the service: where miners stand, changes of that, racks and containers. It
// prints nothing.
import { z } from 'zod';
import { answerOf } from '../../wire/api/envelope.ts';
import {
  chassisKeptSchema,
  containerSchema,
  containersSchema,
  locationChangesSchema,
  type minerLocationSchema,
  minerLocationsSchema,
  movedSchema,
  rackDetailSchema,
  rackSchema,
  racksSchema,
} from '../../wire/api/farm/locations.ts';
import type { ServiceClient } from '../connection/service-client.ts';

export type Moved = z.infer<typeof movedSchema>;
export type Move = Moved['data'][number];
export type LocationChange = z.infer<typeof locationChangesSchema>['data'][number];
export type RackDetail = z.infer<typeof rackDetailSchema>;
export type Rack = z.infer<typeof rackSchema>;
export type Container = z.infer<typeof containerSchema>;
export type PlacedMiner = z.infer<typeof minerLocationSchema>;

/** `miner` = its address, MAC address, serial number or id. */
export type Placement = { readonly miner: string; readonly rack: string | null; readonly position?: number | null };

/** What of a service is needed here. */
export type Asks = Pick<ServiceClient, 'ask'>;

/** The most that one answer may hold. */
const PAGE = 10_000;
/** Of the newest changes. */
const CHANGES = 50;

const named = answerOf(z.strictObject({ name: z.string() }));
const rackPath = (name: string) => `/racks/${encodeURIComponent(name)}`;
const containerPath = (name: string) => `/containers/${encodeURIComponent(name)}`;

export type LocationService = ReturnType<typeof locationsOf>;

export function locationsOf({ ask }: Asks) {
  return {
    place: (miners: readonly Placement[], options: { readonly swap?: boolean; readonly isDryRun?: boolean } = {}) => {
      const body = { miners, swap: options.swap === true, dry_run: options.isDryRun === true };
      return ask(movedSchema, { method: 'POST', path: '/location-changes', body });
    },
    importCsv: (csv: string, isDryRun: boolean) =>
      ask(movedSchema, { method: 'POST', path: `/miner-positions?dry_run=${isDryRun}`, body: csv }),
    exportCsv: () => ask(z.string(), { method: 'GET', path: '/miner-positions' }),
    async listMiners(): Promise<readonly PlacedMiner[]> {
      const found: PlacedMiner[] = [];
      for (let page = 1, pages = 1; page <= pages; page++) {
        const path = `/locations?page=${page}&page_size=${PAGE}`;
        const { data, pagination } = await ask(minerLocationsSchema, { method: 'GET', path });
        found.push(...data);
        pages = pagination.total_pages;
      }
      return found;
    },
    changes: async () =>
      (await ask(locationChangesSchema, { method: 'GET', path: `/location-changes?limit=${CHANGES}` })).data,
    undo: (id: string, isDryRun = false) => {
      const path = `/location-changes/${encodeURIComponent(id)}/undo`;
      return ask(movedSchema, { method: 'POST', path, body: { dry_run: isDryRun } });
    },
    keepChassis: async (id: string, replaces: string) => {
      const path = `/miners/${encodeURIComponent(id)}/same-chassis`;
      return (await ask(chassisKeptSchema, { method: 'POST', path, body: { replaces } })).data;
    },
    racks: async () => (await ask(racksSchema, { method: 'GET', path: '/racks' })).data,
    rack: async (name: string) => (await ask(answerOf(rackDetailSchema), { method: 'GET', path: rackPath(name) })).data,
    setRack: async (name: string, body: object) =>
      (await ask(answerOf(rackSchema), { method: 'PUT', path: rackPath(name), body })).data,
    removeRack: (name: string) => ask(named, { method: 'DELETE', path: rackPath(name) }),
    containers: async () => (await ask(containersSchema, { method: 'GET', path: '/containers' })).data,
    addContainer: async (name: string) =>
      (await ask(answerOf(containerSchema), { method: 'PUT', path: containerPath(name) })).data,
    removeContainer: (name: string) => ask(named, { method: 'DELETE', path: containerPath(name) }),
  };
}
