// Durations as people write them: `90s`, `5m`, `1h30m`, `250ms`, `2d`. A bare number is refused, because it has no
// unit.

/** The largest first. */
const UNITS_MS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;
const WHOLE = /^(\d+(\.\d+)?(ms|s|m|h|d))+$/;

export const DURATION_FORMS = 'a duration such as 500ms, 30s, 5m, 2h, 1d or 1h30m';

/** Milliseconds, or undefined if the text is not a duration. */
export function parseDurationMs(text: string): number | undefined {
  if (!WHOLE.test(text)) return undefined;
  const parts = [...text.matchAll(PART)];
  return parts.reduce((totalMs, [, amount, unit = 'ms']) => totalMs + Number(amount) * (UNITS_MS[unit] ?? 0), 0);
}

/** The shortest exact form people would write: 90000 → `1m30s`. */
export function formatDurationMs(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.round(durationMs)}ms`;
  let restMs = Math.round(durationMs / 1_000) * 1_000;
  let text = '';
  for (const [unit, sizeMs] of Object.entries(UNITS_MS)) {
    const count = Math.floor(restMs / sizeMs);
    if (count > 0) text += `${count}${unit}`;
    restMs -= count * sizeMs;
  }
  return text;
}
