// The last lines of a run: the tests that held only when they were tried again, so that a second try hides nothing, and
// those that failed, so that who has only the end of a long output knows what to mend.
import { stripVTControlCharacters } from 'node:util';
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';

/** `diff` = what was expected and what came, in colour; of a stored screen it is all that tells what differs. */
type Errors = readonly { readonly message: string; readonly diff?: string | undefined }[];

const MOST_DIFF_LINES = 40;

export class LastLines implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    modules.forEach(printSecondTries);
    modules.forEach(printFailures);
    if (unhandled.length > 0) print('failed', 'outside of a test', unhandled);
  }
}

function printSecondTries(module: TestModule): void {
  for (const test of module.children.allTests('passed')) {
    if ((test.diagnostic()?.retryCount ?? 0) === 0) continue;
    print('held at the second try only', nameOf(module, test.fullName), test.result().errors);
  }
}

function printFailures(module: TestModule): void {
  // The file cannot be read, or a hook of it failed.
  if (module.errors().length > 0) print('failed', module.relativeModuleId, module.errors());
  for (const suite of module.children.allSuites()) {
    if (suite.errors().length > 0) print('failed', nameOf(module, suite.fullName), suite.errors());
  }
  for (const test of module.children.allTests('failed')) {
    print('failed', nameOf(module, test.fullName), test.result().errors);
  }
}

const nameOf = (module: TestModule, test: string) => `${module.relativeModuleId} > ${test}`;

function print(outcome: string, where: string, errors: Errors = []): void {
  process.stdout.write(`${outcome}: ${where}\n`);
  for (const { message, diff } of errors) {
    process.stdout.write(`  ${message}\n`);
    for (const line of changedLines(diff)) process.stdout.write(`    ${line}\n`);
  }
}

const changedLines = (diff = ''): string[] =>
  stripVTControlCharacters(diff)
    .split('\n')
    .filter((line) => /^[-+] /.test(line))
    .slice(0, MOST_DIFF_LINES);
