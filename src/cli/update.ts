// `pithead update`: a signed bundle becomes the version that runs, and the one before comes back if it does not work. Also what the units beside the
// service call: for what the agent put down, and after a kill.
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { beginNewEpochs } from '../agent/restored.ts';
import { sleepOn, systemClock } from '../base/clock.ts';
import { parseDurationMs } from '../base/duration.ts';
import { ConfigError } from '../base/errors.ts';
import { VERSION } from '../base/version.ts';
import { restoreDatabases, saveDatabases } from '../update/database-copies.ts';
import { PATIENCE, type Patience } from '../update/healthy.ts';
import { install, type UpdateParts } from '../update/install.ts';
import { linkedVersion } from '../update/layout.ts';
import { lockUpdates } from '../update/lock.ts';
import { type Notes, type Outcome, openNotes, readNotes, type Step } from '../update/notes.ts';
import { builtInPins } from '../update/pins.ts';
import { currentLink, NOTES_FOLDER, type Places, provenLink } from '../update/places.ts';
import { recover } from '../update/recover.ts';
import { keyName } from '../update/trust.ts';
import { CommandFailed } from './exit.ts';
import { databaseOf, EMBEDDED } from './stack.ts';
import { PROGRAM_FOLDER } from './systemd-unit.ts';
import type { CliContext } from './terminal.ts';
import { createBootHost, createUpdateHost } from './update-host.ts';
import { openWish, readRequest, removeBundle, removeRequest } from './update-staged.ts';
import { WISHES_FOLDER } from './update-units.ts';

/** Beyond 0 and 1, so that scripts can tell. */
const UPDATE_EXIT = { refused: 3, rolledBack: 4 } as const;
const LOCK_MS = 15 * 60_000;
const RETURN_AGAIN_MS = 10 * 60_000;
const PLACES: Places = { programs: PROGRAM_FOLDER, notes: NOTES_FOLDER, wishes: WISHES_FOLDER };

type Flags = {
  json?: boolean;
  again?: boolean;
  status?: boolean;
  recover?: boolean;
  boot?: boolean;
  staged?: boolean;
  readyWithin?: string;
  stableFor?: string;
};

const HELP = `
The bundle is checked, put beside the running version and tried; then the service is stopped, its databases are copied, and the new version is
started. If it is not ready in time, or does not stay so, the version before comes back, with its data if the new one changed them.

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
      'install a signed update; go back to the version before if it does not work (Linux system service, as root)',
    )
    .option('--json', 'one JSON object: result, from, to, message, …')
    .option('--again', 'try it although it was found to be broken')
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
      const restored = restoreDatabases(folder);
      // The farm's own service was put back to the same moment and agrees; the company's was not.
      const inStep = restored.includes(basename(databaseOf(folder))) ? [EMBEDDED] : [];
      for (const name of restored) beginNewEpochs(join(folder, name), inStep);
      context.stdout.write(
        restored.length === 0 ? 'the databases can be read as they are\n' : `put back: ${restored.join(', ')}\n`,
      );
    });
}

async function run(bundle: string | undefined, flags: Flags, context: CliContext): Promise<void> {
  if (flags.status) return showStatus(flags, context);
  if (bundle === undefined && !flags.recover && !flags.staged) {
    throw new CommandFailed('name the bundle: pithead update <file>', 2);
  }
  if (bundle !== undefined && !existsSync(bundle)) throw new CommandFailed(`${bundle} is not there`);
  mustBePossible();
  const patience = patienceOf(flags);
  const notes = openNotes(NOTES_FOLDER);
  const unlock = await lockUpdates(NOTES_FOLDER, { clock: systemClock, waitMs: LOCK_MS, signal: context.signal });
  let isHalfBack = false;
  try {
    const parts = partsOf(notes, patience, flags, context);
    const recovered = await recover(parts);
    if (recovered !== undefined)
      report(recovered, { ...flags, json: flags.json === true && bundle === undefined }, context);
    isHalfBack = notes.journal() !== undefined;
    if (isHalfBack) {
      throw new CommandFailed(
        'the version before is not all back yet, so nothing is installed: see to what is said above',
      );
    }
    if (flags.recover) return;
    if (bundle === undefined) return await installWish(parts, flags, context);
    const outcome = await install(parts, { bundle, taskId: null, again: flags.again === true });
    report(outcome, flags, context);
    mustHaveWorked(outcome);
  } finally {
    unlock();
    // The unit is called again as soon as it ends, and each call stops the service.
    if (isHalfBack && flags.staged) await sleepOn(systemClock, RETURN_AGAIN_MS, context.signal);
  }
}

/** What became of it is for the agent to read; as a unit this has done its work. */
async function installWish(parts: UpdateParts, flags: Flags, context: CliContext): Promise<void> {
  const { notes, places, clock } = parts;
  const wish = await readRequest(places.wishes);
  if (wish === undefined) return;
  const from = linkedVersion(currentLink(places)) ?? '';
  const begun = { step: 'verifying', from, to: null, sha256: null, task_id: wish.task_id } as const;
  // From here on there is an outcome, whatever happens; then it is not asked for any more.
  notes.setJournal({ ...begun, started_ms: clock.nowMs(), switched_ms: null, reason: null });
  await removeRequest(places.wishes);
  const file = await openWish(places.wishes).catch(() => undefined);
  try {
    const outcome = await install(parts, { bundle: file ?? '/dev/null', taskId: wish.task_id });
    report(outcome, flags, context);
  } finally {
    await file?.close();
    await removeBundle(places.wishes);
  }
}

function partsOf(notes: Notes, patience: Patience, flags: Flags, { environment, stderr }: CliContext): UpdateParts {
  return {
    places: PLACES,
    notes,
    host: flags.boot ? createBootHost(environment) : createUpdateHost(environment),
    clock: systemClock,
    patience,
    pins: builtInPins(),
    target: `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`,
    onStep(step, about) {
      if (!flags.json) stderr.write(`${describe(step, about)}\n`);
    },
  };
}

function describe(step: Step, about: string): string {
  switch (step) {
    case 'verifying':
      return 'checking the signatures …';
    case 'staging':
      return `putting ${about} beside the running version …`;
    case 'trying':
      return `trying ${about} by itself …`;
    case 'saving':
      return 'stopping the service, copying its databases …';
    case 'switching':
      return `switching to ${about} …`;
    case 'watching':
      return `watching whether ${about} works …`;
    case 'returning':
      return `going back: ${about}`;
  }
}

function report(outcome: Outcome, flags: Flags, { stdout }: CliContext): void {
  const { result, message } = outcome;
  stdout.write(flags.json ? `${JSON.stringify(outcome)}\n` : `${result}: ${message}\n`);
}

function mustHaveWorked({ result }: Outcome): void {
  switch (result) {
    case 'updated':
      return;
    case 'refused':
      throw new CommandFailed('', UPDATE_EXIT.refused);
    case 'rolled-back':
      throw new CommandFailed('', UPDATE_EXIT.rolledBack);
    case 'failed':
    case 'interrupted':
      throw new CommandFailed('');
  }
}

function showStatus({ json }: Flags, { stdout }: CliContext): void {
  const places = PLACES;
  const notes = existsSync(NOTES_FOLDER) ? readNotes(NOTES_FOLDER) : undefined;
  const roots = builtInPins().roots.map(keyName);
  const status = {
    program: VERSION,
    current: linkedVersion(currentLink(places)) ?? null,
    proven: linkedVersion(provenLink(places)) ?? null,
    roots,
    under_way: notes?.journal() ?? null,
    last: notes?.outcome() ?? null,
    broken: notes?.broken() ?? [],
  };
  if (json) return void stdout.write(`${JSON.stringify(status)}\n`);
  const { current, proven, last, broken } = status;
  const lines = [
    `installed  ${current ?? 'not as a system service'}${proven === current ? '' : `, last proven: ${proven ?? 'none'}`}`,
    `trusts     ${roots.length === 0 ? 'no root key: this build takes no updates' : roots.join(', ')}`,
    `last       ${last === null ? 'none' : `${last.finished_at} ${last.result}: ${last.message}`}`,
    ...(status.under_way === null
      ? []
      : [`under way  ${status.under_way.step}, since ${new Date(status.under_way.started_ms).toISOString()}`]),
    ...broken.map(({ version, at, reason }) => `broken     ${version}, ${at}: ${reason}`),
  ];
  stdout.write(`${lines.join('\n')}\n`);
}

function patienceOf({ readyWithin, stableFor }: Flags): Patience {
  const read = (option: string, text: string | undefined, fallbackMs: number) => {
    if (text === undefined) return fallbackMs;
    const durationMs = parseDurationMs(text);
    if (durationMs !== undefined && durationMs <= 600_000) return durationMs;
    throw new ConfigError('read the command line', [{ path: option, message: `'${text}' is not a time up to 10m` }]);
  };
  return {
    readyMs: read('--ready-within', readyWithin, PATIENCE.readyMs),
    stableMs: read('--stable-for', stableFor, PATIENCE.stableMs),
  };
}

function mustBePossible(): void {
  if (process.platform !== 'linux' || !existsSync('/run/systemd/system')) {
    throw new CommandFailed(
      'updates are for system services under systemd; elsewhere put the new program in place of the old one',
    );
  }
  if (process.getuid?.() !== 0) throw new CommandFailed('only root may do this: use sudo');
  if (linkedVersion(currentLink(PLACES)) === undefined)
    throw new CommandFailed('Pithead is not installed here as a system service');
}
