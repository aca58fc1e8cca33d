// Skips every file when there is no PostgreSQL: what they do before their first test would fail otherwise.
import { inject, type RunnerTestFile, TestRunner } from 'vitest';

export default class PostgresRunner extends TestRunner {
  onBeforeRunFiles(files: RunnerTestFile[]): void {
    const postgres = inject('postgres');
    if (postgres === undefined || !('absent' in postgres)) return;
    for (const file of files) {
      file.mode = 'skip';
      for (const task of file.tasks) task.mode = 'skip';
    }
  }
}
