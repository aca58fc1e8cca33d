// How many probes may end with FIN. Each one leaves a local port in TIME_WAIT for one to two minutes, and Windows has
// 16,384 ports for all peers together. It knows probes only: an exchange always ends with FIN.

/** Probes of two windows together that may end with FIN: a quarter of the ports that Windows has. */
export const FIN_PROBES = 4_000;
const WINDOW_MS = 60_000;

export class FinBudget {
  #windowStartMs = Number.NEGATIVE_INFINITY;
  #inWindow = 0;
  #inWindowBefore = 0;

  /** True = end it with FIN; it is counted. `nowMs` is monotonic. */
  take(nowMs: number): boolean {
    const ageMs = nowMs - this.#windowStartMs;
    if (ageMs >= WINDOW_MS) {
      this.#inWindowBefore = ageMs < 2 * WINDOW_MS ? this.#inWindow : 0;
      this.#inWindow = 0;
      this.#windowStartMs = nowMs;
    }
    if (this.#inWindow + this.#inWindowBefore >= FIN_PROBES) return false;
    this.#inWindow++;
    return true;
  }
}
