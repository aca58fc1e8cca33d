// One driver inside its process: its data as it can be sent, and its functions under the names by which the agent calls
// them. Schemas and patterns stay here.
import { z } from 'zod';
import { PATTERN, SCHEMA } from '../process/protocol.ts';

const MAX_DEPTH = 12;
const MAX_ENTRIES = 20_000;

type Run = (...args: unknown[]) => unknown;
type Named = { readonly owner: object; readonly run: Run };
const isFunction = (value: unknown): value is Run => typeof value === 'function';

export class Parts {
  readonly driver: unknown;
  readonly description: unknown;
  readonly #functions = new Map<string, Named>();
  readonly #names = new WeakMap<object, string>();
  readonly #schemas = new Map<string, z.ZodType>();
  #entries = 0;

  constructor(driver: unknown) {
    this.driver = driver;
    this.description = this.plain(driver, '');
  }

  /** Throws what the function throws. */
  call(name: string, args: readonly unknown[]): unknown {
    const named = this.#functions.get(name);
    if (named === undefined) throw new Error(`${name} is no function of this driver`);
    return Reflect.apply(named.run, named.owner, args);
  }

  /** As the schema of this name reads it; unchanged where there is none. Throws where it does not fit. */
  parse(name: string, value: unknown): unknown {
    const schema = this.#schemas.get(name);
    return schema === undefined ? value : schema.parse(value);
  }

  /** The value without what cannot be sent: functions become names. */
  plain(value: unknown, name: string, replace?: (value: object) => unknown, depth = 0): unknown {
    if (typeof value !== 'object' && typeof value !== 'function') return typeof value === 'symbol' ? undefined : value;
    if (value === null) return null;
    if (depth > MAX_DEPTH || ++this.#entries > MAX_ENTRIES)
      throw new Error(`${name} is nested too deeply, or too large`);
    const replaced = replace?.(value);
    if (replaced !== undefined) return replaced;
    if (value instanceof z.ZodType) {
      this.#schemas.set(name, value);
      return SCHEMA;
    }
    if (value instanceof RegExp) return PATTERN;
    if (Array.isArray(value)) return value.map((entry, i) => this.plain(entry, `${name}.${i}`, replace, depth + 1));
    const parts: Record<string, unknown> = {};
    for (const [key, entry] of Object.entries(value)) {
      const inner = name === '' ? key : `${name}.${key}`;
      parts[key] = isFunction(entry)
        ? this.#register(inner, value, entry)
        : this.plain(entry, inner, replace, depth + 1);
    }
    return parts;
  }

  #register(name: string, owner: object, run: Run): { readonly fn: string } {
    const known = this.#names.get(run);
    if (known !== undefined) return { fn: known };
    this.#functions.set(name, { owner, run });
    this.#names.set(run, name);
    return { fn: name };
  }
}
