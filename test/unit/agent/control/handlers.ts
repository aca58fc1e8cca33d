// An agent's handlers for tests of the control socket: what was asked of them is kept, and answers come when the test
// says so.

import type { ControlHandlers } from '../../../../src/agent/control/control-handlers.ts';
import type { RunRequest } from '../../../../src/agent/control/messages.ts';
import type { AgentStatus } from '../../../../src/agent/control/status-message.ts';
import { ConfigError, RefusedError } from '../../../../src/base/errors.ts';

export const STATE: AgentStatus = {
  version: '1.2.3',
  pid: 7,
  name: 'hall 2',
  state_dir: '/var/lib/pithead',
  uptime_s: 61,
  troubles: [],
  networks: { ranges: 1, addresses: 254 },
  uplinks: [],
  outbox: {
    slices: 0,
    bytes: 0,
    pending_records: 0,
    dropped_records: 0,
    is_full: false,
    last_commit_at: null,
    fault: null,
  },
  findings: [],
  miners: { total: 0, answering: 0, silent: 0, unread: 0, hashing: 0, rebooting: 0, flags: {} },
  polls: { in_flight: 0, ok: 0, failed: 0, worst_late_ms: 0 },
  set_aside: [],
  drivers: { folder: null, loaded: [], refused: [], waiting: [] },
  scans: { running: [], waiting: 0, last: null },
  tasks: { waiting: 0, running: 0 },
  trust: { waiting: 0, fault: null },
  clock_steps: [],
  suspects: [],
  last_standstill: null,
};

/** Asks for a scan that says more than anybody takes who does not read. */
export const FLOOD = '10.99.0.0/16';

/** To capture: nobody is there, and one whose agent gives files names that lead elsewhere. */
export const [NOBODY, CLIMBER] = ['10.0.0.8', '10.0.0.9'];

export function createTestHandlers() {
  const asked: {
    runs: RunRequest[];
    users: (string | undefined)[];
    cancelled: string[];
    reasons: string[];
    stopped: number;
  } = {
    runs: [],
    users: [],
    cancelled: [],
    reasons: [],
    stopped: 0,
  };
  const held = Promise.withResolvers<void>();
  /** One step at once; the end with `release`, or when the signal aborts. */
  const untilTold = async (signal: AbortSignal) => {
    const aborted = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([held.promise, aborted]);
    if (signal.aborted) asked.stopped++;
  };
  const handlers: ControlHandlers = {
    service: () => Promise.reject(new RefusedError('service.elsewhere')),
    state: () => STATE,
    board: () => {
      throw new RefusedError('select.wrong', 'no test asks for a board');
    },
    tasks: () => ({ tasks: [], left_out: null }),
    preview: ({ miners }) =>
      Promise.resolve({
        miners: miners.map((name) => ({ key: name, ip: name, model: null, power_w: null })),
        ...{ unknown: [], left_out: [], at_once: 5, kw: null, eta_s: 60, eta_is_guess: false },
      }),
    async run(request, onStep, signal, by) {
      asked.runs.push(request);
      asked.users.push(by);
      const step = { ip: '10.0.0.5', task_id: 't1', evidence: {} };
      onStep({ ...step, status: 'pending', message: 'waits for its turn' });
      await untilTold(signal);
      const isDone = !signal.aborted;
      onStep({ ...step, status: isDone ? 'succeeded' : 'cancelled', message: null });
      return { total: 1, succeeded: isDone ? 1 : 0, batch_id: 'b1' };
    },
    batch: () => ({ name: 'miner.light.update', params: { on: true }, tasks: [] }),
    cancel(ids) {
      asked.cancelled.push(...ids);
      return ids.length;
    },
    abortAll(reason) {
      asked.reasons.push(reason);
      return 3;
    },
    async scan({ ranges }, hearer, signal) {
      if (ranges.includes(FLOOD)) {
        for (let i = 0; i < 300; i++) hearer.onUnderstood('x'.repeat(100_000));
        await untilTold(signal);
      }
      // Like what cannot be called back: it does not listen to its signal.
      await held.promise;
      throw new RefusedError('scan.ranges', 'scan nothing');
    },
    identities: () => ({ disputes: [] }),
    settle: () => Promise.resolve([]),
    look: (ip) => Promise.resolve({ ip, status: 'silent', openPorts: [] }),
    reload() {
      throw new ConfigError('check config pithead.yaml', [{ path: 'networks[0]', message: 'is wrong' }]);
    },
    async capture({ ip, also = [], login }, onAsked) {
      if (ip === NOBODY) return undefined;
      onAsked(1, 2, 'version');
      for (const asked of also) onAsked(2, 2, `${asked} for ${login?.user}`);
      const responses = [{ ask: 'version' }, { ask: 'stats', failure: 'peer.auth' }];
      const files = new Map([[ip === CLIMBER ? '../../etc/passwd' : 'tcp-4028.version.json', '{"a":"\u00ff"}']]);
      return { case: { id: 'bitmain-s19-1.0', responses }, files, driver: undefined, isLoginRefused: true };
    },
    log: (ip) => Promise.reject(new RefusedError('look.outside', `ask ${ip}`)),
  };
  return { handlers, asked, release: () => held.resolve() };
}
