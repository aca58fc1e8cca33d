// Durations as people write them: `90s`, `5m`, `1h30m`, `250ms`, `2d`. A bare number is refused, because nobody remembers its unit.

const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/gy;

export const DURATION_FORMS = 'a duration such as 500ms, 30s, 5m, 2h, 1d or 1h30m';

/** Milliseconds, or undefined if the text is not a duration. */
export function parseDurationMs(text: string): number | undefined {
  let totalMs = 0;
  let end = 0;
  PART.lastIndex = 0;
  for (let part = PART.exec(text); part; part = PART.exec(text)) {
    const [, amount, unit] = part;
    if (unit === 'ms' || unit === 's' || unit === 'm' || unit === 'h' || unit === 'd') {
      totalMs += Number(amount) * UNITS_MS[unit];
    }
    end = PART.lastIndex;
  }
  return end === text.length && text !== '' ? totalMs : undefined;
}

/** The shortest exact form people would write: 90000 → `1m30s`. */
export function formatDurationMs(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.round(durationMs)}ms`;
  let restS = Math.round(durationMs / 1_000);
  const parts: string[] = [];
  for (const [unit, sizeS] of [
    ['d', 86_400],
    ['h', 3_600],
    ['m', 60],
    ['s', 1],
  ] as const) {
    const count = Math.floor(restS / sizeS);
    if (count > 0) parts.push(`${count}${unit}`);
    restS -= count * sizeS;
  }
  return parts.length === 0 ? '0s' : parts.join('');
}
