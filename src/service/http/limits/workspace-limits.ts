// The limits of a workspace on its requests: what they cost together, that large ones wait for each other and never in
// front of small ones, and how much of its answers may wait for a reader. The guard says whose request it is. Headers
// say what is left.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import { RefusedError } from '../../../base/errors.ts';
import { type Budgets, WINDOW_S } from './budgets.ts';
import { onceClosed } from './closed.ts';
import { actualCost, estimatedCost, isLarge } from './cost.ts';
import { createLargeLine, type LineRefusal } from './large-line.ts';
import { createUnsent, type UnsentLimits } from './unsent.ts';

/** Whose request it is and what was taken for it so far. */
type Spending = { readonly workspaceId: string; taken: number };

/** Less than that is in the buffers of the operating system at once. */
const COUNTED_FROM_BYTES = 64 * 1024;
const UNREAD = 'Answers are made and wait for their clients to read them: no other is made until they are read';

/** Until the line has moved on. */
const LINE_RETRY_S = '2';

const spendingOf = (request: FastifyRequest) => request.getDecorator<Spending | null>('spending');

/** Before any route. */
export function registerWorkspaceLimits(
  app: FastifyInstance,
  budgets: Budgets,
  { large, all, sendMs }: UnsentLimits,
  clock: Clock,
): void {
  const unsent = createUnsent();
  const line = createLargeLine(clock, lineRefusal, (workspaceId) => unsent.hasRoom(workspaceId, large));
  app.decorateRequest('spending', null);
  app.addHook('preHandler', async (request, reply) => {
    const spending = spendingOf(request);
    if (spending === null) return;
    if (!unsent.hasRoom(spending.workspaceId, all)) throw new RefusedError('request.line', UNREAD);
    takeUpTo(budgets, spending, estimatedCost(request), reply);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const spending = spendingOf(request);
    if (spending === null) return payload;
    const { workspaceId, taken } = spending;
    const bytes = bytesOf(payload, reply);
    if (taken > 0) budgets.correct(workspaceId, actualCost(bytes) - taken);
    spending.taken = 0;
    if (bytes >= COUNTED_FROM_BYTES) {
      const sent = unsent.add(workspaceId, bytes);
      const cancel = clock.after(sendMs, () => reply.raw.destroy(), { unref: true });
      onceClosed(reply, () => {
        cancel();
        sent();
        line.serveNext();
      });
    }
    if (reply.statusCode === 429 && !reply.hasHeader('retry-after')) reply.header('retry-after', LINE_RETRY_S);
    const { left, resetS } = budgets.balance(workspaceId);
    reply.header('ratelimit-policy', `"workspace";q=${budgets.points};w=${WINDOW_S}`);
    reply.header('ratelimit', `"workspace";r=${left};t=${resetS}`);
    return payload;
  });
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = async function inLine(request, reply) {
      const spending = spendingOf(request);
      const work = async () => handler.call(this, request, reply);
      if (spending === null || !isLarge(request)) return work();
      const { workspaceId, taken: cost } = spending;
      return line.run({ workspaceId, cost, gone: goneSignal(reply) }, work);
    };
  });
}

/** Called by the guard when it knows the caller. Throws RefusedError `request.rate`. */
export function beginSpending(budgets: Budgets, workspaceId: string, request: FastifyRequest, reply: FastifyReply) {
  const spending: Spending = { workspaceId, taken: 0 };
  request.setDecorator('spending', spending);
  takeUpTo(budgets, spending, 1, reply);
}

function takeUpTo(budgets: Budgets, spending: Spending, cost: number, reply: FastifyReply): void {
  const { workspaceId, taken } = spending;
  const { waitS } = budgets.take(workspaceId, cost - taken);
  if (waitS > 0) {
    reply.header('retry-after', String(waitS));
    const { left } = budgets.balance(workspaceId);
    throw new RefusedError(
      'request.rate',
      `The workspace has spent its ${budgets.points} points of a minute: this request costs ${cost}, ${left} are left, in ${waitS} s there are enough`,
    );
  }
  spending.taken = cost;
}

/** Aborts when the connection closes before the answer has been sent. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  if (raw.destroyed) gone.abort();
  return gone.signal;
}

function bytesOf(payload: unknown, reply: FastifyReply): number {
  if (typeof payload === 'string' || payload instanceof Uint8Array) return payload.length;
  return Number(reply.getHeader('content-length') ?? 0);
}

const lineRefusal = (why: LineRefusal) => new RefusedError('request.line', WHY[why]);
const WHY: Readonly<Record<LineRefusal, string>> = {
  full: 'Too many large requests of the workspace wait already',
  late: 'The request waited 10 s, behind other large requests or for answers of the workspace to be read, and was not begun',
  gone: 'The connection was closed before the request was begun',
};
