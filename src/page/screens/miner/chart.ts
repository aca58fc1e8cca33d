// A chart of hashrate and temperature over time. A gap in what is known is a gap in the line.
import uPlot from 'uplot';
import type { Format } from '../../text/format.ts';

const HEIGHT = 180;

export type ChartContent = {
  /** Seconds since the epoch. */
  readonly timesS: readonly number[];
  /** H/s, and degrees Celsius; null = not known. */
  readonly rates: readonly (number | null)[];
  readonly temps: readonly (number | null)[];
  readonly words: { readonly hashrate: string; readonly temperature: string };
  readonly format: Format;
};

/** A canvas knows no variables, and `light-dark()` is resolved in a colour only. */
function colorsOf(root: HTMLElement, names: readonly string[]): readonly string[] {
  const style = getComputedStyle(root);
  const colors = names.map((name) => {
    root.style.color = `var(--${name})`;
    return style.color;
  });
  root.style.color = '';
  return colors;
}

export function drawChart(root: HTMLElement, { timesS, rates, temps, words, format }: ChartContent): uPlot {
  const [ink, line, warm] = colorsOf(root, ['ink', 'accent', 'warn']);
  const axis = { stroke: ink ?? '', grid: { show: false }, ticks: { show: false } };
  const options: uPlot.Options = {
    width: root.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { rate: { range: (_chart, _least, most) => [0, most > 0 ? most * 1.1 : 1] }, temp: {} },
    axes: [
      { ...axis, space: 70, values: (_chart, values) => values.map((value) => format.clock(value * 1_000)) },
      { ...axis, scale: 'rate', size: 80, values: (_chart, values) => values.map((value) => format.hashrate(value)) },
      { ...axis, scale: 'temp', side: 1, values: (_chart, values) => values.map((value) => `${value}°`) },
    ],
    series: [
      {},
      { label: words.hashrate, scale: 'rate', stroke: line ?? '', width: 2 },
      { label: words.temperature, scale: 'temp', stroke: warm ?? '', width: 1, dash: [4, 4] },
    ],
  };
  return new uPlot(options, [[...timesS], [...rates], [...temps]], root);
}
