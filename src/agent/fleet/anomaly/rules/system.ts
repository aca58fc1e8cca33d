// The miner's system: unexplained restarts, and a firmware version that the site does not accept. Its other faults,
// such as checksums and signatures, come from the device's own codes (vendor.ts).
import type { Reading } from '../../../../model/reading.ts';
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
    message: isProgramAlone(reading)
      ? `its mining program restarted ${count} times within an hour, not by us, and its system did not`
      : `restarted ${count} times within an hour, not by us`,
  };
}

const isProgramAlone = ({ uptimeS, systemUptimeS = 0 }: Reading): boolean =>
  uptimeS !== undefined && systemUptimeS > 3_600;

function notAllowed({ sample, reading, settings }: Facts): Verdict {
  const { allowed } = settings.firmware;
  const version = reading?.firmwareVersion;
  if (allowed.length === 0) return 'clear';
  // Without a login some devices show another version, such as that of their mining program.
  if (version === undefined || (sample.kind === 'ok' && sample.loginRefused)) return 'no-data';
  if (allowed.some((start) => version.startsWith(start))) return 'clear';
  return {
    value: version,
    limit: allowed.slice(0, 4).join(', '),
    source: 'firmwareVersion',
    severity: 'minor',
    message: `firmware ${version} is not one that this site accepts`,
  };
}

export const SYSTEM_RULES: readonly Rule[] = [
  { id: 'control-board.restarts', type: 'control_board', evaluate: restarts },
  { id: 'firmware.not-allowed', type: 'firmware', evaluate: notAllowed },
];
