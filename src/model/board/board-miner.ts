// One miner in one narrow row: what lists of people show, sort and select by. The service and a running agent make it;
// it holds no history, and no detail of single boards.
import { type AnomalyType, fromBitmask } from '../flags/anomaly-types.ts';
import type { Flag } from '../flags/flags.ts';
import type { OpsStatus } from '../miner.ts';

/** The first flag of a miner, the worst and oldest: for people, its text. */
export type BoardFlag = Pick<Flag, 'type' | 'severity' | 'message'> & { readonly sinceMs: number };

/** Times are ms since the epoch; null = not known, or not known here. */
export type BoardMiner = {
  /** The service's id; the agent's own key where no service is asked. */
  readonly id: string;
  /** The key of the agent that serves it; null = none does. */
  readonly key: string | null;
  readonly agentId: string | null;
  readonly ip: string;
  readonly mac: string | null;
  readonly serial: string | null;
  readonly hostname: string | null;
  readonly make: string | null;
  readonly model: string | null;
  /** Hashrates of different algorithms are never added up. */
  readonly algorithm: string | null;
  readonly container: string | null;
  readonly rack: string | null;
  readonly position: number | null;
  /** Id of the driver. */
  readonly driver: string;
  readonly firmware: string | null;
  /** Names of the tasks that its driver can do. */
  readonly abilities: readonly string[];
  readonly opsStatus: OpsStatus | null;
  /** Null when the device reports none. */
  readonly mode: string | null;
  readonly isMining: boolean;
  /** It is read now: its agent reports it and the newest poll succeeded. */
  readonly isOnline: boolean;
  /** Its agent is not heard: nothing is known of the miner since `seenAtMs`. */
  readonly isUnknown: boolean;
  /** Its network answers and its interface does not. */
  readonly isHung: boolean;
  /** The bits of `anomaly_flags`. */
  readonly flags: number;
  readonly firstFlag: BoardFlag | null;
  readonly hashrateHs: number | null;
  readonly expectedHs: number | null;
  readonly powerW: number | null;
  readonly tempC: number | null;
  /** Of the fastest fan. */
  readonly fanRpm: number | null;
  /** Address and worker of the pool that it works for, else of the first one. */
  readonly pool: string | null;
  readonly worker: string | null;
  readonly uptimeS: number | null;
  /** Of the newest successful reading. */
  readonly seenAtMs: number | null;
  /** When an agent first registered it. */
  readonly createdAtMs: number | null;
};

/** Not answering for longer than this is missing, no hiccup. */
export const MISSING_MS = 3_600_000;
/** For how long a miner is a new one. */
export const NEW_MS = 24 * 3_600_000;

/** Words of `state:`; a miner is in none, one or several of them. */
export const BOARD_STATES = ['ill', 'silent', 'missing', 'hung', 'new', 'asleep', 'maintenance'] as const;
export type BoardState = (typeof BOARD_STATES)[number];

/**
 * Whether the miner is in this state. A miner of which nothing is known, because its agent is not heard, is neither ill
 * nor silent nor missing; one that operators took off its place is no longer expected to answer.
 */
export function isInState(miner: BoardMiner, state: BoardState, nowMs: number): boolean {
  const { opsStatus } = miner;
  switch (state) {
    case 'ill':
      return miner.flags !== 0 && !miner.isUnknown && opsStatus === null;
    case 'silent':
      return isSilent(miner);
    case 'missing':
      return isSilent(miner) && nowMs - (miner.seenAtMs ?? miner.createdAtMs ?? nowMs) >= MISSING_MS;
    case 'hung':
      return miner.isHung && !miner.isUnknown;
    case 'new':
      return miner.createdAtMs !== null && nowMs - miner.createdAtMs < NEW_MS;
    case 'asleep':
      return miner.mode === 'sleep' && miner.isOnline;
    case 'maintenance':
      return opsStatus === 'maintenance';
  }
}

const isSilent = ({ opsStatus, isOnline, isUnknown }: BoardMiner): boolean =>
  !isOnline && !isUnknown && (opsStatus === null || opsStatus === 'maintenance');

export const flagsOf = ({ flags }: BoardMiner): readonly AnomalyType[] => fromBitmask(flags);
