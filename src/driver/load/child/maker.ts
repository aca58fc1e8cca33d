// What a driver file exports, however it was written: the function that makes the driver of a kit, and the version of
// the kit that it is written for.
import { z } from 'zod';
import { KIT_VERSION } from '../process/protocol.ts';

type Made = { readonly make: unknown; readonly kitVersion: unknown };

const moduleSchema = z.looseObject({ default: z.unknown().optional(), kitVersion: z.unknown().optional() });

/** CommonJS and transpiled files name it differently. */
function makerIn(loaded: unknown): Made {
  if (typeof loaded === 'function') return { make: loaded, kitVersion: Reflect.get(loaded, 'kitVersion') };
  const { data } = moduleSchema.safeParse(loaded);
  if (data === undefined) return { make: undefined, kitVersion: undefined };
  if (typeof data.default === 'function' || !moduleSchema.safeParse(data.default).success)
    return { make: data.default, kitVersion: data.kitVersion };
  const inner = makerIn(data.default);
  return { make: inner.make, kitVersion: data.kitVersion ?? inner.kitVersion };
}

/** Throws where it exports no function, is made for another kit, or the function throws. */
export function madeOf(loaded: unknown, kit: Readonly<Record<string, unknown>>): unknown {
  const { make, kitVersion = 1 } = makerIn(loaded);
  if (kitVersion !== KIT_VERSION)
    throw new Error(`is written for version ${String(kitVersion)} of the kit; this program has version ${KIT_VERSION}`);
  if (typeof make !== 'function') throw new Error('exports no function: export default (kit) => kit.defineDriver({…})');
  return Reflect.apply(make, undefined, [kit]);
}
