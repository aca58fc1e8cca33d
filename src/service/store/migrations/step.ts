// What a step of the schema is, and what it needs of the database beside the query builder.
import type { AutoNumber, SchemaChanges } from '../databases.ts';
import type { Db } from '../schema.ts';

export type StepParts = { readonly autoNumber: AutoNumber } & Pick<SchemaChanges, 'columnsOf' | 'dropDefault'>;
export type Step = (db: Db, parts: StepParts) => Promise<void>;
