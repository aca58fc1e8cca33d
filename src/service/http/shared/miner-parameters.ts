// The filters of the miner lists: every parameter of the interface document, turned into the store's filter.
import type { z } from 'zod';
import { parseIpv4Range, RANGE_FORMS, RANGE_PATTERN } from '../../../base/net/ipv4.ts';
import { ANOMALY_TYPES, toBitmask } from '../../../model/flags/anomaly-types.ts';
import { normaliseMac, normaliseSerial } from '../../../model/identity-facts.ts';
import { OPS_STATUSES, RUN_STATUSES } from '../../../model/miner.ts';
import { show } from '../../../wire/api/forms.ts';
import type { MinerFilter, StatusSet } from '../../store/store.ts';
import { list, oneOf, parseUuid, single } from './parameters.ts';

/** Accepted as if not given: the interface document calls them deprecated. */
const IGNORED_STATUSES = ['error', 'low_hashrate', 'overheated', 'overpower', 'underpower', 'overclocking'] as const;
export const STATUS_WORDS = [...RUN_STATUSES, 'offline', ...OPS_STATUSES, ...IGNORED_STATUSES] as const;
type StatusWord = (typeof STATUS_WORDS)[number];

const statusWords = () => list(STATUS_WORDS.join(', '), oneOf(STATUS_WORDS), { enum: STATUS_WORDS });

const DECIMAL = /^(\d{1,12}\.?\d{0,12}|\.\d{1,12})$/;
const decimal = () =>
  single('a decimal number such as 0.95', (text) => (DECIMAL.test(text) ? Number(text) : undefined), {
    pattern: DECIMAL.source,
  });

const word = (accepted: string, words: readonly string[]) =>
  single(accepted, (text) => words.find((one) => one === text), { enum: words });

const MAX_SERIAL = 256;

const modes = () => list('mining modes', (text) => ({ value: text }));

/** Every filter of the list; the page is each version's own. */
export const minerFilterShape = {
  agent_id: single('the uuid of an agent', parseUuid, { format: 'uuid' }),
  sn: single(
    'a serial number of a miner, hashboard, power supply or controller',
    (text) => (text.length <= MAX_SERIAL ? normaliseSerial(text) : undefined),
    { maxLength: MAX_SERIAL },
  ),
  mac: single('a MAC address such as AA:BB:CC:DD:EE:FF', normaliseMac, {
    pattern: '^[:.-]*([0-9A-Fa-f][:.-]*){12}$',
  }),
  status: statusWords(),
  status_exclude: statusWords(),
  ops_status: list(OPS_STATUSES.join(', '), oneOf(OPS_STATUSES), { enum: OPS_STATUSES }),
  unstable: word('true, false or null', ['true', 'false', 'null']),
  has_anomaly: word('true or false', ['true', 'false']),
  anomaly_filters: list(ANOMALY_TYPES.join(', '), oneOf(ANOMALY_TYPES), { enum: ANOMALY_TYPES }),
  hashrate_realization_min: decimal(),
  hashrate_realization_max: decimal(),
  mining_modes_in: modes(),
  mining_modes_not_in: modes(),
  ip_ranges: list(
    RANGE_FORMS,
    (text) => {
      const range = parseIpv4Range(text);
      return typeof range === 'string' ? { problem: `received ${show(text)}: ${range}` } : { value: range };
    },
    { pattern: RANGE_PATTERN },
  ),
};

export function toMinerFilter(query: z.infer<z.ZodObject<typeof minerFilterShape>>): MinerFilter {
  return {
    agentId: query.agent_id,
    serial: query.sn,
    mac: query.mac,
    status: toStatusSet(query.status),
    statusExclude: toStatusSet(query.status_exclude),
    opsStatus: query.ops_status,
    isUnstable: query.unstable === 'true' ? true : undefined,
    hasAnomaly: query.has_anomaly === undefined ? undefined : query.has_anomaly === 'true',
    anomalyMask: query.anomaly_filters && toBitmask(query.anomaly_filters),
    realizationMin: query.hashrate_realization_min,
    realizationMax: query.hashrate_realization_max,
    miningModesIn: query.mining_modes_in && [...new Set(query.mining_modes_in)],
    miningModesNotIn: query.mining_modes_not_in && [...new Set(query.mining_modes_not_in)],
    ipRanges: query.ip_ranges,
  };
}

/** `offline` means stale; nothing left after the ignored words means no condition. */
function toStatusSet(words: readonly StatusWord[] = []): StatusSet | undefined {
  const run = RUN_STATUSES.filter((one) => words.includes(one) || (one === 'stale' && words.includes('offline')));
  const ops = OPS_STATUSES.filter((one) => words.includes(one));
  return run.length + ops.length === 0 ? undefined : { run, ops };
}
