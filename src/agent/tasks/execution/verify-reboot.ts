// Proof after act for a reboot: looks at the miner until its clock shows the restart and, if it was hashing before,
// until it hashes again. It sends nothing but looks, and it always ends.
import type { Reading } from '../../../model/reading.ts';
import { acceptedShares } from '../../fleet/anomaly/history.ts';
import { afterAct, type TaskOutcome, type TaskParts } from '../contract.ts';
import type { Baseline } from '../queue/journal.ts';
import { createLooker, inWords, type Look, oddities, stopwatch, type VerifyStart } from './look.ts';
import type { Verdict } from './proof.ts';

/** What becomes of the capacity that the miner holds. Each is called once or more. */
export type RebootCapacity = {
  /** The restart is proven: another miner may have the capacity. */
  onBack(): void;
  /** Nothing is proven, but a reboot would be over by now. `isAway` = it does not answer. */
  onUnproven(isAway: boolean): void;
};

/**
 * Ends with an outcome, or rejects with CancelledError when `signal` aborts. `offlineS` = how long the family is away
 * at most. What cannot be proven is looked for until `backS` all the same.
 */
export async function verifyReboot(
  parts: TaskParts,
  start: VerifyStart & { readonly backS: number; readonly offlineS: number },
  capacity: RebootCapacity,
  signal: AbortSignal,
): Promise<TaskOutcome> {
  const { clock, settings } = parts;
  const { baseline } = start;
  const { hashS, graceS, checkEveryS } = settings.reboot;
  const time = stopwatch(clock, start);
  let wasAway = false;
  let awayS = 0;
  let awaySinceS: number | undefined;
  const evidence: Record<string, unknown> = {
    uptimeBeforeS: baseline?.systemUptimeS ?? baseline?.uptimeS ?? null,
    uptimeAfterS: null,
    awayS: 0,
    hashrateBeforeHs: baseline?.hashrateHs ?? null,
    hashrateAfterHs: null,
    ...oddities(start),
  };
  const end = (status: TaskOutcome['status'], message: string | null): TaskOutcome => ({
    status,
    message,
    evidence: { ...evidence, awayS: Math.round(awayS) },
  });

  const note = (look: Look) => {
    const nowS = time.sinceActS();
    if (look === 'away') {
      wasAway = true;
      awaySinceS ??= nowS;
    } else if (look !== 'unclear' && awaySinceS !== undefined) {
      awayS += nowS - awaySinceS;
      awaySinceS = undefined;
    }
  };

  const lookAgain = createLooker(parts, start, signal);
  const backLimitS = time.windowS(start.backS);
  let reading: Reading;
  for (;;) {
    const look = await lookAgain();
    note(look);
    const sinceActS = time.sinceActS();
    if (look !== 'away' && look !== 'unclear') {
      const verdict = time.judge(look, wasAway);
      if (isProven(verdict, baseline, wasAway)) {
        reading = look;
        Object.assign(evidence, describe(verdict));
        break;
      }
      if (verdict.kind === 'not-restarted' && sinceActS >= graceS) {
        evidence.uptimeAfterS = verdict.uptimeS;
        return end('failed', notRestarted(start));
      }
    }
    if (sinceActS >= backLimitS) {
      if (look === 'away' || awaySinceS !== undefined)
        return afterAct(end('timeout', `the miner did not come back within ${inWords(backLimitS)}`));
      return afterAct(end('failed', 'the miner answers, but nothing that it tells proves a restart'));
    }
    const isAway = awaySinceS !== undefined;
    if (sinceActS >= Math.max(graceS, isAway ? start.offlineS : 0)) capacity.onUnproven(isAway);
    await clock.sleep(checkEveryS * 1_000, signal);
  }
  evidence.backAfterS = Math.round(time.sinceActS());
  capacity.onBack();

  const wasHashing = (baseline?.hashrateHs ?? 0) > 0;
  if (!wasHashing) {
    evidence.hashrateAfterHs = reading.hashrateHs ?? null;
    return end('succeeded', null);
  }
  const hashLimitS = time.windowS(hashS);
  let look: Look = reading;
  let hashing: Hashing = 'untold';
  for (;;) {
    if (look !== 'away' && look !== 'unclear') {
      hashing = hashingOf(look, reading);
      reading = look;
      evidence.hashrateAfterHs = look.hashrateHs ?? null;
      if (hashing === 'proven') {
        evidence.hashingAfterS = Math.round(time.sinceActS());
        return end('succeeded', null);
      }
    }
    if (time.sinceActS() >= hashLimitS) {
      const uptime = reading.systemUptimeS ?? reading.uptimeS;
      const restarted = uptime === undefined ? 'restarted' : `restarted (uptime ${inWords(uptime)})`;
      if (look === 'away') return afterAct(end('failed', `${restarted}, but is away again`));
      const isClaimed = hashing === 'claimed';
      const said = end(isClaimed ? 'succeeded' : 'failed', `${restarted}, ${UNPROVEN[hashing](inWords(hashLimitS))}`);
      return isClaimed ? said : afterAct(said);
    }
    // Warming up takes minutes: no reason to look as often as for the restart.
    await clock.sleep(Math.min(60, checkEveryS * 3) * 1_000, signal);
    look = await lookAgain();
    note(look);
  }
}

/** `claimed` = no figure shows it, but the miner says that it mines; `untold` = it says neither. */
type Hashing = 'proven' | 'claimed' | 'none' | 'untold';

/**
 * Whether a miner hashes after its restart; `before` = the look before. An absent hashrate is not zero: some families
 * know its unit only ten minutes after a start. Then accepted shares that grow prove it; what the miner says of itself
 * counts at the end of the window only, because some say it as soon as their hashboards have power.
 */
function hashingOf(now: Reading, before: Reading): Hashing {
  const { hashrateHs, isMining } = now;
  if (hashrateHs !== undefined) return hashrateHs > 0 ? 'proven' : 'none';
  const shares = acceptedShares(now);
  const sharesBefore = acceptedShares(before);
  if (shares !== undefined && sharesBefore !== undefined && shares > sharesBefore) return 'proven';
  if (isMining === undefined) return 'untold';
  return isMining ? 'claimed' : 'none';
}

const UNPROVEN = {
  claimed: (window) => `says that it mines, but tells no hashrate after ${window}`,
  none: (window) => `but does not hash after ${window}`,
  untold: (window) => `but tells no hashrate after ${window}, and nothing else shows that it hashes`,
} as const satisfies Readonly<Record<Exclude<Hashing, 'proven'>, (window: string) => string>>;

/** A miner that never told a clock is believed when it was away and is back. */
function isProven(verdict: Verdict, baseline: Baseline | undefined, wasAway: boolean): boolean {
  if (verdict.kind === 'restarted') return true;
  const neverTold = baseline?.uptimeS === undefined && baseline?.systemUptimeS === undefined;
  return verdict.kind === 'open' && !verdict.hasClock && neverTold && baseline !== undefined && wasAway;
}

function describe(verdict: Verdict): Record<string, unknown> {
  return verdict.kind === 'restarted'
    ? { uptimeBeforeS: verdict.beforeS, uptimeAfterS: verdict.afterS, proof: verdict.clock }
    : { proof: 'away and back' };
}

function notRestarted({ isRecovered, isReplyLost }: VerifyStart): string {
  if (isRecovered) return 'interrupted by a restart of the agent: the miner did not restart';
  return isReplyLost
    ? 'the reply to the reboot was lost and the miner did not restart'
    : 'the miner accepted the reboot but did not restart';
}
