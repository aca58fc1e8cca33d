// After the first scan: the found miners that wait for a person before they get a login, by family, and one question
// for all.
import { join } from 'node:path';
import { confirm, isCancel } from '@clack/prompts';
import type { AgentConfig } from '../../agent/config/config.ts';
import { openTrustRecord, TRUST_FILE } from '../../agent/device/trust/trust-record.ts';
import { type Waiting, waitingDevices } from '../../agent/device/trust/waiting.ts';
import { systemClock } from '../../base/clock.ts';
import { CancelledError } from '../../base/errors.ts';
import { userName } from '../../base/platform/user-name.ts';
import type { CliContext } from '../output/terminal.ts';

/** Addresses named of a family. */
const NAMED = 5;
/** A family with no more than so many is odd among many, and named by address. */
const ODD = 3;

/**
 * Accepts those that proved their family, where a flag or the person says so. Nothing to do without a login or where
 * all are trusted.
 */
export async function acceptFound(
  { stateDir, credentials }: Pick<AgentConfig, 'stateDir' | 'credentials'>,
  flags: { readonly yes?: boolean; readonly accept?: boolean; readonly json?: boolean },
  context: CliContext,
): Promise<{ accepted: number; waiting: number }> {
  const record = openTrustRecord(join(stateDir, TRUST_FILE), systemClock);
  try {
    const waiting = waitingDevices(record, systemClock.nowMs());
    const proven = waiting.filter(({ confidence, isHeldUp }) => confidence === 'sure' && isHeldUp);
    const say = (text: string) => void (flags.json || context.stderr.write(text));
    const unproven = waiting.filter(({ confidence }) => confidence !== 'sure');
    if (unproven.length > 0)
      say(
        `${unproven.length} look like miners and give no proof:\n${byFamily(unproven)}what they are, you say: pithead trust accept <ip> --as <driver>\n`,
      );
    if (proven.length === 0 || credentials.trust === 'network') return { accepted: 0, waiting: unproven.length };
    say(`${proven.length} get the logins of the configuration once you accept them:\n${byFamily(proven)}`);
    const isAccepted = flags.accept === true || (flags.yes !== true && (await ask(proven.length, context)));
    if (!isAccepted) say('they wait: pithead trust list, pithead trust accept --all\n');
    else if (!record.accept(proven, undefined, userName()))
      say(`they could not be accepted: ${record.fault() ?? 'the record is not written'}\n`);
    else {
      say(`${proven.length} accepted\n`);
      return { accepted: proven.length, waiting: unproven.length };
    }
    return { accepted: 0, waiting: waiting.length };
  } finally {
    record.close();
  }
}

async function ask(count: number, context: CliContext): Promise<boolean> {
  const message = `Are these ${count} your miners? They get the passwords that you configured.`;
  const answer = await confirm({ output: context.stderr, signal: context.signal, message, initialValue: false });
  if (isCancel(answer)) throw new CancelledError('set up');
  return answer;
}

/** Largest family first; what is odd among them by address. */
function byFamily(devices: readonly Waiting[]): string {
  const families = Map.groupBy(devices, ({ family }) => family);
  return [...families]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([family, members]) => {
      const isOdd = members.length <= ODD || families.size === 1;
      const ips = members.slice(0, NAMED).map(({ ip }) => ip);
      const more = members.length > NAMED ? ', …' : '';
      return `  ${String(members.length).padStart(5)}  ${family}${isOdd ? `: ${ips.join(', ')}${more}` : ''}\n`;
    })
    .join('');
}
