// The system service on Windows. A program that is not a service cannot be one, so a small one that is (pithead-service.exe, delivered beside this
// program) starts it, restarts it, and asks it to stop by closing its standard input.
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sc } from '../base/service-manager.ts';
import { systemFolder, writeFirstConfig } from './config-file.ts';
import { CommandFailed } from './exit.ts';
import type { ServiceHost } from './service-host.ts';

const NAME = 'pithead';
const HOST = 'pithead-service.exe';
const DESCRIPTION = 'Watches the miners of this farm.';
/** Restart the host itself, should it ever die: after 5 s, three times a day, then every minute. */
const ON_FAILURE = ['failure', NAME, 'reset=', '86400', 'actions=', 'restart/5000/restart/5000/restart/60000'];

export function createWindowsHost(environment: Readonly<Record<string, string | undefined>>): ServiceHost {
  const programs = join(environment.ProgramFiles ?? 'C:\\Program Files', 'Pithead');
  const data = systemFolder(environment);
  return {
    check() {
      if (!existsSync(join(dirname(process.execPath), HOST))) {
        throw new CommandFailed(`${HOST} must lie beside this program: take both from the same download`);
      }
    },
    async install() {
      try {
        mkdirSync(programs, { recursive: true });
        mkdirSync(data, { recursive: true });
      } catch {
        throw new CommandFailed(`${programs} cannot be written: run this as administrator`);
      }
      await quietly(() => sc('stop', NAME));
      copyFileSync(process.execPath, join(programs, 'pithead.exe'));
      copyFileSync(join(dirname(process.execPath), HOST), join(programs, HOST));
      writeFirstConfig(data, join(data, 'state'));
      const binPath = `"${join(programs, HOST)}"`;
      const isThere = await quietly(() => sc('query', NAME));
      const create = isThere
        ? sc('config', NAME, 'binPath=', binPath)
        : sc('create', NAME, 'binPath=', binPath, 'start=', 'auto', 'DisplayName=', 'Pithead');
      await create.catch(() => {
        throw new CommandFailed('Windows refuses the service: run this as administrator');
      });
      await quietly(() => sc('description', NAME, DESCRIPTION));
      await quietly(() => sc(...ON_FAILURE));
      await sc('start', NAME).catch(() => {
        throw new CommandFailed(`installed, but it does not start: ${join(data, 'pithead.log')} says why`);
      });
    },
    async remove(isPurge) {
      await quietly(() => sc('stop', NAME));
      await sc('delete', NAME).catch(() => {
        throw new CommandFailed('Windows does not remove the service: is it installed, is this run as administrator?');
      });
      // The running program cannot delete itself; the rest goes.
      rmSync(join(programs, HOST), { force: true, maxRetries: 10, retryDelay: 500 });
      if (isPurge) rmSync(data, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
    },
  };
}

/** Whether it worked. */
async function quietly(act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch {
    return false;
  }
}
