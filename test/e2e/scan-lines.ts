// What `scan --json` prints, as those who read it from a script take it apart.
import { z } from 'zod';
import { CONTACT_STATUSES } from '../../src/model/contact.ts';

const text = z.string().nullable();
const count = z.int().min(0);

const foundSchema = z.looseObject({
  ip: z.ipv4(),
  status: z.enum(CONTACT_STATUSES),
  driver: text,
  make: text,
  model: text,
  firmware_version: text,
  mac: text,
  serial_number: text,
  hashrate: z.number().nullable(),
});

const summarySchema = z.strictObject({
  addresses: count,
  excluded: count,
  identified: count,
  unknown: count,
  login_refused: count,
  closed: count,
  silent: count,
  missing: count,
  not_reached: count,
  elapsed_ms: count,
  cancelled: z.boolean(),
  notes: z.array(z.string()),
  /** Of the unknown ones. */
  likely: z.record(z.string(), count),
  accept: z.array(z.string()),
});

export type FoundLine = z.infer<typeof foundSchema>;

/** Every line in its place: the miners first, one summary last. Throws when a line is none of these. */
export function readScan(stdout: string) {
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  const found = lines.slice(0, -1).map((line) => foundSchema.parse(line));
  const { summary } = z.strictObject({ summary: summarySchema }).parse(lines.at(-1));
  const { addresses, elapsed_ms: _, cancelled: __, notes: ___, likely: ____, accept: _____, ...classes } = summary;
  const classified = Object.values(classes).reduce((sum, number) => sum + number, 0);
  return { found, summary, addresses, classified };
}
