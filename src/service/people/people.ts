// Puts together what the service does about people: logging in, managing, and saying that sessions have ended.
import type { Clock } from '../../base/clock.ts';
import type { Store } from '../store/store.ts';
import { createAccessNotifier } from './access-notifier.ts';
import { createLoginFailures } from './login-failures.ts';
import { createPeopleManager } from './manage.ts';
import { createHashLine } from './passwords.ts';
import { createSignIn } from './sign-in.ts';

type Parts = {
  readonly store: Pick<Store, 'audited' | 'people' | 'tenants'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** To the other copies of the service: look at the sockets of the person. */
  readonly announce: (personId: string) => void;
};

export function createPeople({ store, clock, announce }: Parts) {
  const notifier = createAccessNotifier();
  const everyone = {
    notify(personId: string) {
      notifier.notify(personId);
      announce(personId);
    },
  };
  const line = createHashLine();
  return {
    /** `notify` is for what other copies have said. */
    notifier,
    forRoutes: {
      people: createPeopleManager({ store, clock, notifier: everyone }),
      // Failures are counted on each copy: a bound on guessing, not a quota.
      signIn: createSignIn({ store, clock, line, failures: createLoginFailures(), notifier: everyone }),
    },
  };
}
