// The control socket: people and programs of this host ask the running agent through it; only its owner and root may
// open it. The agent works without it: each failure here is logged, tried again, and ends nothing.
import { once } from 'node:events';
import { chmodSync, lstatSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { RefusedError, renderError } from '../../base/errors.ts';
import { createRound } from '../../base/lifecycle.ts';
import { createControlServer } from './server.ts';
import { socketAddress } from './socket-address.ts';

const RETRY_MS = 30_000;
const ANSWER_MS = 2_000;
const isWindows = process.platform === 'win32';

export function createControlSocket(
  options: Parameters<typeof createControlServer>[0] & { readonly stateDir: string },
) {
  const { stateDir, clock, log } = options;
  const address = socketAddress(stateDir);
  let opened: Awaited<ReturnType<typeof createControlServer>> | undefined;
  let told: string | undefined;

  const isThere = () => opened !== undefined && (isWindows || address === undefined || isSocket(address));

  const open = async (path: string) => {
    if (isThere()) return;
    await opened?.close();
    opened = undefined;
    if (!isWindows) await makeRoom(path);
    const fresh = await createControlServer(options);
    try {
      await listen(fresh.server, path);
    } catch (error) {
      await fresh.close();
      throw error;
    }
    fresh.server.on('error', (error) => log.error({ cause: renderError(error) }, 'keep the control socket open'));
    opened = fresh;
    told = undefined;
    log.debug({ address: path }, 'the control socket is open');
  };

  const tried = Promise.withResolvers<void>();
  const attempt = async (path: string) => {
    try {
      await open(path);
    } catch (error) {
      const cause = renderError(error);
      if (cause !== told) log.warn({ address: path, cause }, 'no control socket for now');
      told = cause;
    } finally {
      tried.resolve();
    }
  };
  const attempts =
    address === undefined ? undefined : createRound('control socket', RETRY_MS, () => attempt(address), clock, log);

  return {
    /** Never throws; resolves after the first attempt. */
    async start() {
      if (attempts === undefined) {
        log.warn(
          { stateDir },
          'no control socket: the path of the state directory is too long for a socket; `pithead status` and the like will not find this agent',
        );
        return;
      }
      attempts.start();
      await tried.promise;
    },
    /** Stops requests under way. From now on the answer to all is that the agent stops. */
    async stop() {
      await attempts?.stop();
      await opened?.stop();
    },
    /** Frees the address for the next agent: until then none may begin on this state. */
    async close() {
      await attempts?.stop();
      await opened?.close();
      opened = undefined;
    },
  };
}

/** Removes a dead socket. Throws RefusedError when an agent answers at it, or it is no socket. */
async function makeRoom(path: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  if (!isSocket(path))
    throw new RefusedError('control.taken', `open the control socket at ${path}: there is a file that is no socket`);
  if (await answers(path))
    throw new RefusedError(
      'control.taken',
      `open the control socket at ${path}: another agent runs on this state directory`,
    );
  rmSync(path, { force: true });
}

const isSocket = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true;

/** An agent at its connection limit still counts as running. */
async function answers(path: string): Promise<boolean> {
  const socket = connect({ path });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(ANSWER_MS) });
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && (error.code === 'ECONNREFUSED' || error.code === 'ENOENT'));
  } finally {
    socket.destroy();
  }
}

/**
 * The process gives no rights to others while it makes the socket: so it is the owner's alone from its first moment.
 */
async function listen(server: Server, path: string): Promise<void> {
  const listening = once(server, 'listening');
  const mask = isWindows ? undefined : process.umask(0o077);
  try {
    server.listen(path);
  } finally {
    if (mask !== undefined) process.umask(mask);
  }
  await listening;
  if (!isWindows) chmodSync(path, 0o600);
}
