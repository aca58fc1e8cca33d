// Runs a driver as an agent does: in a process that may read only the driver's own folder, with little memory and
// little time for each call. `driver check` does this first. Nothing is sent to a device.
import { systemClock } from '../../base/clock.ts';
import { ConfigError, renderError } from '../../base/errors.ts';
import { readCase, sampleOf } from '../../driver/check/cases/case-file.ts';
import { type Finding, problem } from '../../driver/check/finding.ts';
import { ownCommand } from '../../driver/load/process/child-command.ts';
import { DriverProcess, DriverThrew } from '../../driver/load/process/driver-process.ts';
import { type Described, lookedAtSchema, misfitsOf } from '../../driver/load/remote/described.ts';
import { doubtOf } from '../../driver/load/trust/file-trust.ts';
import type { DriverEntry } from './load-here.ts';

const NEXT =
  'an agent gives a driver the files of its own folder, 64 MB and 200 ms a call: no other file, no network, no timer';

/**
 * `cases` = folders. An empty list = `read` works with every case. Throws ConfigError when an agent would not load it.
 */
export async function runAsAgent(entry: DriverEntry, cases: readonly string[]): Promise<readonly Finding[]> {
  const { id, folder } = entry;
  const running = new DriverProcess({
    ...{ clock: systemClock, command: ownCommand(), folder },
    onMessage: () => {},
    onEnd: () => {},
  });
  try {
    const driver = await loadedBy(running, entry);
    for (const each of cases) {
      const { name, raw, known } = sampleOf(driver, readCase(each));
      try {
        await running.send(id, { kind: 'call', id, fn: driver.read.fn, args: [raw, known] });
      } catch (error) {
        const next = error instanceof DriverThrew ? 'mend it there: `read` throws nothing' : NEXT;
        const what = error instanceof DriverThrew ? `throws at ${error.message}` : renderError(error);
        return [{ check: 'as-agent', ...problem(`${name}: \`read\` ${what}`, next) }];
      }
    }
    return [];
  } finally {
    running.kill('was ended');
    await running.gone;
  }
}

async function loadedBy(running: DriverProcess, { id, file }: DriverEntry): Promise<Described> {
  const wrong = (message: string) => new ConfigError('load the driver', [{ path: file, message }]);
  let description: unknown;
  try {
    await running.ready;
    description = await running.send(id, { kind: 'load', id, path: file });
  } catch (error) {
    throw wrong(`cannot be loaded: ${renderError(error)}`);
  }
  const { data, error } = lookedAtSchema.safeParse(description);
  if (error !== undefined) throw new ConfigError(`load the driver ${file}`, misfitsOf(error));
  if (data.id !== id) throw wrong(`its id is '${data.id}': it must be called as its file or folder, '${id}'`);
  return data;
}

/** Why an agent that runs as this user would refuse its files; undefined = it would not. */
export const refusedHere = ({ folder, file }: DriverEntry): Promise<string | undefined> =>
  doubtOf(/[/\\]index\.\w+$/.test(file) ? folder : file);
