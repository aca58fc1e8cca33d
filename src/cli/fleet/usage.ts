// Words of the command line that are wrong end a command with 2, as an unknown option does.
import { ConfigError } from '../../base/errors.ts';
import { CommandFailed, EXIT } from '../output/exit.ts';

export async function withUsage<T>(read: () => Promise<T> | T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map(({ path, message }) => `${path}: ${message}`);
    throw new CommandFailed(problems.join('\n'), EXIT.usage);
  }
}
