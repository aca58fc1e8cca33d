// What a driver of a folder says of itself, checked field by field: its data, and functions that ask its process. What
// does not fit is named with its path.
import { z } from 'zod';
import { BugError } from '../../../base/errors.ts';
import { ABILITY_NAMES, EFFECTS } from '../../../model/tasks/task-kinds.data.ts';
import { functionSchema, patternSchema, schemaSchema } from '../process/protocol.ts';
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
      z.strictObject({
        to: z.enum(['whatsminer3', 'api4028', 'systemInfo']),
        words: z.array(word).max(64).exactOptional(),
        shape: schemaSchema,
      }),
    )
    .exactOptional(),
  page: z
    .strictObject({
      path: word,
      port: z.int().min(1).max(65_535).exactOptional(),
      headers: z.record(z.string(), word).exactOptional(),
      guarded: word.exactOptional(),
      title: word.exactOptional(),
      shape: schemaSchema,
    })
    .exactOptional(),
  realms: z.array(z.strictObject({ realm: word, server: patternSchema })).exactOptional(),
});

const coverSchema = z.strictObject({
  models: word,
  firmware: word,
  evidence: z.enum(['recording', 'simulated', 'claimed']),
});

const reportSchema = z
  .strictObject({
    port: z.int().min(1).max(65_535),
    isPacked: z.literal(true).exactOptional(),
    words: patternSchema.exactOptional(),
    fields: schemaSchema.exactOptional(),
  })
  .refine(
    ({ isPacked, words, fields }) => [isPacked, words, fields].filter((form) => form !== undefined).length === 1,
    'wanted: one of `words`, `fields` and `isPacked`',
  );

const abilitySchema = z.strictObject({
  effect: z.enum(EFFECTS),
  offlineS: z.tuple([seconds, seconds]),
  params: schemaSchema,
  act: functionSchema,
  shows: functionSchema.exactOptional(),
  shownWithinS: seconds.exactOptional(),
  fetchesItself: z.enum(['from-url', 'from-own-source']).exactOptional(),
  provesLogin: functionSchema.exactOptional(),
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
    /** Judged where the driver runs. */
    needs: z.union([text, z.array(text), functionSchema]).exactOptional(),
  };
  const [cgminer, whatsminer3, http] = requestSchemas(call).parts;
  const ask = z.discriminatedUnion(
    'via',
    [
      z.strictObject({ ...cgminer.shape, ...more }),
      z.strictObject({ ...whatsminer3.shape, ...more }),
      z.strictObject({ ...http.shape, ...more }),
    ],
    'wanted: what kit.tcp, kit.get or kit.post gives, and `every`',
  );
  return z.strictObject({
    id: text,
    make: text,
    families: z.array(familySchema).max(32).exactOptional(),
    ipReport: reportSchema.exactOptional(),
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
      .strictObject({ mayBe: functionSchema, ask: requestSchemas(call).read, identify: functionSchema })
      .exactOptional(),
    read: functionSchema,
  });
}
/** For callers that only look at a driver: its functions cannot be called. */
export const lookedAtSchema = describedSchema(() =>
  Promise.reject(new BugError('call a driver that is only looked at')),
);

export type Described = z.output<ReturnType<typeof describedSchema>>;

const MOST_MISFITS = 5;

/** Where it does not fit: paths and what is accepted. */
export const misfitsOf = ({ issues }: z.ZodError): { readonly path: string; readonly message: string }[] =>
  issues.slice(0, MOST_MISFITS).map(({ path, message }) => ({ path: path.join('.') || 'the driver', message }));

/** The same in one line. */
export const misfitOf = (error: z.ZodError): string =>
  misfitsOf(error)
    .map(({ path, message }) => `${path}: ${message}`)
    .join('; ');
