// `pithead help`: the help of a command, or a page of the handbook. A command wins over a page of the same name.
import type { Command } from 'commander';
import { nearestNames } from '../base/nearest-names.ts';
import { fillWidth, listTopics, readPage, summaryOf } from './handbook.ts';
import { EXIT } from './output/exit.ts';
import type { CliContext } from './output/terminal.ts';

const EXAMPLES = `
Examples:
  $ pithead help scan             the help of a command
  $ pithead help key create
  $ pithead help postgres         a page of the handbook`;

/** To be called when all commands are there. */
export function addHelp(program: Command, { stdout }: Pick<CliContext, 'stdout'>): void {
  const topics = listTopics();
  const words = program.createArgument('[words...]', 'a command, or a topic of the handbook');
  // Offered at the tab key; a command is as good.
  words.argChoices = [...topics];
  program
    .helpCommand(false)
    .addHelpText('after', () => `\n${topicLines(topics)}`)
    .command('help')
    .description('show the help of a command, or a page of the handbook')
    .addArgument(words)
    .addHelpText('after', EXAMPLES)
    .action((asked: readonly string[]) => {
      const command = commandOf(program, asked);
      const topic = topics.find((name) => name === asked.join(' '));
      if (command !== undefined) command.outputHelp();
      else if (topic !== undefined) stdout.write(shown(readPage(topic), stdout));
      else program.error(unknownText(program, topics, asked.join(' ')), { exitCode: EXIT.usage });
    });
}

const topicLines = (topics: readonly string[]) =>
  ['Handbook, pithead help <topic>:', ...topics.map((name) => `  ${name.padEnd(16)}${summaryOf(readPage(name))}`)].join(
    '\n',
  );

const shown = (page: string, { isTTY, columns }: NodeJS.WriteStream) => (isTTY ? fillWidth(page, columns) : page);

/** The program itself where nothing is asked; undefined where a word names no command. */
const commandOf = (program: Command, words: readonly string[]): Command | undefined =>
  words.reduce<Command | undefined>(
    (command, word) => command?.commands.find((each) => each.name() === word || each.aliases().includes(word)),
    program,
  );

function unknownText(program: Command, topics: readonly string[], asked: string): string {
  const nearest = nearestNames(asked, [...namesBelow(program), ...topics]);
  const meant = nearest.length === 0 ? '' : `\n(Did you mean ${nearest.join(' or ')}?)`;
  return `error: no command or topic is called '${asked}'${meant}`;
}

/** `key`, `key create`, … */
const namesBelow = ({ commands }: Command, path = ''): readonly string[] =>
  commands.flatMap((command) => {
    const name = `${path}${command.name()}`;
    return [name, ...namesBelow(command, `${name} `)];
  });
