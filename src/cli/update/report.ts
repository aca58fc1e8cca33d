// What of an update is told to people and to scripts: its steps, its end, and how things stand.
import { existsSync } from 'node:fs';
import { VERSION } from '../../base/version.ts';
import { linkedVersion } from '../../update/install/layout.ts';
import { type Outcome, readNotes, type Step } from '../../update/install/notes.ts';
import { currentLink, type Places, provenLink } from '../../update/install/places.ts';
import { builtInPins } from '../../update/trust/pins.ts';
import { keyName } from '../../update/trust/trust.ts';
import { CommandFailed } from '../output/exit.ts';
import type { CliContext } from '../output/terminal.ts';

/** Beyond 0 and 1, so that scripts can tell. */
const UPDATE_EXIT = { refused: 3, rolledBack: 4 } as const;

export function describeStep(step: Step, about: string): string {
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

export function report(
  outcome: Outcome,
  flags: { readonly json?: boolean },
  { stdout }: Pick<CliContext, 'stdout'>,
): void {
  const { result, message } = outcome;
  stdout.write(flags.json ? `${JSON.stringify(outcome)}\n` : `${result}: ${message}\n`);
}

/** Throws CommandFailed with the exit code for scripts. */
export function mustHaveWorked({ result }: Outcome): void {
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

export function showStatus(places: Places, { json }: { readonly json?: boolean }, { stdout }: CliContext): void {
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
