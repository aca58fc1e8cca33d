// `pithead note`: writes down about one miner what a person has seen or done. The service keeps it, with the name of
// who wrote it.
import type { Command } from 'commander';
import { selectorText } from '../../model/selector/selector.ts';
import { answerOf } from '../../wire/api/envelope.ts';
import { newNoteSchema, noteSchema } from '../../wire/api/farm/memory.ts';
import {
  addConnectionOptions,
  CONNECTION_HELP,
  type ConnectionFlags,
  mustHaveService,
  withConnection,
} from '../connection/connection.ts';
import { readSelector, SELECTOR_HELP } from '../connection/selection.ts';
import { withUsage, wrongOption } from '../options.ts';
import { formatText } from '../output/format.ts';
import type { CliContext } from '../output/terminal.ts';
import { locationOf } from './row/state.ts';
import { theOne } from './the-one.ts';

type Flags = ConnectionFlags & { json?: boolean };

export function addNote(program: Command, context: CliContext): void {
  const command = program
    .command('note')
    .description('write a note about one miner')
    .argument('<selector>', 'which miner, for example 10.31.3.44 or a MAC (see below)')
    .argument('<text...>', 'what to write down')
    .option('--json', 'the note as one JSON object');
  addConnectionOptions(command)
    .addHelpText('after', HELP)
    .action((written: string, words: string[], flags: Flags) => run(written, words.join(' '), flags, context));
}

const HELP = `${SELECTOR_HELP}
${CONNECTION_HELP}

Exit codes: 0 written, 2 wrong usage or several miners match, 5 no miner matches.

Examples:
  $ pithead note 10.31.3.44 fan 2 replaced
  $ pithead note C4:11:04:01:02:03 'waits for a PSU, ordered on Monday'`;

async function run(written: string, text: string, flags: Flags, context: CliContext): Promise<void> {
  const { selector, body } = await withUsage(async () => ({
    selector: await readSelector([written], {}),
    body: readText(text),
  }));
  await withConnection(flags, context, async (connection) => {
    const service = mustHaveService(connection, 'a note');
    const miner = await theOne(connection, selectorText(selector), context);
    const path = `/miners/${miner.id}/notes`;
    const { data: note } = await service.ask(answerOf(noteSchema.loose()), { method: 'POST', path, body });
    const json = { miner_id: miner.id, ip: miner.ip, at: note.at, text: note.text, by: note.actor.name };
    const place = locationOf(miner);
    const about = place === undefined ? miner.ip : `${place} (${miner.ip})`;
    context.stdout.write(
      flags.json ? `${JSON.stringify(json)}\n` : `noted about ${about} by ${formatText(note.actor.name)}\n`,
    );
  });
}

function readText(text: string) {
  const read = newNoteSchema.safeParse({ text });
  if (read.success) return read.data;
  throw wrongOption('text', read.error.issues.map(({ message }) => message).join('; '));
}
