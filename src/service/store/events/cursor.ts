// The id of an event as clients get it: the farm and the position in its feed. Clients treat it as opaque.
import { z } from 'zod';

/** Where a client is in the feed of a farm. */
export type Cursor = { readonly farmId: string; readonly position: number };

export const toCursor = ({ farmId, position }: Cursor): string => `${farmId}.${position}`;

const cursorSchema = z.tuple([z.uuid(), z.string().regex(/^[1-9]\d{0,14}$/)]);

/** Undefined when it is no id of an event. */
export function parseCursor(text: string): Cursor | undefined {
  const { data } = cursorSchema.safeParse(text.split('.'));
  return data && { farmId: data[0].toLowerCase(), position: Number(data[1]) };
}
