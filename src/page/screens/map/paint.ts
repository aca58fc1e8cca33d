// Paints the picture of all racks. Marks stand beside colours: what is bad is crossed, what is warm is half filled,
// what is unknown is only an outline.
import type { Level } from '../../model/heat.ts';
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

/** `titles` and `names` are those of the layout as they are written, with the racks in the order of its boxes. */
export type MapPicture = {
  readonly layout: MapLayout;
  readonly width: number;
  readonly titles: readonly string[];
  readonly names: readonly string[];
  readonly levels: readonly (readonly Level[])[];
};

/** What is on the canvas now. */
export type Painted = MapPicture & { readonly paints: Paints; readonly scale: number };

/** Paints only the slots whose level has changed, unless more than levels has. Undefined = the canvas cannot paint. */
export function paintMap(canvas: HTMLCanvasElement, picture: MapPicture, before?: Painted): Painted | undefined {
  const context = canvas.getContext('2d');
  if (context === null) return undefined;
  const scale = devicePixelRatio;
  if (before !== undefined && isSamePlace(picture, before) && scale === before.scale && isSameTheme(canvas, before)) {
    paintSpots(context, picture, before.paints, before.levels);
    return { ...before, ...picture };
  }
  const paints = paintsOf(canvas);
  resize(canvas, scale, picture);
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, picture.width, picture.layout.height);
  paintNames(context, picture, paints);
  paintSpots(context, picture, paints);
  return { ...picture, paints, scale };
}

const isSamePlace = ({ layout, width, titles, names }: MapPicture, before: Painted): boolean =>
  layout === before.layout && width === before.width && isSame(titles, before.titles) && isSame(names, before.names);

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((text, index) => text === others[index]);

/** The canvas inherits the colour of text, which each theme has another of. */
const isSameTheme = (canvas: HTMLCanvasElement, { paints }: Painted): boolean =>
  getComputedStyle(canvas).color === paints.ink;

function resize(canvas: HTMLCanvasElement, scale: number, { layout, width }: MapPicture): void {
  const [wide, high] = [Math.round(width * scale), Math.round(layout.height * scale)];
  if (canvas.width === wide && canvas.height === high) return;
  canvas.width = wide;
  canvas.height = high;
  canvas.style.height = `${layout.height}px`;
}

function paintNames(context: CanvasRenderingContext2D, { layout, titles, names }: MapPicture, paints: Paints): void {
  context.textBaseline = 'top';
  context.fillStyle = paints.ink;
  context.font = '600 15px system-ui, sans-serif';
  for (const [index, { y }] of layout.titles.entries()) context.fillText(titles[index] ?? '', 0, y + 4);
  context.font = '12px system-ui, sans-serif';
  for (const [index, { x, y, width }] of layout.boxes.entries())
    context.fillText(names[index] ?? '', x, y, Math.max(width, NAME));
}

function paintSpots(
  context: CanvasRenderingContext2D,
  { layout, levels }: MapPicture,
  paints: Paints,
  before?: MapPicture['levels'],
): void {
  // By index, because this goes over every slot of the farm at each update.
  for (let box = 0; box < layout.boxes.length; box += 1) {
    const { x = 0, y = 0, spots = [] } = layout.boxes[box] ?? {};
    for (let index = 0; index < spots.length; index += 1) {
      const level = levels[box]?.[index] ?? 'empty';
      if (before !== undefined && before[box]?.[index] === level) continue;
      const [left, top] = [x + (spots[index]?.x ?? 0), y + (spots[index]?.y ?? 0)];
      // Crosses and outlines end in the gap between slots.
      if (before !== undefined) context.clearRect(left - 1, top - 1, SPOT, SPOT);
      paintSpot(context, left, top, level, paints);
    }
  }
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
