// The rule for orders to an address whose miner did not say who it is: it hangs, its login is refused, or another unit stands there and is silent, too.
// A hung miner is the one that somebody wants rebooted, and a reboot of the wrong unit is over in minutes: that may go. What stays with the unit that
// takes it goes only to whom something else shows to be the one that is meant. A unit that is known to be another gets nothing. Pure.
import type { AbilityName } from '../../../driver/contract.ts';
import { failed, type Standing, type TaskOutcome } from '../contract.ts';

/** What it costs when the wrong unit takes it: `lasting` = until somebody notices and undoes it. */
const HARM = {
  reboot: 'passing',
  light: 'passing',
  log: 'passing',
  powerMode: 'lasting',
  pools: 'lasting',
  firmware: 'lasting',
} as const satisfies Readonly<Record<AbilityName, 'passing' | 'lasting'>>;

export const OTHER_UNIT = 'another unit stands at this address now';

/** Why nothing is sent; undefined = it may go. */
export function refuseUnseen(standing: Standing, ability: AbilityName, taskName: string): TaskOutcome | undefined {
  switch (standing) {
    case 'itself':
      return undefined;
    case 'another':
      return failed(`refused: ${OTHER_UNIT}`);
    case 'unknown':
      if (HARM[ability] === 'passing') return undefined;
      return failed(
        `refused: nothing shows who stands at this address, and ${taskName} would stay with the wrong unit; reboot it, or order again when it answers`,
      );
  }
}
