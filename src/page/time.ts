// Time for the page: read and waited for here, and nowhere else.

/** By the clock of this device, ms since the epoch. */
export const nowMs = (): number => Date.now();

/** Gives what cancels it. */
export function after(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

/** Gives its end. */
export function every(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms);
  return () => clearInterval(timer);
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => after(ms, resolve));
