// A long list of rows of one height of which only those on the screen are drawn. The page itself scrolls.
import { useSignal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { type RowRange, visibleRows, within } from '../model/list/visible-rows.ts';

type RowsProps = {
  readonly count: number;
  readonly rowHeight: number;
  readonly label: string;
  readonly row: (index: number) => ComponentChildren;
  /** The row to be brought to the screen; undefined = none. */
  readonly toIndex?: number | undefined;
};

export function VirtualRows({ count, rowHeight, label, row, toIndex }: RowsProps) {
  const list = useRef<HTMLDivElement>(null);
  const { first, end } = within(useVisibleRows(list, rowHeight), count);
  useEffect(() => {
    if (toIndex === undefined) return;
    // One step of a key is never further than the rows that are drawn beyond the screen.
    list.current?.querySelector(`[aria-rowindex="${toIndex + 1}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [toIndex]);
  // A row is known by its place: another filter fills the same rows with other words, and makes none.
  const indexes = Array.from({ length: end - first }, (_, offset) => first + offset);
  return (
    <div
      ref={list}
      class="rows"
      role="grid"
      aria-label={label}
      aria-rowcount={count}
      style={{ height: `${count * rowHeight}px` }}
    >
      {indexes.map((index) => (
        <div
          key={index}
          role="row"
          aria-rowindex={index + 1}
          class="row-place"
          style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}
        >
          {row(index)}
        </div>
      ))}
    </div>
  );
}

/**
 * How many rows there are is no matter here: where a list becomes shorter than where the screen is, the browser
 * scrolls. To ask at each letter of a search where the list is would lay it all out once more.
 */
function useVisibleRows(list: RefObject<HTMLDivElement | null>, rowHeight: number): RowRange {
  const range = useSignal<RowRange>({ first: 0, end: 0 });
  useLayoutEffect(() => {
    const look = () => {
      const scrolledPx = -(list.current?.getBoundingClientRect().top ?? 0);
      const next = visibleRows({ scrolledPx, screenPx: innerHeight }, rowHeight);
      if (next.first !== range.value.first || next.end !== range.value.end) range.value = next;
    };
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [rowHeight]);
  return range.value;
}
