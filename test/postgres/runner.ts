// Skips every file when there is no PostgreSQL, or fails them all when there must be one: what they do before their
// first test needs it.
import { inject, type RunnerTestFile, TestRunner } from 'vitest';

export default class PostgresRunner extends TestRunner {
  onBeforeRunFiles(files: RunnerTestFile[]): void {
    const postgres = inject('postgres');
    if (postgres === undefined || !('absent' in postgres)) return;
    if (postgres.isRequired) throw new Error(postgres.absent);
    for (const file of files) {
      file.mode = 'skip';
      for (const task of file.tasks) task.mode = 'skip';
    }
  }
}
