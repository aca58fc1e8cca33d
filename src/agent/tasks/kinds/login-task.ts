// `agent.login.update`: a login that a person has entered for devices which refuse those that are known here. The agent
// keeps it, reads these addresses anew, and goes on with it only where the device accepts it.
import { z } from 'zod';
import { CancelledError, RefusedError } from '../../../base/errors.ts';
import type { ScanRanges } from '../../../base/net/ranges.ts';
import { narrowRanges } from '../../../base/net/restrict-ranges.ts';
import { PARAMS_FIELDS } from '../../../model/tasks/task-params.ts';
import type { PlainLogin } from '../../../transport/request.ts';
import type { Scanned } from '../../../wire/records.ts';
import type { GivenShown, GivenTrial } from '../../device/passwords/given-logins.ts';
import type { ManualScans } from '../../scan/manual-scans.ts';
import type { Contact, Identification, ScanPlan } from '../../scan/plan.ts';
import { type AgentTask, cancelled, failed, succeeded } from '../contract.ts';

const paramsSchema = z.object(PARAMS_FIELDS['agent.login.update']);

/** What became of it at one address; `advice` = what a person can do where it was not accepted. */
type AtAddress = { readonly ip: string; readonly shown: GivenShown; readonly advice: string | null };

export function createLoginTask<F extends Identification>(parts: {
  /** As configured now. */
  readonly configured: () => ScanRanges;
  readonly planFor: (ranges: ScanPlan['ranges']) => ScanPlan;
  readonly scans: Pick<ManualScans<F>, 'run'>;
  readonly describe: (contact: Contact<F>) => Pick<Scanned, 'status' | 'advice'>;
  readonly logins: {
    whyNot(): string | undefined;
    begin(ip: string, login: PlainLogin): GivenTrial | string;
    end(trial: GivenTrial): GivenShown;
    /** Why no login goes there, in words; undefined = it may. */
    withheld(ip: string): string | undefined;
  };
}): AgentTask {
  const { logins } = parts;

  const scan = async (taskId: string, ranges: ScanPlan['ranges'], signal: AbortSignal) => {
    const seen = new Map<string, Pick<Scanned, 'status' | 'advice'>>();
    const onContact = (contact: Contact<F>) => void seen.set(contact.ip, parts.describe(contact));
    await parts.scans.run(`task-${taskId}`, parts.planFor(ranges), { signal, onContact });
    return seen;
  };

  return {
    concurrency: 1,
    async run({ taskId, params }, signal) {
      const wanted = paramsSchema.safeParse(params);
      // Without what is wrong with it: that could be the password.
      if (!wanted.success) return failed('refused: the params do not fit agent.login.update');
      const whyNot = logins.whyNot();
      if (whyNot !== undefined) return failed(`refused: ${whyNot}`);
      const { addresses, user, password } = wanted.data;
      const ranges = narrowRanges(parts.configured(), addresses);
      if (typeof ranges === 'string') return failed(`refused: ${ranges}`);
      const begun = new Map(addresses.map((ip) => [ip, logins.begin(ip, { user, password })]));
      const settle = (seen: Awaited<ReturnType<typeof scan>>) =>
        [...begun].map(([ip, trial]): AtAddress => {
          if (typeof trial === 'string') return { ip, shown: 'untried', advice: trial };
          const shown = logins.end(trial);
          if (shown === 'taken') return { ip, shown, advice: null };
          if (shown === 'refused') return { ip, shown, advice: 'it refuses this login too' };
          return { ip, shown, advice: logins.withheld(ip) ?? seen.get(ip)?.advice ?? 'it does not answer' };
        });
      try {
        const outcome = outcomeOf(settle(await scan(taskId, ranges, signal)));
        return signal.aborted ? cancelled('cancelled before every address was read', outcome.evidence) : outcome;
      } catch (error) {
        settle(new Map());
        if (error instanceof RefusedError) return failed(`refused: ${error.message}`);
        if (error instanceof CancelledError) return failed('the scan broke; the log of the agent says why');
        throw error;
      }
    },
  };
}

function outcomeOf(settled: readonly AtAddress[]) {
  const other = settled.filter(({ shown }) => shown !== 'taken');
  const evidence = { addresses: settled };
  const words = `${settled.length - other.length} of ${settled.length} accepted the login`;
  const [first] = other;
  return first === undefined ? succeeded(words, evidence) : failed(`${words}; ${first.ip}: ${first.advice}`, evidence);
}
