// The new password of miners: typed twice on a terminal without being shown, or the first line of a file or of the
// standard input. It is never on the command line, where every user of this host could read it.
import { isCancel, password } from '@clack/prompts';
import { CancelledError, type ConfigError } from '../../../base/errors.ts';
import { PARAMS_FIELDS } from '../../../model/tasks/task-params.ts';
import { readInput, readOptionFile, wrongOption } from '../../options.ts';
import type { CliContext } from '../../output/terminal.ts';

const OPTION = '--password-file';
const schema = PARAMS_FIELDS['miner.password.update'].password;

/** Of the option: a file, or `-` for the standard input. Throws ConfigError, or CancelledError where a person stops. */
export async function readNewPassword(file: string | undefined, context: CliContext): Promise<string> {
  if (file !== undefined)
    return checked(firstLine(file === '-' ? await readInput(OPTION, process.stdin) : readOptionFile(OPTION, file)));
  if (!process.stdin.isTTY || !context.stderr.isTTY)
    throw wrongOption(
      OPTION,
      'there is no terminal to type the new password: name a file with it, or - for standard input',
    );
  const typed = await ask('The new password', context);
  const wrong = problemOf(typed);
  if (wrong !== undefined) throw wrong;
  if ((await ask('Once more', context)) !== typed)
    throw wrongOption('password', 'the two are not the same: nothing was sent');
  return typed;
}

async function ask(message: string, { stderr, signal }: CliContext): Promise<string> {
  const typed = await password({ output: stderr, signal, message });
  if (isCancel(typed)) throw new CancelledError('ask for the new password');
  return typed;
}

const firstLine = (content: string): string => content.split(/\r?\n/, 1)[0] ?? '';

function checked(given: string): string {
  const wrong = problemOf(given);
  if (wrong !== undefined) throw wrong;
  return given;
}

/** Without a word of what was given. */
function problemOf(given: string): ConfigError | undefined {
  return schema.safeParse(given).success
    ? undefined
    : wrongOption(OPTION, 'accepted: 1 to 64 characters of which every one can be seen, in the first line');
}
