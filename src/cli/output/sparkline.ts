// A row of values as one line of text: how a figure went, at a glance. It keeps nothing and scales each row by itself.

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
/** Nothing is known of that time. */
const GAP = '·';

/** One character for each value; from 0 where `isFromZero`, else from the least value, up to the greatest. */
export function sparkline(values: readonly (number | null)[], { isFromZero }: { isFromZero: boolean }): string {
  const known = values.filter((value) => value !== null);
  const low = isFromZero ? Math.min(0, ...known) : Math.min(...known);
  const span = Math.max(...known) - low;
  return values
    .map((value) => {
      if (value === null) return GAP;
      const step = span === 0 ? 0 : Math.round(((value - low) / span) * (BARS.length - 1));
      return BARS[step] ?? GAP;
    })
    .join('');
}
