// Every filter of the lists of miners and of the v2 search, as clients write them, on the fleet of fleet.ts.

import { z } from 'zod';
import { minerFilterShape, toMinerFilter } from '../../../../../src/service/http/shared/miner-parameters.ts';
import { minerItem as minerV1Item } from '../../../../../src/service/http/v1/miners.ts';
import { minerItem as minerV2Item } from '../../../../../src/service/http/v2/miners.ts';
import type { ItemPage, MinerFilter, MinerSearch, MinerStore, Window } from '../../../../../src/service/store/store.ts';
import type { Fleet } from '../fleet.ts';

export type FilterCase = {
  readonly name: string;
  readonly filter?: MinerFilter;
  /** Of the v2 search; the others are asked of the list that v1 and v2 share. */
  readonly search?: MinerSearch;
  readonly window?: Window;
  /**
   * The index that narrows it down. Absent: none can, the farm is read in the order of the list; `why` says what stands
   * against one.
   */
  readonly index?: string;
  readonly why?: string;
};

type Service = { readonly index: string } | { readonly why: string };
const by = (columns: string) => ({ index: `miners_farm_id_${columns}` });
const BY_AGENT = { index: 'miners_agent_id_farm_id' };
const BY_ROW = { index: 'INTEGER PRIMARY KEY' };
const ALL = { why: 'the whole farm is asked for' };
const MOST = { why: 'it leaves out one value of many: what is left is most of the farm' };
const PART = { why: 'a part of a text is nowhere in an order' };

const PAGE: Window = { limit: 50, offset: 0 };
const querySchema = z.object(minerFilterShape);

/** `middle` is a miner that exists, as its number in the fleet. */
export function filterCases({ agentIds, nowMs }: Fleet, miners: number): FilterCase[] {
  const middle = Math.floor(miners / 2) + 1;
  const hex = middle.toString(16).padStart(6, '0');
  const mac = `020A00${hex}`;
  const query = (name: string, parameters: Readonly<Record<string, string | string[]>>, by: Service): FilterCase => ({
    name,
    filter: toMinerFilter(querySchema.parse(parameters)),
    ...by,
  });
  const search = (name: string, value: MinerSearch, by: Service): FilterCase => ({
    name: `search ${name}`,
    search: value,
    ...by,
  });
  const hasText = (field: NonNullable<MinerSearch['text']>['field'], value: string) =>
    search(`${field} has`, { text: { field, value } }, PART);
  const second = (middle >>> 8) & 255;
  return [
    { name: 'no filter', ...ALL },
    { name: 'no filter, last page', window: { limit: 50, offset: Math.max(0, miners - 50) }, ...ALL },
    { name: 'no filter, past the end', window: { limit: 50, offset: miners * 2 }, ...ALL },
    { name: 'no filter, all', window: { limit: 10_000, offset: 0 }, ...ALL },
    query('agent_id, most', { agent_id: agentIds[0] }, BY_AGENT),
    query('agent_id, few', { agent_id: agentIds[1] }, BY_AGENT),
    query('sn of miner', { sn: `sn-a${hex}` }, BY_ROW),
    query('sn of hashboard', { sn: `HB-A${hex}-1` }, BY_ROW),
    query('sn of PSU', { sn: `PSU-A${hex}` }, BY_ROW),
    query('sn of controller', { sn: `CB-A${hex}` }, BY_ROW),
    query('sn of nothing', { sn: 'nothing' }, BY_ROW),
    query('mac colons', { mac: mac.replace(/(..)(?=.)/g, '$1:') }, by('mac')),
    query('mac hyphens, lower', { mac: mac.toLowerCase().replace(/(..)(?=.)/g, '$1-') }, by('mac')),
    query('mac bare', { mac }, by('mac')),
    query('status online', { status: 'online' }, by('stale_at')),
    query('status stale', { status: 'stale' }, by('stale_at')),
    query('status offline,retired', { status: 'offline,retired' }, by('stale_at')),
    query('status_exclude stale', { status_exclude: 'stale' }, by('stale_at')),
    query('status_exclude online', { status_exclude: 'online' }, by('stale_at')),
    query('status_exclude retired', { status_exclude: 'retired' }, MOST),
    query('ops_status', { ops_status: ['maintenance', 'off_rack'] }, by('ops_status')),
    query('unstable', { unstable: 'true' }, by('unstable_reason')),
    query('has_anomaly true', { has_anomaly: 'true' }, by('anomaly_flags')),
    query('has_anomaly false', { has_anomaly: 'false' }, by('anomaly_flags')),
    query('anomaly_filters', { anomaly_filters: 'fan,pool' }, by('anomaly_flags')),
    query('realization min', { hashrate_realization_min: '0.95' }, by('realization')),
    query('realization max', { hashrate_realization_max: '0.1' }, by('realization')),
    query('realization both', { hashrate_realization_min: '0.8', hashrate_realization_max: '0.9' }, by('realization')),
    query('mining_modes_in', { mining_modes_in: 'low' }, by('mining_mode')),
    query('mining_modes_not_in', { mining_modes_not_in: 'sleep' }, MOST),
    query('ip_ranges single', { ip_ranges: `10.0.${second}.${middle & 255}` }, by('ip_num_id')),
    query('ip_ranges CIDR', { ip_ranges: `10.0.${second}.0/24` }, by('ip_num_id')),
    query('ip_ranges hyphen', { ip_ranges: `10.0.${second}.10-10.0.${second}.99` }, by('ip_num_id')),
    query('ip_ranges three', { ip_ranges: `10.0.0.0/25,10.0.${second}.0/24,10.0.3.1-9` }, by('ip_num_id')),
    query(
      'stale, anomaly, agent',
      { status: 'stale', has_anomaly: 'true', agent_id: agentIds[0] },
      { why: 'any of its three indexes would do, and which one is best depends on the farm' },
    ),
    search('status eq stale', { runStatuses: ['stale'] }, by('stale_at')),
    search('anomaly_flags in', { anomalyMask: 5 }, by('anomaly_flags')),
    search('ops_status eq', { opsStatus: { eq: 'maintenance' } }, by('ops_status')),
    search('ops_status ne', { opsStatus: { ne: 'maintenance' } }, MOST),
    search('mining_mode in', { miningMode: { in: ['low', 'sleep'] } }, by('mining_mode')),
    search('mining_mode nin', { miningMode: { nin: ['normal'] } }, MOST),
    search('model eq, rare', { model: { eq: 'Avalon A1566' } }, by('model')),
    search('model eq, frequent', { model: { eq: 'Antminer S21' } }, by('model')),
    search('model ne', { model: { ne: 'Antminer S21' } }, MOST),
    search('firmware eq, rare', { firmware: { eq: 'avalon' } }, by('firmware')),
    search('rack eq', { rack: { eq: `R-${Math.floor((0x0a000000 + middle) / 40)}` } }, { index: 'miners_location' }),
    search(
      'rack in',
      { rack: { in: [10, 20, 30].map((more) => `R-${Math.floor(0x0a000000 / 40) + more}`) } },
      { index: 'miners_location' },
    ),
    search('agent_id eq', { agentId: { eq: agentIds[1] } }, BY_AGENT),
    search('agent_id ne', { agentId: { ne: agentIds[0] } }, MOST),
    search('last_updated_at lt', { lastUpdatedAt: { lt: nowMs - 60_000 } }, by('seen_at')),
    search('last_updated_at gte', { lastUpdatedAt: { gte: nowMs - 60_000 } }, by('seen_at')),
    hasText('ip', `0.${second}.7`),
    hasText('mac', `00${hex}`),
    hasText('serial_number', `hb-a${hex}`),
    hasText('model', 'avalon'),
    hasText('firmware_version', '2024-3'),
    hasText('hostname', `a${hex}`),
    hasText('rack', '-4194'),
  ];
}

/** Asks what the routes ask. */
export function ask(miners: MinerStore, { farmId, nowMs }: Fleet, wanted: FilterCase): Promise<ItemPage> {
  const window = wanted.window ?? PAGE;
  const farm = { id: farmId, workspaceId: 'w', name: 'A' };
  return wanted.search === undefined
    ? miners.list({ farmId, filter: wanted.filter ?? {}, window, item: minerV1Item(farm), nowMs })
    : miners.list({ farmId, search: wanted.search, window, item: minerV2Item(farm, { isGuest: false }), nowMs });
}
