// What each workspace may spend on requests, in points: a minute's worth at once, and it grows back all the time. What
// other copies of the service report counts too. It refuses nothing itself and sends nothing.
import type { Clock } from '../../../base/clock.ts';

export const WINDOW_S = 60;

type Account = {
  /** Below zero = more was spent than there was: by answers larger than expected, or on other copies. */
  left: number;
  /** When `left` was computed, monotonic. */
  atMs: number;
  /** Here, since it was last reported to the other copies. */
  unreported: number;
};

/** `resetS` = until all points are there again. */
export type Balance = { readonly left: number; readonly resetS: number };

export type Budgets = ReturnType<typeof createBudgets>;

/** `points` per minute and workspace. */
export function createBudgets(clock: Pick<Clock, 'monotonicMs'>, points: number) {
  /** Of workspaces that have not all their points: no more than there are workspaces with a good key. */
  const accounts = new Map<string, Account>();
  const perMs = points / (WINDOW_S * 1_000);

  const accountOf = (workspaceId: string): Account => {
    const nowMs = clock.monotonicMs();
    const account = accounts.get(workspaceId) ?? { left: points, atMs: nowMs, unreported: 0 };
    account.left = Math.min(points, account.left + (nowMs - account.atMs) * perMs);
    account.atMs = nowMs;
    accounts.set(workspaceId, account);
    return account;
  };
  const spend = (account: Account, cost: number) => {
    account.left = Math.max(-points, Math.min(points, account.left - cost));
  };

  return {
    points,
    /** Spends `cost` if there is enough left. `waitS` = until there is; 0 = it was spent. */
    take(workspaceId: string, cost: number): { readonly waitS: number } {
      const account = accountOf(workspaceId);
      // What costs more than a whole minute goes when the minute is whole.
      const missing = Math.min(cost, points) - account.left;
      if (missing > 0) return { waitS: Math.max(1, Math.ceil(missing / perMs / 1_000)) };
      spend(account, cost);
      account.unreported += cost;
      return { waitS: 0 };
    },
    /** A request cost so much more than was taken for it; below zero = less. */
    correct(workspaceId: string, more: number): void {
      const account = accountOf(workspaceId);
      spend(account, more);
      account.unreported += more;
    },
    /** Another copy reports what the workspace has spent there. */
    spentElsewhere: (workspaceId: string, cost: number) => spend(accountOf(workspaceId), cost),
    balance(workspaceId: string): Balance {
      const { left } = accountOf(workspaceId);
      return { left: Math.max(0, Math.floor(left)), resetS: Math.ceil((points - left) / perMs / 1_000) };
    },
    /** What each workspace has spent here since the last call, for the other copies. */
    takeUnreported(): readonly (readonly [workspaceId: string, cost: number])[] {
      const spent: [string, number][] = [];
      for (const workspaceId of accounts.keys()) {
        const account = accountOf(workspaceId);
        if (account.unreported > 0) spent.push([workspaceId, account.unreported]);
        account.unreported = Math.min(0, account.unreported);
        if (account.left >= points) accounts.delete(workspaceId);
      }
      return spent;
    },
  };
}
