// The board as it travels: one column per field, and what repeats as an index into a dictionary, because a snapshot
// holds thousands of miners. Facts, which hardly ever change, come once; then a row is named by its number.
import { z } from 'zod';
import { anomalyTypeSchema, flagSchema } from '../../../model/flags/flags.ts';
import { OPS_STATUSES } from '../../../model/miner.ts';
import { EXTENSION, named } from '../components.ts';
import { answerOf } from '../envelope.ts';
import { closedObject } from '../forms.ts';

const column = <S extends z.ZodType>(item: S, description: string) => z.array(item).meta({ description });
const count = z.int().min(0);
const amount = z.number().nullable();
const text = z.string().nullable();
const index = count.nullable();
const row = z.int().min(1);
/** As times need it that lie before and, where a clock was set, after. */
const ms = z.int();

const algorithm = text.meta({ description: 'Such as sha256; hashrates of different ones are never added up' });
const container = text.meta({ description: 'The container that the rack stands in' });
const driver = z.string().meta({ description: 'Id of the driver, such as antminer-stock' });
const abilities = z.array(z.string()).meta({ description: 'Names of the tasks that it can do' });

const dictionariesSchema = z.strictObject({
  kinds: column(z.strictObject({ make: text, model: text, algorithm }), 'Of `facts.kind`'),
  drivers: column(z.strictObject({ driver, abilities }), 'Of `facts.driver`'),
  places: column(z.strictObject({ container, rack: text }), 'Of `facts.place`'),
  agents: column(z.string(), 'Of `facts.agent`'),
  pools: column(z.string(), 'Of `facts.pool`'),
  firmware: column(z.string(), 'Of `facts.firmware`: versions'),
  modes: column(z.string(), 'Of `facts.mode`'),
  flags: column(
    z.strictObject({ type: anomalyTypeSchema, severity: flagSchema.shape.severity, message: z.string() }),
    'Of `columns.flag`',
  ),
});

const factsSchema = z.strictObject({
  row: column(row, 'Number of the row, which names the miner in this epoch'),
  id: column(z.string(), 'Id of the miner: a uuid without hyphens; any other text has = in front'),
  key: z
    .array(text)
    .nullable()
    .meta({ description: 'By which its agent knows it, written as `id`; null = not asked for' }),
  ip: column(z.string(), 'Address; `.7` stands for the address before it with this last number'),
  mac: column(text, 'Without colons; any other text has = in front'),
  serial: column(text, 'Serial number'),
  hostname: column(text, 'Host name'),
  kind: column(count, 'Make, model and algorithm: an index into `dictionaries.kinds`'),
  driver: column(count, 'An index into `dictionaries.drivers`'),
  agent: column(index, 'Id of the agent: an index into `dictionaries.agents`'),
  firmware: column(index, 'Version of the firmware: an index into `dictionaries.firmware`'),
  place: column(count, 'Container and rack: an index into `dictionaries.places`'),
  position: column(index, 'Position in the rack'),
  ops_status: column(z.enum(OPS_STATUSES).nullable(), 'What operators say of it'),
  mode: column(index, 'Mining mode: an index into `dictionaries.modes`'),
  expected_hashrate: column(amount, 'H/s'),
  pool: column(index, 'URL of its first pool: an index into `dictionaries.pools`'),
  worker: column(text, 'Its name at that pool'),
  created_ago: column(ms.nullable(), 'When an agent first registered it, ms before `at`'),
});

const columnsSchema = z.strictObject({
  row: column(row, 'Number of the row'),
  state: column(
    count,
    'Bits: 0 it mines, 1 it is read now, 2 its agent is not heard, so nothing is known since `seen_ago`, 3 its network answers and its interface does not',
  ),
  flags: column(count, 'The bits of `anomaly_flags`'),
  flag: column(index, 'The worst and oldest flag: an index into `dictionaries.flags`'),
  flag_ago: column(ms.nullable(), 'Since when, ms before `at`'),
  hashrate: column(amount, 'H/s, four digits'),
  power: column(amount, 'W'),
  temperature: column(amount, 'Degrees Celsius'),
  fan: column(amount, 'Of the fastest fan, rpm'),
  uptime: column(amount, 'Seconds'),
  seen_ago: column(ms.nullable(), 'The newest successful reading, ms before `at`'),
});

/** What an agent alone does not know. */
export const LACKS = ['container', 'rack', 'maintenance'] as const;

export const boardSchema = named(
  'BoardV2',
  z.strictObject({
    epoch: z.string().meta({ description: 'Rows keep their numbers while it is the same' }),
    seq: count.meta({ description: 'To be given as `since`, with the epoch, for what has changed after this' }),
    at: z.iso.datetime().meta({ description: 'When it was so' }),
    is_snapshot: z.boolean().meta({ description: 'true = these are all rows; false = those that have changed' }),
    dictionaries: dictionariesSchema.meta({ description: 'Of this answer alone' }),
    facts: factsSchema.meta({
      description: 'What hardly ever changes, of the rows where it is new; all of its arrays have the same length',
    }),
    columns: columnsSchema.meta({
      description: 'What changes, of all rows of this answer; all of its arrays have the same length',
    }),
    removed: column(row, 'Rows that are gone or no longer selected; a reader may not have them'),
    unmatched: column(
      z.strictObject({ text: z.string().meta({ description: 'As it was written' }), reason: z.string() }),
      'Words of the selector that say who, such as an address, and that no miner fits',
    ),
    lacks: column(z.enum(LACKS), 'What is not known here, so null in all rows'),
  }),
);
export type BoardMessage = z.infer<typeof boardSchema>;

/** One message of a stream: what has changed, or that nothing has, or that the reader has to ask for all rows anew. */
export const boardStreamSchema = named(
  'BoardStreamMessageV2',
  z.union([
    boardSchema,
    z
      .strictObject({
        seq: count.meta({ description: 'As the reader has it' }),
        at: z.iso.datetime().meta({ description: 'When it was still so' }),
      })
      .meta({ description: 'Nothing has changed' }),
    z
      .strictObject({ type: z.literal('snapshot') })
      .meta({ description: 'The reader has to ask for all rows anew, and then to connect again' }),
  ]),
);
export type BoardStreamMessage = z.infer<typeof boardStreamSchema>;

export const boardAnswerSchema = answerOf(boardSchema);

/** Room for the MAC of each of 10,000 miners and more. */
export const MAX_SELECT = 512 * 1024;
const MAX_EPOCH = 64;

export const selectSchema = z
  .string()
  .max(MAX_SELECT, { error: `accepted: at most ${MAX_SELECT} characters` })
  .meta({
    ...EXTENSION,
    description: 'A selector, such as rack:C03 flag:fan. The handbook has the words: pithead help interface',
  });

const epoch = z.string().max(MAX_EPOCH).nullish().meta({ description: 'Of the answer that the client has' });
const since = count.nullish().meta({ description: 'The seq of that answer: only what has changed is answered' });

export const boardSearchSchema = closedObject({
  select: selectSchema.default('').meta({ description: 'Which miners, by a selector; empty = all' }),
  epoch,
  since,
  with_keys: z
    .boolean()
    .nullish()
    .meta({ description: 'Also the keys by which agents know the miners; never for who came by a grant' }),
}).prefault({});
export type BoardSearch = z.output<typeof boardSearchSchema>;
