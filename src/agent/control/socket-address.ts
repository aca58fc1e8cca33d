// The address of the agent's control socket by its state directory: a socket file in it, on Windows a named pipe. It
// opens nothing.
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';

const SOCKET_FILE = 'agent.sock';

/** What the system's socket addresses hold, in bytes. */
const MAX_BYTES = process.platform === 'darwin' ? 103 : 107;

/** Undefined when the path of the state directory is too long for a socket in it. */
export function socketAddress(stateDir: string, platform: NodeJS.Platform = process.platform): string | undefined {
  if (platform === 'win32') {
    // Windows does not tell upper from lower case in the one, the same folder must have the same pipe.
    const name = createHash('sha256').update(resolve(stateDir).toLowerCase()).digest('hex').slice(0, 32);
    return `\\\\.\\pipe\\pithead-${name}`;
  }
  const path = join(resolve(stateDir), SOCKET_FILE);
  return Buffer.byteLength(path) > MAX_BYTES ? undefined : path;
}
