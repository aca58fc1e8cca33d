// Says that sessions of a person were ended, or that it may do other things now: open sockets of that person are then
// looked at again. It is heard in this process; other copies hear it through `announce`. Neither is certain, so sockets
// also look regularly.
export type AccessNotifier = ReturnType<typeof createAccessNotifier>;

export function createAccessNotifier() {
  const listeners = new Set<(personId: string) => void>();
  return {
    /** Until the function that it gives is called. */
    onEnded(listener: (personId: string) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** To those that listen here. */
    notify(personId: string): void {
      for (const listener of listeners) listener(personId);
    },
  };
}
