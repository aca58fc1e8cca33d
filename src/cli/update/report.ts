// What of an update is shown to people and to scripts: its steps, its end, and how things stand.
import { existsSync } from 'node:fs';
import { VERSION } from '../../base/version.ts';
import { currentLink, linkedVersion, type Places, provenLink } from '../../update/install/layout.ts';
import { type Outcome, readNotes, type Step } from '../../update/install/notes.ts';
import { builtInPins, keyName } from '../../update/trust/trust.ts';
import { CommandFailed, EXIT } from '../output/exit.ts';
import type { CliContext } from '../output/terminal.ts';

/** What a step is for people; `about` is a version, or the reason to go back. */
const STEP_TEXTS = {
  verifying: () => 'checking the signatures …',
  staging: (about) => `putting ${about} beside the running version …`,
  trying: (about) => `trying ${about} by itself …`,
  saving: () => 'stopping the service, copying its databases …',
  switching: (about) => `switching to ${about} …`,
  watching: (about) => `watching whether ${about} works …`,
  returning: (about) => `going back: ${about}`,
} as const satisfies Record<Step, (about: string) => string>;

type OnStep = (step: Step, about: string) => void;

/** Nothing for scripts, which read the outcome. */
export const stepPrinter =
  ({ json }: JsonFlag, { stderr }: CliContext): OnStep =>
  (step, about) => {
    if (!json) stderr.write(`${STEP_TEXTS[step](about)}\n`);
  };

type JsonFlag = { readonly json?: boolean };

export function report(outcome: Outcome, flags: JsonFlag, { stdout }: CliContext): void {
  const { result, message } = outcome;
  stdout.write(flags.json ? `${JSON.stringify(outcome)}\n` : `${result}: ${message}\n`);
}

/** Beyond 0 and 1, so that scripts can tell. */
const EXIT_CODES = {
  updated: EXIT.ok,
  refused: 3,
  'rolled-back': 4,
  failed: EXIT.failed,
  interrupted: EXIT.failed,
} as const satisfies Record<Outcome['result'], number>;

/** Throws CommandFailed with the exit code for scripts unless it has worked. */
export function reportAsExit(outcome: Outcome, flags: JsonFlag, context: CliContext): void {
  report(outcome, flags, context);
  const exitCode = EXIT_CODES[outcome.result];
  if (exitCode !== EXIT.ok) throw new CommandFailed('', exitCode);
}

export function showStatus(places: Places, { json }: JsonFlag, { stdout }: CliContext): void {
  const notes = existsSync(places.notes) ? readNotes(places.notes) : undefined;
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
