// Proof after act for everything but a reboot: looks at the miner again and again until it shows what was ordered, or
// the time is over. An answer alone is believed only where no reading can tell. It sends nothing but looks, and it
// always ends.
import type { Ability, AbilityName } from '../../../driver/contract.ts';
import { withoutLogin } from '../../../model/plain-text.ts';
import type { Reading } from '../../../model/reading.ts';
import { afterAct, failed, succeeded, type TaskOutcome, type TaskParts } from '../contract.ts';
import { createLooker, inWords, oddities, stopwatch, type VerifyStart } from './look.ts';
import type { Verdict } from './proof.ts';

/** Seconds between looks: soon at first, then at the last of these. */
const PAUSES_S = [2, 3, 5, 10, 10, 15, 15, 30] as const;
const LAST_PAUSE_S = 30;
/** A device that is back may need a moment until it answers. */
const BACK_S = 30;
const DEFAULT_SHOWN_S = 60;

type EffectStart = VerifyStart & {
  readonly ability: AbilityName;
  /** Whether a reading shows that the miner obeyed; undefined when it cannot tell. */
  readonly shows: (reading: Reading) => boolean | undefined;
  readonly timing: Pick<Ability, 'offlineS' | 'shownWithinS'>;
  /** The device's own word. */
  readonly note?: string | undefined;
};

/** How long a miner has to show it, counted from the order. */
function windowOf({ shownWithinS = DEFAULT_SHOWN_S, offlineS: [, longestS] }: EffectStart['timing']): number {
  return Math.max(shownWithinS, longestS > 0 ? longestS + BACK_S : 0);
}

/** What a firmware task promises, where the driver does not say it: the version that it names. */
export function showsVersion({ firmwareVersion }: Reading, wanted: unknown): boolean | undefined {
  if (typeof wanted !== 'string' || firmwareVersion === undefined) return undefined;
  return firmwareVersion.trim().toLowerCase() === wanted.trim().toLowerCase();
}

/** Ends with an outcome, or rejects with CancelledError when `signal` aborts. */
export async function verifyEffect(parts: TaskParts, start: EffectStart, signal: AbortSignal): Promise<TaskOutcome> {
  const { clock } = parts;
  const { ability, shows, timing, baseline, isRecovered, isReplyLost } = start;
  const time = stopwatch(clock, start);
  const limitS = time.windowS(windowOf(timing));
  const lookAgain = createLooker(parts, start, signal, true);
  const isFirmware = ability === 'firmware';
  const seen = { isAway: false, wasAway: false, hasRestarted: false, looks: 0 };
  let newest: Reading | undefined;
  let verdict: boolean | undefined;

  const evidence = (proof: string | undefined): TaskOutcome['evidence'] => ({
    ...(proof === undefined ? {} : { proof }),
    ...(newest === undefined ? {} : { seen: factsOf(ability, newest) }),
    ...(isFirmware ? { firmwareBefore: baseline?.firmwareVersion ?? null, hasRestarted: seen.hasRestarted } : {}),
    looks: seen.looks,
    ...(seen.wasAway ? { wasAway: true } : {}),
    ...oddities(start),
  });
  const succeed = (proof: string): TaskOutcome =>
    succeeded(start.note ?? null, { ...evidence(proof), shownAfterS: Math.round(time.sinceActS()) });
  const fail = (message: string): TaskOutcome => afterAct(failed(message, evidence(undefined)));

  for (let tick = 0; ; tick++) {
    const leftS = limitS - time.sinceActS();
    if (leftS <= 0) break;
    await clock.sleep(Math.min(PAUSES_S[tick] ?? LAST_PAUSE_S, leftS) * 1_000, signal);
    const look = await lookAgain();
    seen.looks++;
    if (look === 'unclear') continue;
    seen.isAway = look === 'away';
    if (look === 'away') {
      seen.wasAway = true;
      continue;
    }
    newest = look;
    const shown = shows(look);
    verdict = shown ?? verdict;
    const before = baseline?.firmwareVersion;
    seen.hasRestarted ||= hasRestarted(look, before, time.judge(look, seen.wasAway), seen.wasAway || isRecovered);
    if (isFirmware) {
      // The file that is on it already shows before it is applied: then only the restart tells that it was.
      const showedBefore = before !== undefined && shows({ ...look, firmwareVersion: before }) === true;
      if (shown === true && (seen.hasRestarted || !showedBefore)) return succeed('read back');
      if (verdict === undefined && seen.hasRestarted) return succeed('restarted');
      continue;
    }
    // A device that always goes away for this has not done it while it is still here.
    if (shown === true && (seen.wasAway || time.sinceActS() >= timing.offlineS[0])) return succeed('read back');
  }

  if (seen.isAway) {
    const message = `the miner did not come back within ${inWords(limitS)}`;
    return afterAct({ status: 'timeout', message, evidence: evidence(undefined) });
  }
  if (verdict === false) return fail(`${beginning(start)} shows ${words(ability, newest)}`);
  if (isFirmware && !isRecovered && !isReplyLost) return fail('the miner took the file, but did not restart');
  if (isRecovered) return fail('interrupted by a restart of the agent: it may have been done, and is not done again');
  if (isReplyLost) return fail(`the reply to ${ability} was lost: it may have been done; it is not sent again`);
  return succeed('answer only');
}

function beginning({ isRecovered, isReplyLost }: VerifyStart): string {
  if (isRecovered) return 'interrupted by a restart of the agent: the miner';
  return isReplyLost ? 'the reply was lost and the miner' : 'the miner answered success but';
}

/** Its clocks went back, it runs another version, or, where it tells no clock, it was away and is back. */
function hasRestarted(
  { firmwareVersion: now }: Reading,
  before: string | undefined,
  verdict: Verdict,
  mayHaveBeenAway: boolean,
): boolean {
  if (before !== undefined && now !== undefined && before !== now) return true;
  return verdict.kind === 'restarted' || (verdict.kind === 'open' && !verdict.hasClock && mayHaveBeenAway);
}

/** What of a reading the ability is about. */
function factsOf(ability: AbilityName, reading: Reading): Readonly<Record<string, unknown>> {
  const { isLightOn, isMining, miningMode, miningModePreset, powerLimitW, pools, firmwareVersion } = reading;
  switch (ability) {
    case 'light':
      return { lightOn: isLightOn ?? null };
    case 'powerMode':
      return {
        mode: miningMode ?? null,
        preset: miningModePreset ?? null,
        powerLimitW: powerLimitW ?? null,
        isMining: isMining ?? null,
      };
    case 'pools':
      return { pools: pools?.map(({ url, user }) => ({ url: withoutLogin(url), user })) ?? null };
    case 'firmware':
      return { firmware: firmwareVersion ?? null };
    case 'reboot':
    case 'log':
      return {};
  }
}

const MAX_WORDS = 300;

function words(ability: AbilityName, reading: Reading | undefined): string {
  const facts = Object.entries(reading === undefined ? {} : factsOf(ability, reading)).filter(
    ([, fact]) => fact !== null,
  );
  const text = facts
    .map(([name, fact]) => `${name} ${typeof fact === 'object' ? JSON.stringify(fact) : fact}`)
    .join(', ');
  return text === '' ? 'nothing of it' : text.slice(0, MAX_WORDS);
}
