// Which of two versions is newer: numbers by their value, a pre-release before its release (semantic versioning, section 11).

const FORM = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;

/** Also safe as the name of a folder. */
export const isVersion = (text: string): boolean => text.length <= 64 && FORM.test(text);

/** Negative when `a` is older than `b`. Both must be versions. */
export function compareVersions(a: string, b: string): number {
  const [x, y] = [FORM.exec(a), FORM.exec(b)];
  for (const part of [1, 2, 3]) {
    const difference = Number(x?.[part] ?? 0) - Number(y?.[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return comparePre(x?.[4], y?.[4]);
}

function comparePre(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  const [x, y] = [a.split('.'), b.split('.')];
  for (let index = 0; index < Math.max(x.length, y.length); index++) {
    const difference = compareParts(x[index], y[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareParts(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(b === undefined) - Number(a === undefined);
  const [isNumberA, isNumberB] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumberA && isNumberB) return Number(a) - Number(b);
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}
