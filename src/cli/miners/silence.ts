// What a person is told of a miner that is known and answers nothing now.
import type { Found, KnownMiner } from '../../agent/capture/found.ts';
import { systemClock } from '../../base/clock.ts';
import { formatModel, formatSince } from '../output/format.ts';

/** E.g. `known (Antminer S19, 10.0.0.7), accepts connections, answers nothing since 07:58`. */
export function silenceOf(
  { ip, status }: Pick<Found, 'ip' | 'status'>,
  known: KnownMiner,
  nowMs = systemClock.nowMs(),
): string {
  const { make, model, driver, since } = known;
  const name = make === null && model === null ? driver : formatModel(make, model);
  const last = since === null ? '' : ` since ${formatSince(since, nowMs)}`;
  switch (status) {
    case 'unknown':
      return `known (${name}, ${ip}), accepts connections, answers nothing${last}`;
    case 'closed':
      return `known (${name}, ${ip}), refuses connections, answers nothing${last}`;
    default:
      return `known (${name}, ${ip}), does not answer at all${last}`;
  }
}
