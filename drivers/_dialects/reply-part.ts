// An object inside an answer that may be missing, null or of another type: then it is undefined, and the rest of the
// answer stays.
import { z } from 'zod';

export const part = <S extends z.ZodRawShape>(shape: S) => z.looseObject(shape).optional().catch(undefined);
