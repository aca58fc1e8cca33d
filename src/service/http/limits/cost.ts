// What a request costs, in points: one for each request, and one more per hundred rows or 200 kB of its answer, about
// a millisecond of the processor. Pure.

const ROWS_PER_POINT = 100;
const BYTES_PER_POINT = 200_000;
/** Making so many takes a millisecond or more: it is not done where others wait. */
export const LARGE_ROWS = 200;

/** The names of a page size in the queries and bodies of both versions. */
const SIZES = ['pageSize', 'page_size', 'limit'] as const;

/** How many rows the request asks for; 0 where it does not say. */
function rowsAsked({ query, body }: { readonly query: unknown; readonly body: unknown }): number {
  const sizes = [query, body].flatMap((part) =>
    typeof part === 'object' && part !== null ? SIZES.map((name) => Number(Reflect.get(part, name))) : [],
  );
  return Math.max(0, ...sizes.filter(Number.isFinite));
}

type Asked = Parameters<typeof rowsAsked>[0];

/** Before the work, by what is asked for. */
export const estimatedCost = (asked: Asked): number => 1 + Math.floor(rowsAsked(asked) / ROWS_PER_POINT);

/** After the work, by the bytes of the answer as it is sent. */
export const actualCost = (bytes: number): number => 1 + Math.floor(bytes / BYTES_PER_POINT);

export const isLarge = (asked: Asked): boolean => rowsAsked(asked) >= LARGE_ROWS;
