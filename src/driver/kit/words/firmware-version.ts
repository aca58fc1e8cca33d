// Whether the version of a task is in a longer text of the device: `1.2` is in `PowerPlay v1.2`, not in `v1.2.5` or
// `v11.2`.

/** Undefined when the task names none or the device tells none. */
export function showsVersionIn(shown: string | undefined, wanted: string | undefined): boolean | undefined {
  if (shown === undefined || wanted === undefined) return undefined;
  for (let at = shown.indexOf(wanted); at >= 0; at = shown.indexOf(wanted, at + 1)) {
    const before = shown.slice(0, at);
    const after = shown.slice(at + wanted.length);
    if (!/[\w.]$/.test(before.replace(/v$/i, '')) && !/^(\w|\.\w)/.test(after)) return true;
  }
  return false;
}
