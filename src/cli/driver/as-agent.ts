// Runs a driver as an agent does: in a process that may read the driver's own folder and nothing else, with little
// memory and little time for each call. It sends nothing to a device.
import { systemClock } from '../../base/clock.ts';
import { renderError } from '../../base/errors.ts';
import { type Finding, problem, type Sample } from '../../driver/check/finding.ts';
import { ownCommand } from '../../driver/load/process/child-command.ts';
import { DriverProcess } from '../../driver/load/process/driver-process.ts';
import { doubtOf } from '../../driver/load/trust/file-trust.ts';
import type { DriverHere } from './load-here.ts';

const NEXT =
  'an agent gives a driver the files of its own folder, 64 MB and 200 ms a call: no other file, no network, no timer';

/** Empty = it runs there as it does here. */
export async function triedAsAgent(
  { driver: { id }, folder, file, isGivenKit }: DriverHere,
  samples: readonly Sample[],
): Promise<readonly Finding[]> {
  // It comes with the program, and runs in the agent itself.
  if (!isGivenKit) return [];
  const running = new DriverProcess({
    ...{ clock: systemClock, command: ownCommand(), folder },
    onMessage: () => {},
    onEnd: () => {},
  });
  const found = (seen: string) => [{ check: 'as-agent', ...problem(seen, NEXT) }];
  try {
    await running.ready;
    await running.send(id, { kind: 'load', id, path: file });
    for (const { name, raw, known } of samples)
      await running
        .send(id, { kind: 'call', id, fn: 'read', args: [raw, known] })
        .catch((error: unknown) => Promise.reject(new Error(`${name}: read`, { cause: error })));
    return [];
  } catch (error) {
    return found(renderError(error));
  } finally {
    running.kill('was ended');
    await running.gone;
  }
}

/** Why an agent of this user would not load it as it lies here; undefined = it would. */
export const refusedHere = async ({ folder, file, isGivenKit }: DriverHere): Promise<string | undefined> =>
  isGivenKit ? doubtOf(/[/\\]index\.\w+$/.test(file) ? folder : file) : undefined;
