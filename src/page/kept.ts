// What a person keeps on this device: language, columns, lines put aside. No secret, and nothing that others need. A
// browser that keeps nothing is fine.

const PREFIX = 'pithead.';

export type Kept = ReturnType<typeof createKept>;

export function createKept(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>) {
  return {
    read(name: string): string | undefined {
      try {
        return storage.getItem(PREFIX + name) ?? undefined;
      } catch {
        return undefined;
      }
    },
    write(name: string, text: string | undefined): void {
      try {
        if (text === undefined) storage.removeItem(PREFIX + name);
        else storage.setItem(PREFIX + name, text);
      } catch {
        // It is full, or forbidden: the page works without.
      }
    },
  };
}
