// Whether a person does something with the page: what it asks by itself, with no person there, makes no session last
// longer.

/** What is asked so soon after a touch or a key is what the person wants. */
const WINDOW_MS = 60_000;

export type Presence = ReturnType<typeof createPresence>;

/** Who has just opened the page is there. */
export function createPresence(nowMs: () => number) {
  let lastMs = nowMs();
  const note = () => {
    lastMs = nowMs();
  };
  return {
    note,
    isThere: (): boolean => nowMs() - lastMs < WINDOW_MS,
  };
}
