// Requests of people of this host, which come through the agent of the same process: each is admitted like one over
// HTTP, with the rights of an administrator of the operator's workspace. It opens no socket and passes no streams on.
import type { Readable } from 'node:stream';
import { BugError, RefusedError } from '../../base/errors.ts';
import { permissionsOf } from '../../model/permissions/permissions.ts';
import { personOfHost } from '../../model/task.ts';
import { VOUCHER_HEADER, type Vouchers } from '../auth/vouchers.ts';
import type { TenantStore } from '../store/store.ts';
import { OPERATOR_WORKSPACE } from '../store/tenants/tenants.ts';
import type { App } from './server.ts';

export type LocalRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query. */
  readonly url: string;
  readonly body?: string | undefined;
  /** Of the body. Default: JSON. */
  readonly contentType?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Name of the system user, as the client says. */
  readonly user: string;
  /** Aborts when the client has gone. */
  readonly signal?: AbortSignal | undefined;
};

export type LocalAnswer = {
  readonly status: number;
  /** Empty where there is no body. */
  readonly contentType: string;
  readonly body: Readable;
};

export type LocalRequests = ReturnType<typeof createLocalRequests>;

export function createLocalRequests(
  app: Pick<App, 'inject'>,
  vouchers: Vouchers,
  { findWorkspace }: Pick<TenantStore, 'findWorkspace'>,
) {
  return {
    /**
     * The whole answer is bounded by the limits of the server; the caller reads it or destroys it. Throws RefusedError
     * where the answer would be a stream without an end.
     */
    async request({ user, signal, ...asked }: LocalRequest): Promise<LocalAnswer> {
      const workspace = await findWorkspace(OPERATOR_WORKSPACE.slug);
      if (workspace === undefined) throw new BugError(`find the workspace ${OPERATOR_WORKSPACE.slug}: it is not there`);
      const actor = personOfHost(user);
      const voucher = vouchers.issue({ actor, workspaceId: workspace.id, permissions: permissionsOf('admin') });
      try {
        return await inject(app, asked, voucher.text, signal);
      } finally {
        voucher.end();
      }
    },
  };
}

type Asked = Omit<LocalRequest, 'user' | 'signal'>;

/** Ends when the headers of the answer are there. */
async function inject(app: Pick<App, 'inject'>, asked: Asked, voucher: string, signal: AbortSignal | undefined) {
  const { method, url, body, contentType = 'application/json', idempotencyKey } = asked;
  const answer = await app.inject({
    ...{ method, url, payloadAsStream: true },
    headers: {
      [VOUCHER_HEADER]: voucher,
      ...(body !== undefined && { 'content-type': contentType }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    ...(body !== undefined && { payload: body }),
  });
  const readable = answer.stream();
  // Frees what the answer holds, also where it has not been read.
  const drop = () => {
    readable.destroy();
    answer.raw.res.destroy();
  };
  readable.once('close', drop);
  signal?.addEventListener('abort', drop, { once: true });
  if (signal?.aborted) drop();
  const type = String(answer.headers['content-type'] ?? '');
  if (type.startsWith('text/event-stream')) {
    drop();
    throw new RefusedError('service.stream');
  }
  return { status: answer.statusCode, contentType: type, body: readable };
}
