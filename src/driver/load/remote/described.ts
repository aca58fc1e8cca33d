// What a driver of a folder says of itself, checked field by field: its data, and functions that ask its process. What
// does not fit is named with its path.
import { z } from 'zod';
import { ABILITY_NAMES, EFFECTS } from '../../../model/tasks/task-kinds.data.ts';
import { functionSchema } from '../process/protocol.ts';
import { type CallDriver, requestSchemas } from './requests.ts';

const text = z.string().min(1).max(256);
const word = z.string().min(1).max(512);
const seconds = z
  .number()
  .min(0)
  .max(7 * 86_400);
const factoryLogin = z.strictObject({ user: z.string().max(64), password: z.string().max(256) });

const familySchema = z.strictObject({
  id: text,
  isThirdParty: z.literal(true).exactOptional(),
  livesOn: z.literal(true).exactOptional(),
  hasSidePort: z.literal(true).exactOptional(),
  tcp: z
    .array(
      z.strictObject({
        words: z.array(word).max(64),
        in: z.literal('version').exactOptional(),
        isHint: z.literal(true).exactOptional(),
      }),
    )
    .exactOptional(),
  startPages: z
    .array(
      z.strictObject({
        status: z.int().exactOptional(),
        realm: word.exactOptional(),
        location: word.exactOptional(),
        body: word.exactOptional(),
      }),
    )
    .exactOptional(),
  answers: z
    .array(
      z.object({
        to: z.enum(['whatsminer3', 'api4028', 'systemInfo']),
        words: z.array(word).max(64).exactOptional(),
      }),
    )
    .exactOptional(),
  page: z
    .object({
      path: word,
      port: z.int().min(1).max(65_535).exactOptional(),
      headers: z.record(z.string(), word).exactOptional(),
      guarded: word.exactOptional(),
      title: word.exactOptional(),
    })
    .exactOptional(),
  realms: z.array(z.object({ realm: word })).exactOptional(),
});

const coverSchema = z.strictObject({
  models: word,
  firmware: word,
  evidence: z.enum(['recording', 'simulated', 'claimed']),
});

const abilitySchema = z.object({
  effect: z.enum(EFFECTS),
  offlineS: z.tuple([seconds, seconds]),
  act: functionSchema,
  shows: functionSchema.exactOptional(),
  shownWithinS: seconds.exactOptional(),
  fetchesItself: z.enum(['from-url', 'from-own-source']).exactOptional(),
});

export function describedSchema(call: CallDriver) {
  const more = {
    every: z.enum(['poll', 'slow', 'static']),
    generations: z.array(text).exactOptional(),
    insteadOf: text.exactOptional(),
    isLacking: functionSchema
      .transform(
        ({ fn }) =>
          async (answer: unknown) =>
            (await call(fn, [answer])) === true,
      )
      .exactOptional(),
    goesWith: text.exactOptional(),
  };
  const [cgminer, whatsminer3, http] = requestSchemas(call).parts;
  const ask = z.discriminatedUnion('via', [cgminer.extend(more), whatsminer3.extend(more), http.extend(more)]);
  return z.object({
    id: text,
    make: text,
    families: z.array(familySchema).max(32).exactOptional(),
    ipReport: z.object({ port: z.int().min(1).max(65_535), isPacked: z.literal(true).exactOptional() }).exactOptional(),
    covers: z.array(coverSchema).max(200),
    asks: z.record(z.string().max(64), ask).refine((asks) => Object.keys(asks).length <= 64, 'at most 64 asks'),
    abilities: z.partialRecord(z.enum(ABILITY_NAMES), abilitySchema),
    login: z.strictObject({
      kind: z.enum(['none', 'digest', 'token', 'session']),
      factoryDefault: factoryLogin.exactOptional(),
      factoryDefaultOf: z.record(z.string(), factoryLogin).exactOptional(),
    }),
    quirks: z.strictObject({
      gapMs: z.number().min(0).max(10_000).exactOptional(),
      warmUpS: seconds.exactOptional(),
    }),
    identify: functionSchema,
    afterLogin: z
      .object({ mayBe: functionSchema, ask: requestSchemas(call).read, identify: functionSchema })
      .exactOptional(),
    read: functionSchema,
  });
}
export type Described = z.output<ReturnType<typeof describedSchema>>;

/** Where it does not fit, in words: paths and what is accepted. */
export const misfitOf = (error: z.ZodError): string =>
  error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join('.') || 'the driver'}: ${message}`)
    .join('; ');
