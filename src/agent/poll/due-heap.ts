// Items in the order in which they fall due; any item can be taken out. It neither reads the time nor waits.

export type Due = {
  /** Set by the owner before `push`. */
  dueMs: number;
  /** -1 when in no heap. Owned by the heap. */
  heapIndex: number;
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
    item.heapIndex = this.#items.length - 1;
    this.#rise(item);
  }

  pop(): T | undefined {
    const first = this.#items[0];
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** Does nothing when the item is not in this heap. */
  remove(item: T): void {
    if (this.#items[item.heapIndex] !== item) return;
    const last = this.#items.pop();
    if (last !== undefined && last !== item) {
      last.heapIndex = item.heapIndex;
      this.#items[last.heapIndex] = last;
      this.#rise(last);
      this.#sink(last);
    }
    item.heapIndex = -1;
  }

  #rise(item: T): void {
    while (item.heapIndex > 0) {
      const parent = this.#items[(item.heapIndex - 1) >> 1];
      if (parent === undefined || parent.dueMs <= item.dueMs) return;
      this.#swap(item, parent);
    }
  }

  #sink(item: T): void {
    for (;;) {
      const left = this.#items[2 * item.heapIndex + 1];
      const right = this.#items[2 * item.heapIndex + 2];
      const least = left !== undefined && right !== undefined && right.dueMs < left.dueMs ? right : left;
      if (least === undefined || least.dueMs >= item.dueMs) return;
      this.#swap(least, item);
    }
  }

  #swap(a: T, b: T): void {
    const index = a.heapIndex;
    a.heapIndex = b.heapIndex;
    b.heapIndex = index;
    this.#items[a.heapIndex] = a;
    this.#items[b.heapIndex] = b;
  }
}
