// `pithead signing-key`: the key of the service by which agents know its tasks.
import type { Command } from 'commander';
import type { CliContext } from '../output/terminal.ts';
import { addCommand, type DatabaseFlags, onDatabase, print, withAdmin } from './database.ts';

const SHOW = 'pithead signing-key show';
const REPLACE = 'pithead signing-key replace';

export function addSigningKey(program: Command, context: CliContext): void {
  const commands = addCommand(
    program,
    'signing-key',
    'the key of the service by which agents know its tasks',
    SHOW,
    REPLACE,
  );
  const aboutShow = 'its public half, as agents name it in their log when they learn it';
  onDatabase(commands, 'show', aboutShow, SHOW, `${SHOW} --json`).action(async (flags: DatabaseFlags) => {
    const key = await withAdmin(flags, context, (admin) => admin.taskKey());
    print(flags, context, { key: key ?? null }, key ?? 'none yet: the service makes it when it starts');
  });
  const aboutReplace = 'make a new one; agents take it over with their next connection, because the old one signs it';
  const aboutLost =
    'the key file that the old one was encrypted with is lost: each agent must be told to take the new one';
  onDatabase(commands, 'replace', aboutReplace, REPLACE, `${REPLACE} --lost`)
    .option('--lost', aboutLost)
    .action(async (flags: DatabaseFlags & { lost?: boolean }) => {
      const isLost = flags.lost === true;
      const made = await withAdmin(flags, context, (admin) => admin.replaceTaskKey({ isLost }));
      print(flags, context, made, `${made.publicKey}\n${made.isEndorsed ? TAKEN_OVER : TO_BE_TOLD}`);
    });
}

const TAKEN_OVER =
  'agents take it over with their next connection; restart every copy of the service if the old one should not be used any more';
const TO_BE_TOLD =
  'restart every copy of the service; then, on each farm, remove the file that the log of the agent names (agent-….key.json in its state) and restart the agent';
