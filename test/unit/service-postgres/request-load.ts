// Requests of every kind in a loop, as clients of a service send them while its database has trouble, and what became
// of each.
import { randomUUID } from 'node:crypto';
import type { Rig } from '../service-http/rig.ts';

export type Answered = {
  readonly kind: string;
  /** 0 = no answer. */
  readonly status: number;
  readonly tookMs: number;
  readonly retryAfter: string | null;
  readonly atMs: number;
};

/** Longer than any answer may take; a request that gets here has hung. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 50;

type Asked = { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: () => unknown };

const kindsOf = (rig: Rig, minerId: string): Readonly<Record<string, Asked>> => {
  const v2 = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}`;
  const nowMs = Date.now();
  const window = { from_time: new Date(nowMs - 3_600_000).toISOString(), to_time: new Date(nowMs).toISOString() };
  return {
    list: { method: 'GET', path: rig.farm('/miner/latest') },
    'list v2': { method: 'GET', path: `${v2}/miners` },
    search: { method: 'POST', path: `/private-api/v1/${rig.workspaceId}/agents/search`, body: () => ({}) },
    tasks: { method: 'GET', path: `${v2}/task-batches` },
    events: { method: 'GET', path: `${v2}/events` },
    history: { method: 'POST', path: `${v2}/metrics/query`, body: () => ({ ...window, granularity: 'hour' }) },
    order: {
      method: 'POST',
      path: rig.farm('/tasks/batches'),
      body: () => ({ task_name: 'miner.system.reboot', miner_ids: [minerId] }),
    },
    enrol: {
      method: 'POST',
      path: '/agent/v1/enrol',
      body: () => ({ code: 'AAAA-AAAA-AAAA', name: 'x', version: '1.0.0', protocol: 1, identity_key: 'AAAA' }),
    },
    metrics: { method: 'GET', path: '/metrics' },
    ready: { method: 'GET', path: '/readyz' },
  };
};

/** Each kind one after the other, all kinds at once, until `stop`. */
export function startLoad(rig: Rig, minerId: string) {
  const answers: Answered[] = [];
  let isOver = false;
  const send = async (kind: string, { method, path, body }: Asked) => {
    const atMs = performance.now();
    const init: RequestInit = {
      method,
      headers: { 'x-api-key': rig.key, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body && { body: JSON.stringify(body()) }),
    };
    const seen = await fetch(rig.url + path, init)
      .then(async (response) => {
        await response.arrayBuffer();
        return { status: response.status, retryAfter: response.headers.get('retry-after') };
      })
      .catch(() => ({ status: 0, retryAfter: null }));
    answers.push({ kind, ...seen, tookMs: performance.now() - atMs, atMs });
  };
  const running = Object.entries(kindsOf(rig, minerId)).map(async ([kind, asked]) => {
    while (!isOver) {
      await send(kind, asked);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  });
  return {
    answers,
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
  };
}
