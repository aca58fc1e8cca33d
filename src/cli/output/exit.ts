// Exit codes that scripts and service managers can rely on, and the one place where an error becomes text for a person.
import { CommanderError } from 'commander';
import { CancelledError, ConfigError, renderError } from '../../base/errors.ts';

export const EXIT = {
  ok: 0,
  /** Something that was asked for did not succeed: a reboot failed, a miner did not answer. */
  failed: 1,
  /** Unknown command or option, or a missing argument. */
  usage: 2,
  /** No agent runs here that could be asked (as for services: program is not running). */
  notRunning: 3,
  /** The agent that runs here, or may run here, cannot be asked: for want of rights above all (status is unknown). */
  unknown: 4,
  /** What was selected matches no miner. */
  nothing: 5,
  /** A value on the command line or in the configuration is wrong; a restart will not help (sysexits EX_CONFIG). */
  config: 78,
  /** Stopped by Ctrl-C. */
  interrupted: 130,
} as const;

/** A command that ran, told the user what failed, and has nothing more to print. */
export class CommandFailed extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Prints what a person needs to know and gives the exit code. */
export function toExitCode(error: unknown, stderr: { write(text: string): unknown }): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof ConfigError) {
    stderr.write(`${error.message}: ${error.problems.length} problem${error.problems.length === 1 ? '' : 's'}\n`);
    for (const problem of error.problems) stderr.write(`  ${problem.path}: ${problem.message}\n`);
    return EXIT.config;
  }
  if (error instanceof CommandFailed) {
    if (error.message !== '') stderr.write(`${error.message}\n`);
    return error.exitCode;
  }
  if (error instanceof CancelledError) return EXIT.interrupted;
  stderr.write(`pithead: ${renderError(error)}\n`);
  return EXIT.failed;
}
