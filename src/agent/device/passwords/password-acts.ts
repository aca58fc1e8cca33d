// What the client of devices offers of passwords beside the act itself: why none may be changed, and what logins have
// shown of a new one. Only a request of the driver that proves a login is sent.
import { PeerError } from '../../../base/errors.ts';
import type { Identification } from '../identification.ts';
import type { Logins, MinerTarget } from '../logins.ts';
import type { Questions } from '../questions.ts';
import type { PasswordShown } from './password-changes.ts';

export function passwordActs({
  logins,
  identification,
  questions,
  asCommand,
}: {
  readonly logins: Logins;
  readonly identification: Pick<Identification, 'askAgain'>;
  readonly questions: Pick<Questions, 'identifying'>;
  readonly asCommand: <T>(target: MinerTarget, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;
}) {
  const { passwords } = logins;
  return {
    /** Why the password of this miner may not be changed; undefined = it may. Nothing is sent. */
    whyNoPassword: (target: MinerTarget): string | undefined => passwords.whyNot(target),
    /** Where the driver has a request that proves a login, the device is asked, unless there is nothing to find out. */
    passwordShown: (target: MinerTarget, wanted: string, signal: AbortSignal): Promise<PasswordShown> =>
      asCommand(target, signal, async () => {
        const { driver, known, ip } = target;
        const before = passwords.shown(target, wanted);
        const prove = driver.abilities.password?.provesLogin;
        if (prove === undefined || before === 'new' || before === 'none') return before;
        try {
          await identification.askAgain(target, { signal, identifying: questions.identifying(ip) });
          await prove(logins.linkFor(target), known);
        } catch (error) {
          if (!(error instanceof PeerError)) throw error;
        }
        return passwords.shown(target, wanted);
      }),
    /** A new password that was refused may be tried once more. */
    tryPasswordAgain: (target: MinerTarget): void => passwords.tryAgain(target),
  };
}
