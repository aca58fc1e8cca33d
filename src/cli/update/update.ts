// `pithead update`: installs a signed bundle, and goes back to the previous version if it does not work. Also what the
// systemd units call: for a request of the agent, and after a kill.
import { existsSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Command } from 'commander';
import { sleepOn, systemClock } from '../../base/clock.ts';
import { parseDurationMs } from '../../base/time/duration.ts';
import { saveDatabases } from '../../update/install/database-copies.ts';
import { PATIENCE, type Patience } from '../../update/install/healthy.ts';
import { install, recover, type UpdateParts } from '../../update/install/install.ts';
import { currentLink, linkedVersion, type Places, windowsPlaces } from '../../update/install/layout.ts';
import { lockUpdates, newJournal, openNotes } from '../../update/install/notes.ts';
import { openBundle, readRequest, removeBundle, removeRequest } from '../../update/install/request.ts';
import { LINUX_PLACES } from '../../update/linux/units.ts';
import { builtInPins } from '../../update/trust/trust.ts';
import { wrongOption } from '../options.ts';
import { CommandFailed } from '../output/exit.ts';
import type { CliContext } from '../output/terminal.ts';
import { updateByHand } from './by-hand.ts';
import { createHost, restoreCopies } from './hosts.ts';
import { report, reportAsExit, showStatus, stepPrinter } from './report.ts';

const LOCK_MS = 15 * 60_000;
const HALF_BACK = 'the version before is not all back yet, so nothing is installed: see to what is said above';
const RETURN_AGAIN_MS = 10 * 60_000;
const isWindows = process.platform === 'win32';

const placesOf = ({ environment }: CliContext): Places => (isWindows ? windowsPlaces(environment) : LINUX_PLACES);

type Flags = {
  json?: boolean;
  again?: boolean;
  withoutDrivers?: boolean;
  status?: boolean;
  recover?: boolean;
  boot?: boolean;
  staged?: boolean;
  readyWithin?: string;
  stableFor?: string;
};

const HELP = `
The bundle is checked, put beside the running version and tried; then the service is stopped, its databases are copied, and the new version is
started. A version that refuses drivers of this host, which the version before takes, is not installed. If it is not ready in time, or does not stay so, the version before comes back, with its data if the new one changed them.

Exit codes: 0 updated, 1 could not be installed, 3 refused (signature, version, platform, known to be broken), 4 installed and taken back.
In all cases but 0 the version before is the one that runs.

Examples:
  $ pithead update pithead-1.2.0-linux-x64.bundle
  $ pithead update pithead-1.2.0-linux-x64.bundle --json
  $ pithead update --status`;

export function addUpdate(program: Command, context: CliContext): void {
  program
    .command('update')
    .argument('[bundle]', 'signed update')
    .description(
      'install a signed update; go back to the version before if it does not work (system service, as root or administrator)',
    )
    .option('--json', 'one JSON object: result, from, to, message, …')
    .option('--again', 'try it although it was found to be broken')
    .option('--without-drivers', 'install it although it refuses drivers of the folder that the version before takes')
    .option('--ready-within <duration>', 'how long the new version may take to be ready', '45s')
    .option('--stable-for <duration>', 'how long it must stay so', '20s')
    .option('--status', 'show what is installed, and what came of the last update')
    .option('--recover', 'undo an update that was cut short')
    .option('--boot', 'with --recover: the service manager starts the service by itself')
    .option('--staged', 'install what the agent has put down, for the unit that watches for it')
    .addHelpText('after', HELP)
    .action((bundle: string | undefined, flags: Flags) => run(bundle, flags, context));
  program
    .command('update-databases', { hidden: true })
    .argument('<what>', 'save or restore')
    .argument('<folder>', 'state directory')
    .addHelpText('after', '\nExamples:\n  $ pithead update-databases save /var/lib/pithead')
    .action((what: string, folder: string) => {
      if (what === 'save') return void saveDatabases(folder);
      if (what !== 'restore') throw new CommandFailed(`${what}: accepted are save and restore`);
      const restored = restoreCopies(folder);
      context.stdout.write(
        restored.length === 0 ? 'the databases can be read as they are\n' : `put back: ${restored.join(', ')}\n`,
      );
    });
}

async function run(bundle: string | undefined, flags: Flags, context: CliContext): Promise<void> {
  const places = placesOf(context);
  if (flags.status) return showStatus(places, flags, context);
  if (bundle === undefined && !flags.recover && !flags.staged) {
    throw new CommandFailed('name the bundle: pithead update <file>', 2);
  }
  if (bundle !== undefined && !existsSync(bundle)) throw new CommandFailed(`${bundle} is not there`);
  const call = { places, bundle, patience: patienceOf(flags), flags, context };
  if (!isWindows) {
    mustBePossible(places);
    return runHere(call);
  }
  if (!flags.staged) return runByHand(call);
  // On Windows the standard output is the way to the service host.
  return runHere({ ...call, context: { ...context, stdout: context.stderr } });
}

type Call = {
  readonly places: Places;
  readonly bundle: string | undefined;
  readonly patience: Patience;
  readonly flags: Flags;
  readonly context: CliContext;
};

/** The user that may stop and start the service: root on Linux; on Windows the user of the service host. */
async function runHere({ places, bundle, patience, flags, context }: Call): Promise<void> {
  const notes = openNotes(places.notes);
  const unlock = await lockUpdates(places.notes, { clock: systemClock, waitMs: LOCK_MS, signal: context.signal });
  let isHalfBack = false;
  try {
    const parts: UpdateParts = {
      ...{ places, notes, patience, clock: systemClock },
      host: createHost(places, flags.boot === true, context),
      pins: builtInPins(),
      target: `${isWindows ? 'win' : process.platform}-${process.arch}`,
      onStep: stepPrinter(flags, context),
    };
    const recovered = await recover(parts);
    if (recovered !== undefined) report(recovered, { json: flags.json === true && bundle === undefined }, context);
    isHalfBack = notes.journal() !== undefined;
    if (isHalfBack) throw new CommandFailed(HALF_BACK);
    if (flags.recover) return;
    if (bundle === undefined) return await installRequested(parts, flags, context);
    const { again = false, withoutDrivers = false } = flags;
    const outcome = await install(parts, { bundle, taskId: null, again, withoutDrivers });
    reportAsExit(outcome, flags, context);
  } finally {
    unlock();
    // The unit is called again as soon as it ends, and each call stops the service.
    if (isHalfBack && flags.staged) await sleepOn(systemClock, RETURN_AGAIN_MS, context.signal);
  }
}

async function runByHand({ places, bundle, patience, flags, context }: Call): Promise<void> {
  if (bundle === undefined)
    throw new CommandFailed(
      'the service does that by itself, and first of all when it starts: sc.exe stop pithead, sc.exe start pithead',
    );
  const { again = false, withoutDrivers = false } = flags;
  const request = { bundle, again, withoutDrivers, patience, onStep: stepPrinter(flags, context) };
  const outcome = await updateByHand(places, request, { clock: systemClock, signal: context.signal });
  reportAsExit(outcome, flags, context);
}

/** What became of it is for the agent to read; as a unit this has done its work. */
async function installRequested(parts: UpdateParts, flags: Flags, context: CliContext): Promise<void> {
  const { notes, places, clock } = parts;
  const request = await readRequest(places.requests);
  if (request === undefined) return;
  const from = linkedVersion(currentLink(places)) ?? '';
  // From here on there is an outcome, whatever happens; then it is not asked for any more.
  notes.setJournal(newJournal(from, request.task_id, clock.nowMs()));
  await removeRequest(places.requests);
  const file = await openBundle(places.requests).catch(() => undefined);
  try {
    // Windows: a person hands over in the same way as the agent does, and that person's own words count.
    const { again = false, without_drivers = false, ready_ms, stable_ms } = (isWindows && request.by_hand) || {};
    const patience = { readyMs: ready_ms ?? parts.patience.readyMs, stableMs: stable_ms ?? parts.patience.stableMs };
    const wanted = { bundle: file ?? devNull, taskId: request.task_id, again, withoutDrivers: without_drivers };
    const outcome = await install({ ...parts, patience }, wanted);
    report(outcome, flags, context);
  } finally {
    await file?.close();
    await removeBundle(places.requests);
  }
}

function patienceOf({ readyWithin, stableFor }: Flags): Patience {
  const read = (option: string, text: string | undefined, fallbackMs: number) => {
    if (text === undefined) return fallbackMs;
    const durationMs = parseDurationMs(text);
    if (durationMs !== undefined && durationMs <= 600_000) return durationMs;
    throw wrongOption(option, `'${text}' is not a time up to 10m`);
  };
  return {
    readyMs: read('--ready-within', readyWithin, PATIENCE.readyMs),
    stableMs: read('--stable-for', stableFor, PATIENCE.stableMs),
  };
}

function mustBePossible(places: Places): void {
  if (process.platform !== 'linux' || !existsSync('/run/systemd/system')) {
    throw new CommandFailed(
      'updates are for system services under systemd; elsewhere put the new program in place of the old one',
    );
  }
  if (process.getuid?.() !== 0) throw new CommandFailed('only root may do this: use sudo');
  if (linkedVersion(currentLink(places)) === undefined)
    throw new CommandFailed('Pithead is not installed here as a system service');
}
