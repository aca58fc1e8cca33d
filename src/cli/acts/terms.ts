// Options that all acts take, and what they say.
import type { Command } from 'commander';
import { addConnectionOptions, type ConnectionFlags } from '../connection/connection.ts';
import { addSelector, type SelectorFlags } from '../connection/selection.ts';
import { readWhole, wrongOption } from '../options.ts';
import type { ActTerms } from './act.ts';

export type TermFlags = ConnectionFlags &
  SelectorFlags & {
    json?: boolean;
    dryRun?: boolean;
    yes?: boolean;
    canary?: string;
    stopAfter?: string;
    concurrency?: string;
    detach?: boolean;
  };

/** As many as one act may be about. */
const MOST = 10_000;

export const addTerms = (command: Command): Command => addActOptions(addSelector(command));

export const addActOptions = (command: Command): Command =>
  addConnectionOptions(command)
    .option('--json', 'one JSON object per line and step, then one with the counts')
    .option('--dry-run', 'show who would get it, who not and why, and how long it takes; nothing is sent')
    .option('-y, --yes', 'ask nothing; without a terminal it is needed for more than one miner');

/** Of what becomes tasks that change miners. */
export const addTaskTerms = (command: Command): Command =>
  command
    .option('--canary <n>', 'so many go first, the others only when these are proven')
    .option('--stop-after <n>', 'after so many failures no more are begun')
    .option('--detach', 'hand it over and end; pithead tasks shows what becomes of it');

export function termsOf({ json, dryRun, yes, canary, stopAfter, concurrency, detach }: TermFlags): ActTerms {
  const isDetached = detach === true;
  if (isDetached && concurrency !== undefined)
    throw wrongOption('--concurrency', 'has no meaning with --detach: this command does not stay to count');
  const number = (option: string, text: string | undefined) =>
    text === undefined ? undefined : readWhole(option, text, 1, MOST);
  return {
    ...{ json: json === true, isAgreed: yes === true, isDryRun: dryRun === true, isDetached },
    limits: {
      canary: number('--canary', canary),
      stopAfter: number('--stop-after', stopAfter),
      concurrency: number('--concurrency', concurrency),
    },
  };
}
