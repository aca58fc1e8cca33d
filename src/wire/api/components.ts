// Names under which schemas of the interface appear in its OpenAPI document, and the mark of what the interface
// document does not have.
import { z } from 'zod';
import { flagSchema } from '../../model/flags/flags.ts';
import { agentV1Schema, hostSchema } from '../../model/host.ts';
import {
  farmReferenceSchema,
  hashboardSchema,
  minerErrorSchema,
  minerV1Schema,
  poolSchema,
  psuSchema,
} from '../../model/miner.ts';
import { actorSchema } from '../../model/task.ts';

/** Names under which schemas appear as components. */
export const components = z.registry<{ id: string }>();
components.add(minerV1Schema, { id: 'Miner' });
components.add(agentV1Schema, { id: 'Agent' });
components.add(actorSchema, { id: 'Actor' });
components.add(farmReferenceSchema, { id: 'FarmReference' });
components.add(minerErrorSchema, { id: 'MinerError' });
components.add(hashboardSchema, { id: 'Hashboard' });
components.add(poolSchema, { id: 'Pool' });
components.add(psuSchema, { id: 'PowerSupply' });
components.add(flagSchema, { id: 'AnomalyFlag' });
components.add(hostSchema, { id: 'Host' });

/** Makes the schema appear as a component of the document. */
export function named<S extends z.ZodType>(id: string, schema: S): S {
  components.add(schema, { id });
  return schema;
}

/** Marks a route or a field that the interface document does not have. */
export const EXTENSION = { 'x-pithead-extension': true } as const;
