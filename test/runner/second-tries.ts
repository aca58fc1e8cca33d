// Names the tests that held only when they were tried again, so that a second try hides nothing from the readers of
// CI's output.
import type { Reporter, TestModule } from 'vitest/node';

export class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests('passed')) {
        if ((test.diagnostic()?.retryCount ?? 0) === 0) continue;
        process.stdout.write(`held at the second try only: ${module.relativeModuleId} > ${test.fullName}\n`);
        for (const { message } of test.result().errors ?? []) process.stdout.write(`  ${message}\n`);
      }
    }
  }
}
