// The messages between the agent and the process of the folder drivers. One message at a time goes to the process, and
// each has one reply; requests to a device come back as messages of their own. Schemas only.
import { z } from 'zod';
import { PEER_ERRORS, type PeerCode } from '../../../base/error-codes.data.ts';
import { PeerError, renderError } from '../../../base/errors.ts';

/** What drivers of a folder are written with. Another number = such files no longer fit. */
export const KIT_VERSION = 1;

/** The first word of the command line of that process. */
export const PROCESS_COMMAND = 'driver-process';

const MAX_WORDS = 2_000;

/** An error on its way from one process to the other. */
export const failureSchema = z.object({
  message: z.string().transform((text) => text.slice(0, MAX_WORDS)),
  peer: z
    .object({
      code: z.custom<PeerCode>((code) => typeof code === 'string' && Object.hasOwn(PEER_ERRORS, code)),
      retry: z.enum(['soon', 'later', 'never']),
      wasSent: z.boolean().exactOptional(),
    })
    .exactOptional(),
  /** The number of the request to the device whose failure it is. */
  request: z.int().exactOptional(),
});
export type Failure = z.output<typeof failureSchema>;

export function failureOf(error: unknown): Failure {
  const message = renderError(error).slice(0, MAX_WORDS);
  if (!(error instanceof PeerError)) return { message };
  const { code, retry, wasSent } = error;
  return { message: error.message, peer: { code, retry, ...(wasSent !== undefined && { wasSent }) } };
}

/** What the failure of a request to a device is for a driver. */
export function errorOf({ message, peer }: Failure): Error {
  if (peer === undefined) return new Error(message);
  return new PeerError(peer.code, message, peer.retry, undefined, { wasSent: peer.wasSent });
}

const text = z.string();
const seq = z.int();

export const toProcessSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('load'), seq, id: text, path: text }),
  z.object({ kind: z.literal('call'), seq, id: text, fn: text, args: z.array(z.unknown()) }),
  /** Which families of the driver the answers prove, by shapes and patterns. */
  z.object({ kind: z.literal('prove'), seq, id: text, answers: z.unknown() }),
  /** What an IP report says to the driver. */
  z.object({ kind: z.literal('claim'), seq, id: text, text }),
  z.object({
    kind: z.literal('act'),
    ...{ seq, id: text, act: z.int(), ip: text, ability: text, fn: z.enum(['act', 'provesLogin']) },
    ...{ params: z.unknown(), known: z.unknown() },
    image: z.object({ name: text, sha256: text, size: z.number() }).exactOptional(),
  }),
  z.object({ kind: z.literal('answer'), seq, request: z.int(), value: z.unknown() }),
  z.object({ kind: z.literal('refusal'), seq, request: z.int(), failure: failureSchema }),
]);
export type ToProcess = z.output<typeof toProcessSchema>;

export const fromProcessSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('memory'), rss: z.number() }),
  z.object({ kind: z.literal('done'), seq, value: z.unknown() }),
  z.object({ kind: z.literal('failed'), seq, failure: failureSchema }),
  z.object({
    kind: z.literal('send'),
    ...{ act: z.int(), request: z.int(), message: z.unknown() },
    limits: z.object({ deadlineMs: z.number().exactOptional(), maxBytes: z.number().exactOptional() }),
  }),
  z.object({ kind: z.literal('acted'), act: z.int(), value: z.unknown() }),
  z.object({ kind: z.literal('broke'), act: z.int(), failure: failureSchema }),
]);
export type FromProcess = z.output<typeof fromProcessSchema>;

/** A function of a driver, which stays in its process. */
export const functionSchema = z.strictObject({ fn: z.string().max(256) });
/** Stand for what is judged where the driver runs: a schema of `kit.z`, a regular expression. */
export const SCHEMA = { schema: true } as const;
export const PATTERN = { pattern: true } as const;
const markSchema = (key: 'schema' | 'pattern', wanted: string) =>
  z.custom<object>((value) => Object(value)[key] === true, `wanted: ${wanted}`);
export const schemaSchema = markSchema('schema', 'a schema, such as kit.z.looseObject({ model: kit.z.string() })');
export const patternSchema = markSchema('pattern', 'a regular expression');
/** Stands for the bytes of the firmware image, which stay with the agent. */
export const IMAGE = { image: true } as const;
export const imageSchema = z.strictObject({ image: z.literal(true) });
