// Things that fall due, the earliest first; any of them can be moved or taken out. It neither reads the time nor waits.

export type Due = {
  /** Set by the owner before `push`. */
  dueMs: number;
  /** Place in the heap, -1 when in none. Owned by the heap. */
  place: number;
};

export class DueHeap<T extends Due> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    this.#items.push(item);
    item.place = this.#items.length - 1;
    this.#rise(item);
  }

  pop(): T | undefined {
    const first = this.#items[0];
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** Does nothing when the item is not in this heap. */
  remove(item: T): void {
    if (this.#items[item.place] !== item) return;
    const last = this.#items.pop();
    if (last !== undefined && last !== item) {
      last.place = item.place;
      this.#items[last.place] = last;
      this.#rise(last);
      this.#sink(last);
    }
    item.place = -1;
  }

  #rise(item: T): void {
    while (item.place > 0) {
      const parent = this.#items[(item.place - 1) >> 1];
      if (parent === undefined || parent.dueMs <= item.dueMs) return;
      this.#swap(item, parent);
    }
  }

  #sink(item: T): void {
    for (;;) {
      const left = this.#items[2 * item.place + 1];
      const right = this.#items[2 * item.place + 2];
      const least = left !== undefined && right !== undefined && right.dueMs < left.dueMs ? right : left;
      if (least === undefined || least.dueMs >= item.dueMs) return;
      this.#swap(least, item);
    }
  }

  #swap(a: T, b: T): void {
    const place = a.place;
    a.place = b.place;
    b.place = place;
    this.#items[a.place] = a;
    this.#items[b.place] = b;
  }
}
