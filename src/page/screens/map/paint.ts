// Paints the picture of all racks. Marks stand beside colours: what is bad is crossed, what is warm is half filled,
// what is unknown is only an outline.
import type { HeatBy, Level } from '../../model/heat.ts';
import { levelOf } from '../../model/heat.ts';
import { type MapLayout, NAME, SPOT } from '../../model/map-layout.ts';

const SIDE = SPOT - 2;

type Paints = Readonly<Record<'ink' | 'soft' | 'line' | 'good' | 'warn' | 'bad' | 'accent', string>>;

/** The colours of the theme; a canvas knows no variables. */
function paintsOf(canvas: HTMLCanvasElement): Paints {
  const style = getComputedStyle(canvas);
  /** `light-dark()` is resolved in a colour, not in a variable. */
  const of = (name: string): string => {
    canvas.style.color = `var(--${name})`;
    return style.color;
  };
  const paints = {
    ...{ ink: of('ink'), soft: of('soft'), line: of('line') },
    ...{ good: of('good'), warn: of('warn'), bad: of('bad'), accent: of('accent') },
  };
  canvas.style.color = '';
  return paints;
}

type Painting = {
  readonly layout: MapLayout;
  readonly by: HeatBy;
  readonly nowMs: number;
  readonly titleOf: (container: string | null) => string;
};

export function paintMap(canvas: HTMLCanvasElement, width: number, { layout, by, nowMs, titleOf }: Painting): void {
  const context = canvas.getContext('2d');
  if (context === null) return;
  const scale = devicePixelRatio;
  const [wide, high] = [Math.round(width * scale), Math.round(layout.height * scale)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.height = `${layout.height}px`;
  }
  const paints = paintsOf(canvas);
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, layout.height);
  context.textBaseline = 'top';
  context.fillStyle = paints.ink;
  context.font = '600 15px system-ui, sans-serif';
  for (const { text, y } of layout.titles) context.fillText(titleOf(text), 0, y + 4);
  context.font = '12px system-ui, sans-serif';
  for (const { name, x, y, width: room, strangers } of layout.boxes)
    context.fillText(strangers.length === 0 ? name : `${name} +${strangers.length}`, x, y, Math.max(room, NAME));
  for (const { x, y, spots } of layout.boxes)
    for (const spot of spots) paintSpot(context, x + spot.x, y + spot.y, levelOf(spot.miner, by, nowMs), paints);
}

function paintSpot(context: CanvasRenderingContext2D, x: number, y: number, level: Level, paints: Paints): void {
  switch (level) {
    case 'empty':
      context.fillStyle = paints.line;
      context.fillRect(x + SIDE / 2 - 1, y + SIDE / 2 - 1, 2, 2);
      return;
    case 'unknown':
    case 'silent':
      context.strokeStyle = paints.soft;
      context.strokeRect(x + 0.5, y + 0.5, SIDE - 1, SIDE - 1);
      return;
    case 'good':
    case 'cold':
      context.fillStyle = level === 'good' ? paints.good : paints.accent;
      if (level === 'good') context.fillRect(x, y, SIDE, SIDE);
      else context.fillRect(x, y + SIDE - 3, SIDE, 3);
      return;
    case 'warm':
      context.strokeStyle = paints.warn;
      context.fillStyle = paints.warn;
      context.strokeRect(x + 0.5, y + 0.5, SIDE - 1, SIDE - 1);
      context.fillRect(x, y + SIDE / 2, SIDE, SIDE / 2);
      return;
    case 'bad':
      context.strokeStyle = paints.bad;
      context.lineWidth = 2;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x + SIDE, y + SIDE);
      context.moveTo(x + SIDE, y);
      context.lineTo(x, y + SIDE);
      context.stroke();
      context.lineWidth = 1;
  }
}
