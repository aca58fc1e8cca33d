// The commands of the verbs, made from their table: words, arguments, options, help. What a command does is act.ts.
import type { Command } from 'commander';
import { withForcedCanary } from '../../model/task.ts';
import { CONNECTION_HELP, mustHaveService } from '../connection/connection.ts';
import { readSelector, SELECTOR_HELP } from '../connection/selection.ts';
import { addReachOptions } from '../miners/access-options.ts';
import { withUsage } from '../options.ts';
import { CommandFailed, EXIT } from '../output/exit.ts';
import type { CliContext } from '../output/terminal.ts';
import { type ActTerms, carryOut } from './act.ts';
import { addLog } from './commands/log.ts';
import { readNewPassword } from './commands/new-password.ts';
import { addPoolSets } from './commands/pool-sets.ts';
import { addPoolsShow } from './commands/pools-show.ts';
import { opsStatusRunner } from './runners/ops-status.ts';
import { addTaskTerms, addTerms, termsOf } from './terms.ts';
import type { VerbFlags } from './verbs/params.ts';
import { VERBS, type Verb } from './verbs/verbs.ts';
import { mustName, runnerOn, type WayFlags, withReboot, withSelection } from './ways.ts';

export type ActFlags = WayFlags & VerbFlags;

const GROUPS = {
  light: 'find miners by their light',
  pools: 'show, set, save and lock the pools of miners',
  maintenance: 'say which miners are being worked on',
} as const;
type Group = keyof typeof GROUPS;

const isGroup = (word: string): word is Group => Object.hasOwn(GROUPS, word);

/** `word` = the first of the command. */
export const addVerbs =
  (word: string) =>
  (program: Command, context: CliContext): void => {
    const verbs: readonly Verb[] = VERBS.filter(({ words }) => words.split(' ')[0] === word);
    if (!isGroup(word)) {
      for (const verb of verbs) addVerb(program, word, verb, context);
      return;
    }
    const group = program.command(word).description(GROUPS[word]);
    if (word === 'pools') {
      addPoolsShow(group, context);
      addPoolSets(group, context);
    }
    for (const verb of verbs) addVerb(group, verb.words.slice(word.length + 1), verb, context);
    const examples = verbs.map(({ words, examples: [first = ''] }) => `  $ pithead ${words} ${first}`.trimEnd());
    group.addHelpText('after', `\nExamples:\n${examples.join('\n')}`);
  };

function addVerb(parent: Command, name: string, verb: Verb, context: CliContext): void {
  const command = parent.command(name).description(verb.description);
  if (verb.argument !== undefined) command.argument(`<${verb.argument[0]}>`, verb.argument[1]);
  addTerms(command);
  if ('task' in verb && verb.words !== 'log') addTaskTerms(command);
  for (const [flags, description] of verb.options ?? []) command.option(flags, description);
  if ('isPossibleAlone' in verb) addReachOptions(command);
  command.addHelpText('after', helpOf(verb));
  if (verb.words === 'log') addLog(command, verb.sentences, context);
  else if (verb.argument === undefined)
    command.action((words: string[], flags: ActFlags) => act(verb, '', words, flags, context));
  else
    command.action((word: string, words: string[], flags: ActFlags) => {
      // With an address of the image no file is named: what stands first is a miner.
      const isFile = verb.words !== 'firmware' || flags.url === undefined;
      return act(verb, isFile ? word : '', isFile ? words : [word, ...words], flags, context);
    });
}

const helpOf = ({ words, help = '', examples }: Verb): string =>
  [
    ...(help === '' ? [] : [help]),
    CONNECTION_HELP,
    SELECTOR_HELP,
    `\nExamples:\n${examples.map((example) => `  $ pithead ${words} ${example}`).join('\n')}`,
  ].join('\n');

async function act(
  verb: Verb,
  word: string,
  words: readonly string[],
  flags: ActFlags,
  context: CliContext,
): Promise<void> {
  const terms = termsFor(verb, flags);
  mustReadOnce(words, flags);
  const selector = await readSelector(words, flags);
  mustName(selector);
  if (!('task' in verb))
    return withSelection(selector, flags, context, (connection, selection) => {
      const service = mustHaveService(connection, 'maintenance');
      return carryOut(opsStatusRunner(service, verb.opsStatus, selection), verb.sentences, terms, context);
    });
  const given = verb.words === 'password' ? await withUsage(() => readNewPassword(flags.passwordFile, context)) : word;
  const params = verb.params({ word: given, flags });
  const { limits, isDetached } = terms;
  if (verb.words === 'reboot')
    return withReboot(selector, { params, limits, isDetached }, flags, context, (runner) =>
      carryOut(runner, verb.sentences, terms, context),
    );
  return withSelection(selector, flags, context, async (connection, selection) => {
    const act = { task: verb.task, params, limits };
    const runner = await runnerOn(connection, act, selection, flags, context);
    await carryOut(runner, verb.sentences, terms, context);
  });
}

/** With the canary that some acts always have. */
function termsFor(verb: Verb, flags: ActFlags): ActTerms {
  const { limits, ...terms } = termsOf(flags);
  const canary = 'task' in verb ? withForcedCanary(verb.task, limits)?.canary : limits.canary;
  return { ...terms, limits: { ...limits, canary } };
}

/** The standard input is there once. */
function mustReadOnce(words: readonly string[], { passwordFile, file = [] }: ActFlags): void {
  if (passwordFile === '-' && [...words, ...file].includes('-'))
    throw new CommandFailed('--password-file: standard input cannot give the miners, too', EXIT.usage);
}
