// Waiting for something to become true, with an end: how fast the machine is decides nothing but how long a test takes.

/** Asks until `is` holds for what `look` gives; throws with the last answer after `limitMs`. */
export async function until<T>(look: () => Promise<T> | T, is: (value: T) => boolean, limitMs = 240_000): Promise<T> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    const value = await look();
    if (is(value)) return value;
    if (performance.now() > endMs)
      throw new Error(
        `not reached within ${limitMs} ms; the last answer was ${JSON.stringify(value)?.slice(0, 2_000)}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** As `until`, and sooner at its end than a test of the fast suites, so that the last answer is shown. */
export const untilSoon = <T>(look: () => Promise<T> | T, is: (value: T) => boolean): Promise<T> =>
  until(look, is, 20_000);
