// How the API of Goldshell's page is read and written (atlas 18).
import type { ActResult, MinerLink } from '../../src/driver/contract.ts';
import { ACCEPTED } from '../_families/outcomes.ts';
import { session } from './session.ts';

const DEADLINE_MS = 10_000;

/** Reads and, put to, writes. */
export const resource = (name: string) =>
  ({ via: 'http', method: 'GET', path: `/mcb/${name}`, auth: session, as: 'json' }) as const;

export async function put(link: MinerLink, name: string, json?: unknown): Promise<ActResult> {
  const request = { ...resource(name), method: 'PUT', as: 'text', ...(json !== undefined && { json }) } as const;
  await link.send(request, { deadlineMs: DEADLINE_MS });
  return ACCEPTED;
}
