// What a person is shown of a miner that is known and answers nothing now, or nothing that is understood.
import type { Found, KnownMiner } from '../../agent/capture/found.ts';
import { systemClock } from '../../base/clock.ts';
import { formatModel, formatSince } from '../output/format.ts';

/** Cutting the power of a miner that takes a firmware can ruin it. */
const IN_WORK = 'A task is at work on it: leave its power on, and wait until that is over (pithead tasks).';

const ADVICE: Readonly<Partial<Record<Found['status'], string>>> = {
  unknown:
    'Its control board hangs: switch the miner off and on at the PDU. If many miners do this at once, look at the switch first (pithead status).',
  closed:
    'It is starting, or its programs have ended. If it stays so for ten minutes, switch the miner off and on at the PDU.',
  missing:
    'Is it powered, and is its network cable in? If many miners do this at once, look at the PDU and at the switch first (pithead status).',
};

const GARBLED =
  'Something else stands at this address now, or its firmware is damaged. If it is the miner, switch it off and on at the PDU; pithead capture keeps what it says.';

/** What to do about a known miner that answers nothing, or nothing that is understood. */
export function silenceAdvice({ status }: Pick<Found, 'status'>, { isInWork, isGarbled }: KnownMiner): string {
  if (isInWork) return IN_WORK;
  return isGarbled ? GARBLED : (ADVICE[status] ?? '');
}

/** E.g. `known (Antminer S19, 10.0.0.7), accepts connections, answers nothing since 07:58`. */
export function silenceOf(
  { ip, status }: Pick<Found, 'ip' | 'status'>,
  known: KnownMiner,
  nowMs = systemClock.nowMs(),
): string {
  const { make, model, driver, since, isGarbled } = known;
  const name = make === null && model === null ? driver : formatModel(make, model);
  const last = since === null ? '' : ` since ${formatSince(since, nowMs)}`;
  switch (status) {
    case 'unknown':
      return isGarbled
        ? `known (${name}, ${ip}), answers nothing that a miner says${last}`
        : `known (${name}, ${ip}), accepts connections, answers nothing${last}`;
    case 'closed':
      return `known (${name}, ${ip}), refuses connections, answers nothing${last}`;
    default:
      return `known (${name}, ${ip}), does not answer at all${last}`;
  }
}
