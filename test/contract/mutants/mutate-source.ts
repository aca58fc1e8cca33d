// The places in the source of a driver where an operator of the mutation test can change something. It reads code as
// text: comments, imports, types and what stands in quotes are left alone.

/** One way of getting a driver wrong. */
export type Operator = {
  readonly name: string;
  /** With the flag `g`. */
  readonly finds: RegExp;
  /** `$&` = what was found, `$1` = its first group. */
  readonly becomes: string;
};

export type Mutant = {
  readonly driver: string;
  readonly operator: string;
  /** From the folder of the driver. */
  readonly file: string;
  readonly line: number;
  /** From the start of the file. */
  readonly offset: number;
  /** The line before and after. */
  readonly was: string;
  readonly is: string;
  readonly source: string;
};

const NO_CODE = /^\s*(\/\/|\/\*|\*|import\b|export (type|\*)|type\b|readonly\b|\}? from )/;

/** Whether the place in the line stands in quotes, in a pattern or behind `//`. */
function isQuoted(line: string, at: number): boolean {
  const before = line.slice(0, at).replaceAll(/\\./g, '');
  const odd = (mark: string) => before.split(mark).length % 2 === 0;
  return odd("'") || odd('`') || / \/\/ /.test(before) || /[(=:,!?&|] ?\/[^/ ][^/]*$/.test(before);
}

/** Where type parameters and types of arguments stand, a sign is no comparison. */
const isType = (line: string) =>
  /^\s*(export )?(const \w+ = )?<|: readonly |\binterface\b|=> [A-Z]\w*<|\bRecord</.test(line);

export function mutantsOf(driver: string, file: string, source: string, operators: readonly Operator[]): Mutant[] {
  const lines = source.split('\n');
  const starts = (nth: number) => lines.slice(0, nth).reduce((sum, { length }) => sum + length + 1, 0);
  return lines.flatMap((line, nth) => {
    if (NO_CODE.test(line)) return [];
    return operators.flatMap(({ name, finds, becomes }) =>
      [...line.matchAll(finds)].flatMap((match): Mutant[] => {
        if (isQuoted(line, match.index) || (/[<>]/.test(match[0]) && isType(line))) return [];
        const one = becomes.replaceAll('$&', match[0]).replaceAll('$1', match[1] ?? '');
        const is = `${line.slice(0, match.index)}${one}${line.slice(match.index + match[0].length)}`;
        if (is === line) return [];
        const changed = lines.with(nth, is).join('\n');
        return [
          {
            driver,
            operator: name,
            file,
            line: nth + 1,
            offset: starts(nth) + match.index,
            was: line.trim(),
            is: is.trim(),
            source: changed,
          },
        ];
      }),
    );
  });
}
