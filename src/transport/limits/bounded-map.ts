// A map that forgets its least recently used entry when it is full: for what is known per device (nonces, tokens), where devices are the input.

export class BoundedMap<V> extends Map<string, V> {
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    super();
    this.#maxEntries = maxEntries;
  }

  override get(key: string): V | undefined {
    const value = super.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  override set(key: string, value: V): this {
    this.delete(key);
    super.set(key, value);
    if (this.size <= this.#maxEntries) return this;
    for (const oldest of this.keys()) {
      this.delete(oldest);
      break;
    }
    return this;
  }
}
