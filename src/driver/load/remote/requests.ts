// Requests of folder drivers as the core sends them: checked, and with functions that ask the driver's process. They
// are sent by transport, not here.
import { z } from 'zod';
import type { MinerRequest, PlainLogin, ReadRequest, WebSession } from '../../../transport/request.ts';
import { functionSchema, imageSchema } from '../process/protocol.ts';

/** Calls a function of the driver. */
export type CallDriver = (fn: string, args: readonly unknown[]) => Promise<unknown>;

const MAX_TEXT = 64 * 1024;
const text = z.string().max(MAX_TEXT);
const texts = z.record(z.string(), text);
const port = z.int().min(1).max(65_535);
const download = z.literal('archive').exactOptional();
const method = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const path = text.regex(/^\//, "a path that begins with '/'");

const openingSchema = z.strictObject({
  via: z.literal('http'),
  ...{ method, path },
  port: port.exactOptional(),
  headers: texts.exactOptional(),
  json: z.unknown().exactOptional(),
  form: texts.exactOptional(),
});
const grantSchema = texts.optional();
const verdictSchema = z.boolean();
const triesLogin = z.literal(true).exactOptional();
const params2 = z.record(z.string(), z.union([text, z.number()]));
const carriedSchema = z.strictObject({
  headers: texts.exactOptional(),
  json: z.record(z.string(), z.unknown()).exactOptional(),
  form: texts.exactOptional(),
  fields: texts.exactOptional(),
});

/** `image` = the bytes that a request may send as they are. */
export function requestSchemas(call: CallDriver, image?: Blob) {
  const isRefused = functionSchema
    .transform(
      ({ fn }) =>
        async (answer: unknown) =>
          verdictSchema.parse(await call(fn, [answer])),
    )
    .exactOptional();
  const session = z.strictObject({
    name: text,
    open: functionSchema.transform(
      ({ fn }): WebSession['open'] =>
        async (login) =>
          openingSchema.parse(await call(fn, [login])),
    ),
    grant: functionSchema.transform(
      ({ fn }): WebSession['grant'] =>
        async (answer) =>
          grantSchema.parse(await call(fn, [answer])),
    ),
    isRefused,
    provesLogin: z.literal(true).exactOptional(),
  });
  const carrying = <T>(what: z.ZodType<T>) =>
    functionSchema.transform(
      ({ fn }) =>
        async (login: PlainLogin) =>
          what.parse(await call(fn, [login])),
    );
  const carry = carrying(carriedSchema);
  const carried = z.strictObject({ carry, isRefused });
  const bytes = imageSchema.transform((_, context) => {
    if (image !== undefined) return image;
    context.addIssue('only a firmware command has an image to send');
    return z.NEVER;
  });
  const cgminer = z.object({
    via: z.literal('cgminer'),
    command: text,
    parameter: text.exactOptional(),
    carry: carrying(text).exactOptional(),
    newApi: z.boolean().exactOptional(),
    isBare: z.literal(true).exactOptional(),
    port: port.exactOptional(),
  });
  const whatsminer3 = z.object({
    ...{ via: z.literal('whatsminer3'), cmd: text, param: z.unknown().exactOptional(), download },
  });
  const http = z.object({
    via: z.literal('http'),
    ...{ method, path },
    port: port.exactOptional(),
    auth: z.union([z.enum(['none', 'digest']), session, carried]),
    carry: carry.exactOptional(),
    freshLogin: z.literal(true).exactOptional(),
    headers: texts.exactOptional(),
    json: z.unknown().exactOptional(),
    form: texts.exactOptional(),
    upload: z.strictObject({ fields: texts, file: z.strictObject({ field: text, name: text, bytes }) }).exactOptional(),
    octets: bytes.exactOptional(),
    as: z.enum(['json', 'text']),
  });
  const upload = bytes.exactOptional();
  const whatsminer2Write = z.object({
    ...{ via: z.literal('whatsminer2-write'), cmd: text, upload, download },
    params: params2,
    carry: carrying(params2).exactOptional(),
    triesLogin,
  });
  const whatsminer3Write = z.object({
    ...{ via: z.literal('whatsminer3-write'), cmd: text, param: z.unknown().exactOptional(), upload, download },
    isEncrypted: z.boolean().exactOptional(),
    carry: carrying(z.record(z.string(), z.unknown())).exactOptional(),
    triesLogin,
  });
  const read: z.ZodType<ReadRequest> = z.discriminatedUnion('via', [cgminer, whatsminer3, http]);
  const any: z.ZodType<MinerRequest> = z.discriminatedUnion('via', [
    cgminer,
    whatsminer3,
    http,
    whatsminer2Write,
    whatsminer3Write,
  ]);
  return { read, any, parts: [cgminer, whatsminer3, http] as const };
}
