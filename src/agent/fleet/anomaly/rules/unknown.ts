// Faults of our data rather than of the miner: it answers, but the answer cannot be fetched, parsed or believed.
import type { Reading } from '../../../../model/reading.ts';
import { isSilent } from '../facts.ts';
import { acceptedShares } from '../history.ts';
import type { Facts, Rule, Verdict } from '../rule.ts';
import { shareLimitMs } from './pool.ts';

function answer({ sample }: Facts): Verdict {
  if (sample.kind === 'ok') return 'clear';
  if (isSilent(sample)) return 'no-data';
  return {
    value: sample.code,
    limit: null,
    source: 'visit',
    severity: 'major',
    message:
      sample.code === 'peer.costly'
        ? 'answers what takes this host too much of its processor to read: it is polled more and more rarely'
        : `answers, but cannot be read (${sample.code})`,
  };
}

function unparsable({ sample }: Facts): Verdict {
  if (sample.kind === 'failed') return 'no-data';
  if (sample.unparsable.length === 0) return 'clear';
  const names = sample.unparsable.slice(0, 8).join(', ');
  return {
    value: names,
    limit: null,
    source: 'replies',
    severity: 'minor',
    message: `answers that cannot be parsed: ${names}`,
  };
}

function login({ sample }: Facts): Verdict {
  if (sample.kind === 'failed') return 'no-data';
  if (!sample.loginRefused) return 'clear';
  return {
    value: 'refused',
    limit: 'accepted',
    source: 'login',
    severity: 'minor',
    message: 'refuses our login: some facts are missing',
  };
}

function implausible({ reading, suspects }: Facts): Verdict {
  if (reading === undefined) return 'no-data';
  const worst = suspects[0];
  if (worst === undefined) return 'clear';
  const more = suspects.length > 1 ? ` (and ${suspects.length - 1} more)` : '';
  return { ...worst, severity: 'major', message: `${worst.source} cannot be true: the value is not used${more}` };
}

/** An average over minutes may be renewed only that often: it must repeat for longer to count as frozen. */
const RENEWED_MS: Partial<Record<NonNullable<Reading['hashrateWindow']>, number>> = {
  '1m': 5 * 60_000,
  '5m': 15 * 60_000,
  '15m': 45 * 60_000,
};

function frozen({ reading, history, isHashing, settings }: Facts, isRaised: boolean): Verdict {
  if (reading?.hashrateHs === undefined) return 'no-data';
  const { still, t } = history;
  const { polls, time } = settings.unknown.frozen;
  if (!isHashing || still === undefined || still.polls < 2) return 'clear';
  const leastMs = Math.max(time, RENEWED_MS[reading.hashrateWindow ?? 'realtime'] ?? 0);
  if (!isRaised && (still.polls < polls || t - still.fromT < leastMs)) return 'clear';
  return {
    value: still.hashrateHs,
    limit: polls,
    source: 'hashrateHs',
    severity: 'major',
    message: `hashrate stands still: the same to the last digit for ${still.polls} polls`,
  };
}

/** No hashrate, share or report of its own for long: the document shows the last known state, and this flag says so. */
function mining(facts: Facts): Verdict {
  const { reading, history, idle, settings } = facts;
  if (reading === undefined || history.mining === undefined || idle !== undefined) return 'no-data';
  const silentMs = history.t - history.mining.knownT;
  const limitMs = Math.max(settings.unknown.mining, acceptedShares(reading) === undefined ? 0 : shareLimitMs(facts));
  if (silentMs < limitMs) return 'clear';
  const { is } = history.mining;
  const last =
    is === undefined ? 'it never did' : is ? 'it mined when it last did' : 'it did not mine when it last did';
  return {
    value: Math.round(silentMs / 1_000),
    limit: Math.round(limitMs / 1_000),
    source: 'isMining',
    severity: 'minor',
    message: `does not report whether it mines: ${last}`,
  };
}

export const UNKNOWN_RULES: readonly Rule[] = [
  { id: 'unknown.answer', type: 'unknown', evaluate: answer },
  { id: 'unknown.unparsable', type: 'unknown', evaluate: unparsable },
  { id: 'unknown.login', type: 'unknown', evaluate: login },
  { id: 'unknown.implausible', type: 'unknown', evaluate: implausible },
  { id: 'unknown.mining', type: 'unknown', evaluate: mining },
  { id: 'unknown.frozen', type: 'unknown', evaluate: frozen },
];
