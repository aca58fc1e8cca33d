// The last lines of a run: the tests that held only when they were tried again, so that a second try hides nothing, and
// those that failed, so that who has only the end of a long output knows what to mend.
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';

type Errors = readonly { readonly message: string }[];

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
  for (const { message } of errors) process.stdout.write(`  ${message}\n`);
}
