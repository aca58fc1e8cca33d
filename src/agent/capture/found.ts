// What a scan or a look shows a person of one address, as the running agent tells it. Schema and types only.
import { z } from 'zod';
import { type Evidence, identitySchema } from '../../driver/contract.ts';
import { CONTACT_STATUSES } from '../../model/contact.ts';
import { readingSchema } from '../../model/reading.ts';

/** A miner that the agent knows at an address where nothing answers now. `since` = when it last answered; null = not known. */
const knownMinerSchema = z.object({
  make: z.string().nullable(),
  model: z.string().nullable(),
  driver: z.string(),
  since: z.string().nullable(),
  /** A task is at work on it, or has restarted it and it is not back. */
  isInWork: z.boolean(),
  /** It answers, and nothing that a driver knows. */
  isGarbled: z.literal(true).exactOptional(),
});
export type KnownMiner = Readonly<z.output<typeof knownMinerSchema>>;

/** One address and what is there. */
export const foundSchema = z.object({
  ip: z.string(),
  status: z.enum(CONTACT_STATUSES),
  openPorts: z.array(z.int()).readonly(),
  driver: z.string().exactOptional(),
  identity: identitySchema.exactOptional(),
  reading: readingSchema.exactOptional(),
  failedAsks: z
    .array(z.object({ ask: z.string(), message: z.string() }))
    .readonly()
    .exactOptional(),
  elapsedMs: z.number().exactOptional(),
  /** It accepts connections and answered nothing at all. */
  isMute: z.literal(true).exactOptional(),
  /** Present where nothing answered that a driver knows, although a miner is known there. */
  known: knownMinerSchema.exactOptional(),
  /** For devices without a driver of their own: what they say, with everything private removed, to be sent to us. */
  sample: z.string().exactOptional(),
});
export type ShownFound = Readonly<z.output<typeof foundSchema>>;

/** With what the doors of the device said in full, which stays in the process. */
export type Found = ShownFound & { readonly evidence?: Evidence };
