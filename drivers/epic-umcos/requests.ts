// How ePIC's API is spoken to: HTTP on the port where others have CGMiner. Reads are free; each command carries the
// password in its body, and a refusal comes with status 200.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { ActResult, MinerLink } from '../../src/driver/contract.ts';
import { orLostReply } from '../../src/driver/kit/act/lost-reply.ts';

const PORT = 4028;
const DEADLINE_MS = 15_000;

export const resource = (name: string) =>
  ({ via: 'http', method: 'GET', path: `/${name}`, port: PORT, auth: 'none', as: 'json' }) as const;

const orderAnswer = z.looseObject({ result: z.boolean(), error: z.string().nullish() });

const isWrongPassword = (answer: unknown) => {
  const { data } = orderAnswer.safeParse(answer);
  return data?.result === false && /password|unauthori[sz]ed/i.test(data.error ?? '');
};

/** The password goes into the body of commands, and among the fields of a file. */
const inBody = {
  carry: ({ password }: { readonly password: string }) => ({ json: { password } }),
  isRefused: isWrongPassword,
} as const;
const inFields = {
  carry: ({ password }: { readonly password: string }) => ({ fields: { password } }),
  isRefused: isWrongPassword,
} as const;

type Upload = {
  readonly fields: Readonly<Record<string, string>>;
  readonly file: { readonly field: string; readonly name: string; readonly bytes: Blob };
};

/** Its `error` may repeat what it was told: it goes no further. */
export function sendCommand(link: MinerLink, command: string, param: unknown): Promise<ActResult> {
  return orLostReply(async () => {
    const request = { ...resource(command), method: 'POST', auth: inBody, json: { param } } as const;
    return judge(link, command, await link.send(request, { deadlineMs: DEADLINE_MS }));
  });
}

export function uploadTo(link: MinerLink, command: string, upload: Upload, deadlineMs: number): Promise<ActResult> {
  return orLostReply(async () => {
    const request = { ...resource(command), method: 'POST', auth: inFields, upload } as const;
    return judge(link, command, await link.send(request, { deadlineMs }));
  });
}

function judge({ ip }: MinerLink, command: string, answer: unknown): ActResult {
  const { data } = orderAnswer.safeParse(answer);
  const what = `command ${command} of ${ip}`;
  if (data === undefined) throw new PeerError('peer.unparsable', what, 'later', undefined, { wasSent: true });
  if (data.result) return { kind: 'accepted' };
  throw new PeerError('peer.rejected', what, 'later', new Error('the device answers result: false'));
}
