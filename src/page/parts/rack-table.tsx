// The slots of a rack as a table, as they are seen from the front: each is a link or a button, and arrow keys go from
// slot to slot.
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { rowsOf } from '../model/rack-cells.ts';

type Slot = { readonly position: number; readonly row: number | null; readonly column: number | null };

export type SlotCell = {
  readonly content: string;
  /** The whole of it in words. */
  readonly label: string;
  /** The class of its colour. */
  readonly look: string;
  readonly isPresent?: boolean;
  /** Neither = nothing can be done with it. */
  readonly href?: string;
  readonly onTap?: () => void;
};

type TableProps<S> = {
  readonly name: string;
  readonly caption: string;
  readonly slots: readonly S[];
  readonly cell: (slot: S) => SlotCell;
};

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ...{ ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] },
};

export function RackTable<S extends Slot>({ name, caption, slots, cell }: TableProps<S>) {
  const table = useRef<HTMLTableElement>(null);
  /** Of the slot that the tabulator key comes to. */
  const focused = useSignal(slots[0]?.position);
  const rows = rowsOf(slots);
  const move = (event: KeyboardEvent) => {
    const [down, right] = ARROWS[event.key] ?? [];
    const at = event.target instanceof HTMLElement ? event.target.closest('td') : null;
    if (down === undefined || right === undefined || !(at?.parentElement instanceof HTMLTableRowElement)) return;
    event.preventDefault();
    const next = table.current?.rows[at.parentElement.rowIndex + down]?.cells[at.cellIndex + right];
    const target = next?.querySelector('[data-position]');
    if (target instanceof HTMLElement) target.focus();
  };
  return (
    <div class="scroll">
      <table class="rack" ref={table} aria-label={`${name}: ${caption}`} onKeyDown={move}>
        <caption>{caption}</caption>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((slot, column) => (
                <td key={column}>
                  {slot !== undefined && (
                    <SlotPart
                      {...cell(slot)}
                      position={slot.position}
                      isReached={slot.position === focused.value}
                      onFocus={() => (focused.value = slot.position)}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type PartProps = SlotCell & {
  readonly position: number;
  readonly isReached: boolean;
  readonly onFocus: () => void;
};

function SlotPart({ position, content, label, look, isPresent, href, onTap, isReached, onFocus }: PartProps) {
  const shared = {
    'data-position': position,
    class: `slot ${look}`,
    tabIndex: isReached ? 0 : -1,
    'aria-current': isPresent ? 'location' : undefined,
    onFocus,
  } as const;
  const inside = (
    <>
      <span aria-hidden="true">{content}</span>
      <span class="hidden">{label}</span>
    </>
  );
  if (href !== undefined)
    return (
      <a href={href} title={label} {...shared}>
        {inside}
      </a>
    );
  return (
    <button type="button" title={label} aria-disabled={onTap === undefined} onClick={onTap} {...shared}>
      {inside}
    </button>
  );
}
