// What a task about pools asks for, the same for every family: the whole list, best first. How a device is told is each family's own.
import { z } from 'zod';

/** No control characters anywhere, and no blanks in addresses: they would end up in a device's own text formats. */
const printable = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .regex(/^[^\p{Cc}]*$/u);

const pool = z.looseObject({
  /** `stratum+tcp://pool.example:3333`. */
  url: printable(255).regex(/^[a-z][a-z0-9+.-]*:\/\/[^\s/:]+(:\d{1,5})?(\/\S*)?$/i),
  user: printable(255).min(1),
  password: printable(255).default('x'),
});
export type WantedPool = z.output<typeof pool>;

export const poolParams = z.looseObject({ pools: z.array(pool).min(1).max(8) });
