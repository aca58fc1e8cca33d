// How a Proto rig is spoken to: a bearer token for the owner's password. The first answers are for everybody.
import { z } from 'zod';
import type { ActResult, MinerLink, WebSession } from '../../src/driver/contract.ts';
import { orLostReply } from '../../src/driver/kit/act/lost-reply.ts';
import { bearer } from '../../src/driver/kit/web/web-session.ts';

const DEADLINE_MS = 15_000;
const tokens = z.looseObject({ access_token: z.string() });

const session: WebSession = {
  name: 'proto',
  open: ({ password }) => ({ via: 'http', method: 'POST', path: '/api/v1/auth/login', json: { password } }),
  grant: ({ body }) => bearer(tokens.safeParse(body).data?.access_token),
};

export const open = (name: string) =>
  ({ via: 'http', method: 'GET', path: `/api/v1/${name}`, auth: 'none', as: 'json' }) as const;
export const locked = (name: string) => ({ ...open(name), auth: session }) as const;

/** Accepted is not done: the device says 202 and goes to work. */
export function sendCommand(link: MinerLink, method: 'POST' | 'PUT', name: string, json?: unknown): Promise<ActResult> {
  return orLostReply(async () => {
    const request = { ...locked(name), method, as: 'text', ...(json !== undefined && { json }) } as const;
    await link.send(request, { deadlineMs: DEADLINE_MS });
    return { kind: 'accepted' };
  });
}
