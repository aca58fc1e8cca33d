// What the service does for each agent while others report too: what its miners need, and half as much again. Unused
// quota is saved for a backlog. An agent without quota waits before its next frame is read; one that connects again and
// again is not welcomed for a while. An agent alone never waits.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { IngestStore } from '../store/store.ts';

/** What a frame costs beside its content, in records. */
const FRAME_COST = { slice: 20, text: 1 } as const;
/** A larger record, unpacked, costs as much as several. Hardly any record of a miner is larger. */
const RECORD_BYTES = 4_096;
const SLACK = 1.5;
/** The agent sends what it has once a second, in slices of so many records. */
const FLUSHES_PER_S = 1;
const SLICE_RECORDS = 250;
const POLL_MS = 60_000;
/** No farm needs more: 25,000 miners every 15 s. An agent that invents miners gets no more than this. */
const MOST_PER_S = 3_000;
/** A farm's first report, whole. */
const FIRST_CREDIT = 30_000;
const SAVED_S = 6 * 3_600;
const NEED_READ_MS = 60_000;
/** An agent that reported within this time is one of the others. */
const OTHERS_MS = 120_000;
/** Shorter than the time after which either side gives up a silent connection. */
const MAX_WAIT_MS = 20_000;
const WARN_MS = 600_000;
/** Welcomes saved at most, and how soon there is one more. An honest agent waits up to a minute between its tries. */
const WELCOMES = 60;
const WELCOME_MS = 5_000;

type Account = {
  /** In records; below zero = it has to wait. */
  credit: number;
  perS: number;
  /** When the credit was computed, and when the need was read. */
  atMs: number;
  readAtMs: number;
  reportedAtMs: number;
  warnedAtMs: number;
};

/** The work that a frame made: records, also invalid ones and those stored before, and bytes, unpacked. */
export type Work = { readonly frame: keyof typeof FRAME_COST; readonly records: number; readonly bytes: number };

export type IngestQuota = ReturnType<typeof createIngestQuota>;

type QuotaParts = { readonly ingest: Pick<IngestStore, 'needOf'>; readonly clock: Clock; readonly log: Log };

export function createIngestQuota({ ingest, clock, log }: QuotaParts) {
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
    // What it has saved while this copy had no account of it.
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

  /** Waits while the agent has no quota left: before anything is read of its frame. */
  const wait = async (agentId: string): Promise<void> => {
    const account = await accountOf(agentId);
    account.reportedAtMs = clock.monotonicMs();
    if (account.credit >= 0 || stopping.signal.aborted || !areOthersHere(agentId)) return;
    const waitMs = Math.min(MAX_WAIT_MS, (-account.credit * 1_000) / account.perS);
    if (clock.monotonicMs() - account.warnedAtMs >= WARN_MS) {
      account.warnedAtMs = clock.monotonicMs();
      const fields = { agentId, recordsPerS: Math.round(account.perS), waitMs: Math.round(waitMs) };
      log.warn(fields, 'an agent sends more than its miners need: it has to wait, so that the others need not');
    }
    await clock.sleep(waitMs, stopping.signal).catch(() => {});
  };

  return {
    wait,
    /** Only after `wait`, which makes the account. */
    charge(agentId: string, { frame, records, bytes }: Work): void {
      const account = accounts.get(agentId);
      if (account !== undefined) account.credit -= FRAME_COST[frame] + Math.max(records, bytes / RECORD_BYTES);
    },
    /** Whether the agent may be welcomed now; if so the welcome counts. */
    mayWelcome(agentId: string): boolean {
      const nowMs = clock.monotonicMs();
      const { left, atMs } = welcomes.get(agentId) ?? { left: WELCOMES, atMs: nowMs };
      const saved = Math.min(WELCOMES, left + (nowMs - atMs) / WELCOME_MS);
      const isDue = saved >= 1 || !areOthersHere(agentId);
      welcomes.set(agentId, { left: isDue ? Math.max(0, saved - 1) : saved, atMs: nowMs });
      return isDue;
    },
    /** Ends all waits. */
    stop: () => stopping.abort(),
  };
}
