// The system service on Windows. Only a service program can be one, so pithead-service.exe, shipped beside this
// program, runs it. Under the name pithead.exe it is also the command for people, and starts the version in use.
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { closeToOthers, sc, stopWindowsService } from '../../base/platform/service-manager.ts';
import { moveOver } from '../../base/storage/atomic-file.ts';
import { VERSION } from '../../base/version.ts';
import {
  currentLink,
  linkTo,
  programOf,
  provenLink,
  removeOthers,
  versionFolder,
  windowsPlaces,
} from '../../update/install/layout.ts';
import { CommandFailed } from '../output/exit.ts';
import type { CliContext } from '../output/terminal.ts';
import { systemFolder, writeFirstConfig } from './config-file.ts';

const NAME = 'pithead';
const HOST = 'pithead-service.exe';
/** What people call; the small program tells by its name which of the two it is. */
const CALLED = 'pithead.exe';
const DESCRIPTION = 'Watches the miners of this farm.';
/** Restart the host itself, should it ever die: after 5 s, three times a day, then every minute. */
const ON_FAILURE = ['failure', NAME, 'reset=', '86400', 'actions=', 'restart/5000/restart/5000/restart/60000'];

export function createWindowsService(environment: CliContext['environment']) {
  const places = windowsPlaces(environment);
  const { programs } = places;
  const data = systemFolder(environment);
  const delivered = join(dirname(process.execPath), HOST);
  return {
    called: `"${join(programs, CALLED)}"`,
    check() {},
    async install() {
      if (!existsSync(delivered))
        throw new CommandFailed(`${HOST} must lie beside this program: take both from the same download`);
      try {
        mkdirSync(versionFolder(places, VERSION), { recursive: true });
        mkdirSync(data, { recursive: true });
      } catch {
        throw new CommandFailed(`${programs} cannot be written: run this as administrator`);
      }
      await orFail(closeToOthers(data), `${data} cannot be closed to other users: run this as administrator`);
      await stop();
      putFile(process.execPath, programOf(places, VERSION));
      for (const name of [HOST, CALLED]) putFile(delivered, join(programs, name));
      for (const link of [currentLink(places), provenLink(places)]) linkTo(places, link, VERSION);
      // What an update was about to do to the version before is over.
      rmSync(join(places.notes, 'journal.json'), { force: true });
      removeOthers(places, []);
      writeFirstConfig(data, join(data, 'state'));
      await createService(join(programs, HOST));
      await orFail(sc('start', NAME), `installed, but it does not start: ${join(data, 'pithead.log')} says why`);
    },
    async remove(isPurge: boolean) {
      await stop();
      const refusal = 'Windows does not remove the service: is it installed, is this run as administrator?';
      await orFail(sc('delete', NAME), refusal);
      // The running program cannot delete itself; the rest goes.
      rmSync(join(programs, HOST), { force: true, maxRetries: 10, retryDelay: 500 });
      if (isPurge) rmSync(data, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
    },
  };
}

async function createService(host: string): Promise<void> {
  const binPath = `"${host}"`;
  const isThere = await works(sc('query', NAME));
  const create = isThere
    ? sc('config', NAME, 'binPath=', binPath)
    : sc('create', NAME, 'binPath=', binPath, 'start=', 'auto', 'DisplayName=', 'Pithead');
  await orFail(create, 'Windows refuses the service: run this as administrator');
  await works(sc('description', NAME, DESCRIPTION));
  await works(sc(...ON_FAILURE));
}

/** If there is one: a program that runs cannot be replaced. */
async function stop(): Promise<void> {
  const isStopped = await stopWindowsService(NAME).catch(() => true);
  if (!isStopped) throw new CommandFailed('the service does not stop: end pithead-service.exe, then do this again');
}

/** A program that still runs can be moved away, though not overwritten. */
function putFile(from: string, to: string): void {
  if (from.toLowerCase() === to.toLowerCase()) return;
  copyFileSync(from, `${to}.new`);
  try {
    moveOver(`${to}.new`, to);
  } catch {
    rmSync(`${to}.old`, { force: true });
    moveOver(to, `${to}.old`);
    moveOver(`${to}.new`, to);
  }
}

const orFail = (act: Promise<unknown>, message: string): Promise<unknown> =>
  act.catch(() => {
    throw new CommandFailed(message);
  });

const works = (act: Promise<unknown>): Promise<boolean> =>
  act.then(
    () => true,
    () => false,
  );
