// Proof after act for a reboot: looks at the miner until its clock shows the restart and, if it was hashing before, until it hashes again.
// It sends nothing but looks, and it always ends.
import type { Reading } from '../../../model/reading.ts';
import type { TaskEnd, TaskOutcome, TaskParts } from '../contract.ts';
import type { Baseline } from '../queue/journal.ts';
import { inWords, type Look, lookAt, oddities, SETTLE_S, stopwatch, type WatchStart } from './look.ts';
import { judgeRestart, type Verdict } from './proof.ts';

/** Ends with an outcome, or rejects with CancelledError when `signal` aborts. `onBack` is called once, when the restart is proven. */
export async function watchReboot(
  parts: TaskParts,
  start: WatchStart & { readonly backS: number },
  onBack: () => void,
  signal: AbortSignal,
): Promise<TaskEnd> {
  const { clock, settings } = parts;
  const { baseline, isRecovered } = start;
  const { hashS, graceS, checkEveryS } = settings.reboot;
  const time = stopwatch(clock, start);
  const absence: { wasAway: boolean; awayS: number; sinceS: number | undefined } = {
    wasAway: false,
    awayS: 0,
    sinceS: undefined,
  };
  const windowS = (limitS: number) => (isRecovered ? Math.max(limitS, time.sinceActS() + SETTLE_S) : limitS);
  const evidence: Record<string, unknown> = {
    uptimeBeforeS: baseline?.systemUptimeS ?? baseline?.uptimeS ?? null,
    uptimeAfterS: null,
    awayS: 0,
    hashrateBeforeHs: baseline?.hashrateHs ?? null,
    hashrateAfterHs: null,
    ...oddities(start),
  };
  const end = (status: TaskOutcome['status'], message: string | null, tookEffect: boolean): TaskEnd => ({
    outcome: { status, message, evidence: { ...evidence, awayS: Math.round(absence.awayS) } },
    tookEffect,
  });

  const note = (look: Look) => {
    const nowS = time.sinceActS();
    if (look === 'away') {
      absence.wasAway = true;
      absence.sinceS ??= nowS;
    } else if (look !== 'unclear' && absence.sinceS !== undefined) {
      absence.awayS += nowS - absence.sinceS;
      absence.sinceS = undefined;
    }
  };

  const backLimitS = windowS(start.backS);
  let reading: Reading;
  for (;;) {
    const look = await lookAt(parts, start.minerKey, signal);
    note(look);
    const sinceActS = time.sinceActS();
    if (look !== 'away' && look !== 'unclear') {
      const verdict = judgeRestart({
        baseline,
        reading: look,
        sinceActS,
        sinceBaselineS: time.sinceBaselineS(),
        mayHaveBeenAway: absence.wasAway || isRecovered,
      });
      if (isProven(verdict, baseline, absence.wasAway)) {
        reading = look;
        Object.assign(evidence, describe(verdict));
        break;
      }
      if (verdict.kind === 'not-restarted' && sinceActS >= graceS) {
        evidence.uptimeAfterS = verdict.uptimeS;
        return end('failed', notRestarted(start), false);
      }
    }
    if (sinceActS >= backLimitS) {
      const isAway = look === 'away' || absence.sinceS !== undefined;
      if (isAway) return end('timeout', `the miner did not come back within ${inWords(backLimitS)}`, true);
      return end('failed', 'the miner answers, but nothing that it tells proves a restart', true);
    }
    await clock.sleep(checkEveryS * 1_000, signal);
  }
  evidence.backAfterS = Math.round(time.sinceActS());
  onBack();

  const hashedBefore = (baseline?.hashrateHs ?? 0) > 0;
  if (!hashedBefore) {
    evidence.hashrateAfterHs = reading.hashrateHs ?? null;
    return end('succeeded', null, true);
  }
  const hashLimitS = windowS(hashS);
  let look: Look = reading;
  for (;;) {
    if (look !== 'away' && look !== 'unclear') {
      reading = look;
      evidence.hashrateAfterHs = look.hashrateHs ?? null;
      if ((look.hashrateHs ?? 0) > 0) {
        evidence.hashingAfterS = Math.round(time.sinceActS());
        return end('succeeded', null, true);
      }
    }
    if (time.sinceActS() >= hashLimitS) {
      const uptime = reading.systemUptimeS ?? reading.uptimeS;
      const restarted = uptime === undefined ? 'restarted' : `restarted (uptime ${inWords(uptime)})`;
      if (look === 'away') return end('failed', `${restarted}, but is away again`, true);
      return end('failed', `${restarted}, but does not hash after ${inWords(hashLimitS)}`, true);
    }
    // Warming up takes minutes: no reason to look as often as for the restart.
    await clock.sleep(Math.min(60, checkEveryS * 3) * 1_000, signal);
    look = await lookAt(parts, start.minerKey, signal);
    note(look);
  }
}

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

function notRestarted({ isRecovered, isReplyLost }: WatchStart): string {
  if (isRecovered) return 'interrupted by a restart of the agent: the miner did not restart';
  return isReplyLost
    ? 'the reply to the reboot was lost and the miner did not restart'
    : 'the miner accepted the reboot but did not restart';
}
