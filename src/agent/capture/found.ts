// What a scan or a look shows a person of one address, as the running agent reports it. Schema and types only.
import { z } from 'zod';
import { type Evidence, identitySchema } from '../../driver/contract.ts';
import { CONTACT_STATUSES } from '../../model/contact.ts';
import { readingSchema } from '../../model/reading.ts';

/** A known miner at an address where nothing answers now. `since` = when it last answered; null = not known. */
const knownMinerSchema = z.object({
  make: z.string().nullable(),
  model: z.string().nullable(),
  driver: z.string(),
  since: z.string().nullable(),
  /** A task works on it, or has restarted it and it has not answered yet. */
  isInWork: z.boolean(),
  /** It answers, but no driver knows the answers. */
  isGarbled: z.literal(true).exactOptional(),
});
export type KnownMiner = Readonly<z.output<typeof knownMinerSchema>>;

/** One address and what is there. */
export const foundSchema = z.object({
  ip: z.string(),
  status: z.enum(CONTACT_STATUSES),
  openPorts: z.array(z.int()).readonly(),
  driver: z.string().exactOptional(),
  /** Where that driver lies; absent = it is part of the program. */
  driverOrigin: z.string().exactOptional(),
  identity: identitySchema.exactOptional(),
  reading: readingSchema.exactOptional(),
  failedAsks: z
    .array(z.object({ ask: z.string(), message: z.string() }))
    .readonly()
    .exactOptional(),
  elapsedMs: z.number().exactOptional(),
  /** It accepts connections and answered nothing at all. */
  isMute: z.literal(true).exactOptional(),
  /** Present where a miner is known and no driver recognised the answers. */
  known: knownMinerSchema.exactOptional(),
  /** For devices without a driver of their own: their answers without private data, for a report to the project. */
  sample: z.string().exactOptional(),
});
export type ShownFound = Readonly<z.output<typeof foundSchema>>;

/** With the full answers of the device, which stay in the process. */
export type Found = ShownFound & { readonly evidence?: Evidence };
