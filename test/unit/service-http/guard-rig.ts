// A service with a second workspace, and one way to ask any route of the authorisation table about any place: for the
// tests of who may ask what.
import { DEFAULT_LIMITS } from '../../../src/service/http/server.ts';
import { type Answer, call, type Rig, startOwnedRig } from './rig.ts';

/** An id that nothing has. */
export const UNKNOWN = '01900000-0000-7000-8000-000000000000';

export type Place = { readonly workspaceId: string; readonly farmId: string };

/** No limit of rates is met. `host` is a farm of another workspace; the caller stops it. */
export async function startGuardRig(): Promise<{ rig: Rig; host: Place; stop: () => Promise<void> }> {
  const rates = { ...DEFAULT_LIMITS.rates, perWorkspace: 10_000, perStranger: 10_000 };
  const { rig, stop } = await startOwnedRig({ limits: { ...DEFAULT_LIMITS, rates } });
  const { admin } = rig.service;
  const { id: workspaceId } = await admin.createWorkspace({ name: 'Host', slug: 'host' });
  return { rig, host: { workspaceId, farmId: (await admin.createFarm({ workspaceId, name: 'North' })).id }, stop };
}

/**
 * The decision of the guard: what is below the farm does not exist, so a route that lets in answers 200, 400, 404,
 * 415 or 426 of its own.
 */
export function askRoute(
  { url: base }: Rig,
  route: string,
  place: Place,
  headers: Readonly<Record<string, string>>,
  body: object = {},
): Promise<Answer> {
  const [method = '', path = ''] = route.split(' ');
  const url = path
    .replace(':workspace_id', place.workspaceId)
    .replace(':farm_id', place.farmId)
    .replaceAll(/:\w+/g, UNKNOWN);
  const hasBody = method !== 'GET';
  return call(base + url, {
    method,
    // A stream would not end: it is refused for this.
    headers: { ...headers, 'last-event-id': 'none', ...(hasBody ? { 'content-type': 'application/json' } : {}) },
    ...(hasBody ? { body: JSON.stringify(body) } : {}),
  });
}
