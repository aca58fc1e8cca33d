// What this build believes: the root keys that were put in when it was built. A build without any takes no updates, and says so.
import { z } from 'zod';

/** Put in by the bundler; not there when the sources run as they are. */
declare const PITHEAD_UPDATE_PINS: string | undefined;

export const pinsSchema = z.strictObject({
  /** Ed25519, SPKI in DER as base64. Several, so that one can take over from another. */
  roots: z.array(z.base64().max(256)).max(8),
  /** The lowest sequence of a key set that is accepted: a new installation remembers none. */
  minSequence: z.int().min(0).default(0),
});
export type Pins = z.output<typeof pinsSchema>;

export function builtInPins(): Pins {
  if (typeof PITHEAD_UPDATE_PINS === 'undefined') return { roots: [], minSequence: 0 };
  return pinsSchema.parse(JSON.parse(PITHEAD_UPDATE_PINS));
}
