// Lines of the worklist of a farm that a person has taken, in v2.
import { z } from 'zod';
import { CAUSES } from '../../../model/board/work-line.ts';
import { actorSchema } from '../../../model/task.ts';
import { named } from '../components.ts';
import { closedObject } from '../forms.ts';
import { locationNameSchema } from './locations.ts';

/** As long as the longest one that a miner can report. */
const MAX_POOL = 512;

const cause = z.enum(CAUSES).meta({ description: 'What is wrong there' });
const container = (name: z.ZodString) =>
  name.nullable().meta({ description: 'null = a line of miners without a location, or of a pool' });
const rack = (name: z.ZodString) =>
  name.nullable().meta({
    description: 'null = a line of a whole container, of miners without a rack, or of a pool',
  });
const pool = (url: z.ZodString) =>
  url.nullable().meta({ description: 'Of a line of a pool: its address; null = of another line, or not known' });

const askedFields = {
  cause,
  container: container(locationNameSchema),
  rack: rack(locationNameSchema),
  pool: pool(z.string().min(1).max(MAX_POOL)),
};
const shownFields = { cause, container: container(z.string()), rack: rack(z.string()), pool: pool(z.string()) };

export const takeWorkSchema = closedObject({
  ...askedFields,
  take_over: z.boolean().optional().meta({
    description: 'Takes the line from another person too; without it, a line stays with the person who has it',
  }),
});
export const releaseWorkSchema = closedObject(askedFields);

export const takenWorkSchema = named(
  'TakenWorkV2',
  z.strictObject({
    ...shownFields,
    taken_by: actorSchema.meta({ description: 'Who has the line' }),
    taken_at: z.iso.datetime().meta({ description: 'It is free again 12 hours later' }),
  }),
);
export type TakenWorkItem = z.infer<typeof takenWorkSchema>;

export const lineOfWorkSchema = named('LineOfWorkV2', z.strictObject(shownFields));
