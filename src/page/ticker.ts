// Moves the time of the page on, once a second while it is shown. News of a farm comes about as often and moves it too,
// so that both are drawn at once: a phone pays for each time that it draws.

const EVERY_MS = 1_000;
/** News that is a little late is still waited for. */
const AFTER_NEWS_MS = 1_500;

export type TickerParts = {
  after(ms: number, work: () => void): () => void;
  isShown(): boolean;
  tick(): void;
};

export function createTicker({ after, isShown, tick }: TickerParts) {
  let cancel = () => {};
  const next = (ms: number) => {
    cancel();
    cancel = after(ms, () => step(EVERY_MS));
  };
  const step = (nextMs: number) => {
    if (isShown()) tick();
    next(nextMs);
  };
  return {
    start: () => next(EVERY_MS),
    /** News has come. */
    news: () => step(AFTER_NEWS_MS),
  };
}
