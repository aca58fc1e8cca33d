// What a schema looks like to a client, where the schema behind it takes several forms.
import { z } from 'zod';

export const documented = z.registry<{ openapi: Readonly<Record<string, unknown>> }>();
