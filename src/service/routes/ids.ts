// Ids as clients write them. Those that the service makes are uuids in small letters; uuids mean the same in either case.
import { z } from 'zod';

const UUID = /^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/;

/** The one way of writing it; what is no uuid stays as it is. */
export const canonicalId = (text: string): string => (UUID.test(text) ? text.toLowerCase() : text);

/** For a parameter that must be a uuid; undefined when it is none. */
export const parseUuid = (text: string): string | undefined => (UUID.test(text) ? text.toLowerCase() : undefined);

/** An id in a path: any text, which then finds something or nothing; `givenId` the same in a body. */
export const anyId = z.string().overwrite(canonicalId);
export const givenId = anyId.max(128);
