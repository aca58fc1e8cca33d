// Control board: restarts that nobody asked for. Its other faults come from the device's own codes (vendor.ts).
import type { Facts, Rule, Verdict } from '../rule.ts';

/** Raised by several restarts within the hour, cleared by an hour without any. */
function restarts({ reading, history, settings }: Facts, isRaised: boolean): Verdict {
  if (reading?.uptimeS === undefined && reading?.systemUptimeS === undefined) return 'no-data';
  const count = history.restartsT.length;
  const limit = settings.controlBoard.restartsPerHour;
  if (count < (isRaised ? 1 : limit)) return 'clear';
  return {
    value: count,
    limit,
    source: reading.uptimeS === undefined ? 'systemUptimeS' : 'uptimeS',
    severity: 'major',
    message: `restarted ${count} times within an hour, not by us`,
  };
}

export const CONTROL_BOARD_RULES: readonly Rule[] = [
  { id: 'control-board.restarts', type: 'control_board', evaluate: restarts },
];
