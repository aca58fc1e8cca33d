// This host's own service as its configuration has it, and asked over its own interface whether it can take requests. It reads no configuration.
import { join } from 'node:path';
import { Agent, request } from 'undici';
import type { AgentConfig } from '../agent/config.ts';

/** The uplink to it of the agent in the same process. */
export const EMBEDDED = 'embedded';

/** Path of the embedded database of a state directory. */
export const databaseOf = (stateDir: string): string => join(stateDir, 'service.sqlite');

/** What the configuration says of how the service is reached. */
export const serverOf = ({ listen: { tls, trustProxy, publicUrl, drain, sealKeyFile }, credentials }: AgentConfig) => ({
  tls,
  trustProxy,
  publicUrl,
  drainMs: drain,
  keyFiles: { own: credentials.keyFile, shared: sealKeyFile },
});

/** How the service is reached from this host. */
export function ownUrl({ host, port, tls }: AgentConfig['listen']): string {
  const reached = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `${tls === undefined ? 'http' : 'https'}://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

/** HTTP status: 200 = it can take requests, 503 = not now; undefined when nothing answers within twice `waitMs`. */
export async function readyStatus(url: string, waitMs: number): Promise<number | undefined> {
  // The question is whether it answers; by whom its certificate is signed is for its clients to ask.
  const dispatcher = new Agent({ connect: { timeout: waitMs, rejectUnauthorized: false } });
  try {
    const limits = { dispatcher, headersTimeout: waitMs, bodyTimeout: waitMs };
    const { statusCode, body } = await request(`${url}/readyz`, {
      ...limits,
      signal: AbortSignal.timeout(2 * waitMs),
    });
    await body.dump();
    return statusCode;
  } catch {
    return undefined;
  } finally {
    await dispatcher.destroy();
  }
}
