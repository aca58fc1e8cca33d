// What each agent may have done for it while others report too: what its miners need, and half as much again. What it does not use it saves, so that a
// backlog goes at full speed; who has used it all up waits before the next frame, and its socket is not read meanwhile. Who connects again and again is
// not welcomed for a while. Alone, nobody waits.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { IngestStore } from '../store/store.ts';

/** A frame costs as much as this many records, beside what is in it. */
const FRAME_COST = { slice: 20, text: 1 } as const;
/** More than this, unpacked, and it costs as much as several: no record of a miner is larger. */
const RECORD_BYTES = 4_096;
const SLACK = 1.5;
/** Of slices: the agent sends what it has once a second, in slices of so many records. */
const FLUSHES_PER_S = 1;
const SLICE_RECORDS = 250;
const POLL_MS = 60_000;
/** No farm needs more: 25,000 miners every 15 s. An agent that invents miners gets no further. */
const MOST_PER_S = 3_000;
/** A farm's first report, whole. */
const FIRST_CREDIT = 30_000;
const SAVED_S = 6 * 3_600;
const NEED_READ_MS = 60_000;
/** Who reported within this time is one of the others. */
const OTHERS_MS = 120_000;
/** Shorter than anybody's patience with a connection on which nothing happens. */
const MAX_REST_MS = 20_000;
const WARN_MS = 600_000;
/** Welcomes saved up, and how soon there is one more: agents wait up to a minute between their tries, and never connect as often. */
const WELCOMES = 60;
const WELCOME_MS = 5_000;

type Account = {
  /** In records; below zero = it has to wait. */
  credit: number;
  perS: number;
  /** Of the credit, and of the need. */
  atMs: number;
  readAtMs: number;
  reportedAtMs: number;
  warnedAtMs: number;
};

/** What a frame made us do: records, also those that fit no schema or were stored before, and bytes, unpacked. */
export type Work = { readonly frame: keyof typeof FRAME_COST; readonly records: number; readonly bytes: number };

export type Shares = ReturnType<typeof createShares>;

type QuotaParts = { readonly ingest: Pick<IngestStore, 'needOf'>; readonly clock: Clock; readonly log: Log };

export function createShares({ ingest, clock, log }: QuotaParts) {
  const stopping = new AbortController();
  /** Of every agent that has reported here: as many as are enrolled. */
  const accounts = new Map<string, Account>();
  const welcomes = new Map<string, { left: number; atMs: number }>();

  const readPerS = async (agentId: string) => {
    const { miners, pollIntervalMs, lastStoredAtMs } = await ingest.needOf(agentId);
    const records = (miners * 1_000) / Math.max(1_000, pollIntervalMs ?? POLL_MS);
    const slices = Math.max(FLUSHES_PER_S, records / SLICE_RECORDS);
    return { perS: Math.min(MOST_PER_S, SLACK * (records + slices * FRAME_COST.slice)), lastStoredAtMs };
  };

  const earn = (account: Account) => {
    const nowMs = clock.monotonicMs();
    const earned = ((nowMs - account.atMs) / 1_000) * account.perS;
    account.credit = Math.min(Math.max(FIRST_CREDIT, account.perS * SAVED_S), account.credit + earned);
    account.atMs = nowMs;
  };

  const accountOf = async (agentId: string): Promise<Account> => {
    const nowMs = clock.monotonicMs();
    const known = accounts.get(agentId);
    if (known !== undefined && nowMs - known.readAtMs < NEED_READ_MS) {
      earn(known);
      return known;
    }
    const { perS, lastStoredAtMs } = await readPerS(agentId);
    if (known !== undefined) {
      earn(known);
      Object.assign(known, { perS, readAtMs: nowMs });
      return known;
    }
    // What it has saved while nobody here kept its account.
    const awayS = lastStoredAtMs === null ? 0 : Math.max(0, (clock.nowMs() - lastStoredAtMs) / 1_000);
    const credit = Math.max(FIRST_CREDIT, Math.min(awayS, SAVED_S) * perS);
    const account = { credit, perS, atMs: nowMs, readAtMs: nowMs, reportedAtMs: nowMs, warnedAtMs: -WARN_MS };
    accounts.set(agentId, account);
    return account;
  };

  const areOthersHere = (agentId: string) => {
    const sinceMs = clock.monotonicMs() - OTHERS_MS;
    for (const [id, { reportedAtMs }] of accounts) if (id !== agentId && reportedAtMs >= sinceMs) return true;
    return false;
  };

  /** Waits until it is the turn of an agent that has used up what it may have: before anything is read of its frame. */
  const rest = async (agentId: string): Promise<void> => {
    const account = await accountOf(agentId);
    account.reportedAtMs = clock.monotonicMs();
    if (account.credit >= 0 || stopping.signal.aborted || !areOthersHere(agentId)) return;
    const restMs = Math.min(MAX_REST_MS, (-account.credit * 1_000) / account.perS);
    if (clock.monotonicMs() - account.warnedAtMs >= WARN_MS) {
      account.warnedAtMs = clock.monotonicMs();
      const fields = { agentId, recordsPerS: Math.round(account.perS), restMs: Math.round(restMs) };
      log.warn(fields, 'an agent sends more than its miners need: it has to wait, so that the others need not');
    }
    await clock.sleep(restMs, stopping.signal).catch(() => {});
  };

  return {
    rest,
    /** Only after a rest, from which the account is known. */
    charge(agentId: string, { frame, records, bytes }: Work): void {
      const account = accounts.get(agentId);
      if (account !== undefined) account.credit -= FRAME_COST[frame] + Math.max(records, bytes / RECORD_BYTES);
    },
    /** Whether the agent is to be welcomed now; if so it counts. */
    welcome(agentId: string): boolean {
      const nowMs = clock.monotonicMs();
      const { left, atMs } = welcomes.get(agentId) ?? { left: WELCOMES, atMs: nowMs };
      const saved = Math.min(WELCOMES, left + (nowMs - atMs) / WELCOME_MS);
      const isDue = saved >= 1 || !areOthersHere(agentId);
      welcomes.set(agentId, { left: isDue ? Math.max(0, saved - 1) : saved, atMs: nowMs });
      return isDue;
    },
    /** Nobody waits any more. */
    stop: () => stopping.abort(),
  };
}
