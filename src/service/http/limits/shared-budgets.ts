// Copies of the service report to each other what workspaces have spent, so that a budget is one over all of them. A
// report that is lost costs only that this copy allows a little more.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import { createRound } from '../../../base/lifecycle.ts';
import type { Log } from '../../../base/log.ts';
import type { Budgets } from './budgets.ts';

const REPORT = /^([\w-]{36}):([\w-]{36}):(\d{1,16})$/;

const REPORT_MS = 2_000;

/** A part of the service that reports every 2 s. `onSpent` takes the reports, our own too. */
export function createBudgetSharing({
  budgets,
  announce,
  clock,
  log,
}: {
  readonly budgets: Budgets;
  readonly announce: (text: string) => void;
  readonly clock: Clock;
  readonly log: Log;
}) {
  const { report, onSpent } = shareBudgets(budgets, randomUUID(), announce);
  return { ...createRound('sharing what workspaces have spent', REPORT_MS, report, clock, log), onSpent };
}

/** `copyId` tells our own reports, which come back, from those of others. `announce` sends a text to every copy. */
export function shareBudgets(budgets: Budgets, copyId: string, announce: (text: string) => void) {
  return {
    /** Call it every few seconds. */
    report(): void {
      for (const [workspaceId, cost] of budgets.takeUnreported()) announce(`${copyId}:${workspaceId}:${cost}`);
    },
    onSpent(text: string): void {
      const [, sender, workspaceId, cost] = REPORT.exec(text) ?? [];
      if (workspaceId !== undefined && sender !== copyId) budgets.spentElsewhere(workspaceId, Number(cost));
    },
  };
}
