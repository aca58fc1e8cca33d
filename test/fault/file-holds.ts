// For a file whose tests together hold a bar, wherever it stands: after its tests the line of the bar is printed.
import { afterAll, beforeEach } from 'vitest';
import { report } from './table.ts';

/** Called at the top of the file; `measured` is asked at its end. A test of the file that fails misses the bar. */
export function fileHolds({ id, bar, measured }: { id: string; bar: string; measured: () => string }): void {
  const failed: string[] = [];
  let tests = 0;
  beforeEach(({ task, onTestFailed }) => {
    tests++;
    onTestFailed(() => void failed.push(task.name));
  });
  afterAll(() => {
    const names = failed.length === 0 ? '' : ` (${[...new Set(failed)].slice(0, 3).join('; ')})`;
    report({
      id,
      value: `${measured()}: ${failed.length} of ${tests} tests failed${names}`,
      bar,
      isMet: tests > 0 && failed.length === 0,
    });
  });
}
