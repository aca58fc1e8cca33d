// Where state lives when nobody says, and making sure that it can.
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../base/errors.ts';

/** The usual place of the platform for one user's state: `$XDG_STATE_HOME`, `~/.local/state`, `%LOCALAPPDATA%`. */
export function defaultStateDir(environment: Readonly<Record<string, string | undefined>>): string {
  const base =
    process.platform === 'win32'
      ? (environment.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'))
      : (environment.XDG_STATE_HOME ?? join(environment.HOME ?? homedir(), '.local', 'state'));
  return join(base, 'pithead');
}

/** Creates it for its owner alone. Throws ConfigError that names the setting. */
export function prepareStateDir(stateDir: string): void {
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    const message = `${stateDir} cannot be created by this user: name a folder that can be, in the configuration`;
    throw new ConfigError('prepare the state directory', [{ path: 'stateDir', message }], error);
  }
}
