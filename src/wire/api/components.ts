// Names under which schemas of the interface appear in its OpenAPI document, and the mark of what the interface
// document does not have.
import { z } from 'zod';
import { agentV1Schema } from '../../model/host.ts';
import { minerV1Schema } from '../../model/miner.ts';
import { actorSchema } from '../../model/task.ts';

/** Names under which schemas appear as components. */
export const components = z.registry<{ id: string }>();
components.add(minerV1Schema, { id: 'Miner' });
components.add(agentV1Schema, { id: 'Agent' });
components.add(actorSchema, { id: 'Actor' });

/** Makes the schema appear as a component of the document. */
export function named<S extends z.ZodType>(id: string, schema: S): S {
  components.add(schema, { id });
  return schema;
}

/** Marks a route or a field that the interface document does not have. */
export const EXTENSION = { 'x-pithead-extension': true } as const;
