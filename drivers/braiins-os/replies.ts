// One schema per ask of index.ts: REST first, then what stands in for it on older versions.
import { z } from 'zod';
import { oldReplies } from './replies-old.ts';
import { restReplies } from './replies-rest.ts';

export const replies = z.object({ ...restReplies, ...oldReplies });
export type Replies = z.output<typeof replies>;
