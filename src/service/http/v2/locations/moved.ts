// What the routes share that change where miners stand: who asks, the answer, and how the wrong lines of a file are
// shown.
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Clock } from '../../../../base/clock.ts';
import { ConfigError } from '../../../../base/errors.ts';
import { formatIpv4 } from '../../../../base/net/ipv4.ts';
import type { movedSchema } from '../../../../wire/api/farm/locations.ts';
import type { Moved } from '../../../locations/positions.ts';
import type { Edited } from '../../../store/store.ts';
import { accessOf, farmOf } from '../../guard.ts';
import { good } from '../../shared/envelope.ts';
import { invalidRequest } from '../../shared/errors.ts';

/** Wrong lines that the answer names. */
const MAX_SHOWN = 10;

export function editOf(request: FastifyRequest, clock: Clock) {
  const { id: farmId, workspaceId } = farmOf(request);
  return { workspaceId, farmId, actor: accessOf(request).caller.actor, nowMs: clock.nowMs() };
}

export function sendMoved(
  { changed, changeId, ignored = [], containers = new Map() }: Pick<Moved, 'changed' | 'changeId'> & Partial<Moved>,
  isDryRun: boolean,
): z.infer<typeof movedSchema> {
  const data = changed.map(({ id, ipNum, before, after }) => ({
    ...{ id, ip: formatIpv4(ipNum), before: toPlace(before), after: toPlace(after) },
  }));
  const meta = { dry_run: isDryRun, changed_count: data.length, change_id: changeId };
  const racks = [...containers].map(([rack, container]) => ({ rack, container }));
  return { ...good(data), meta: { ...meta, ignored_columns: [...ignored], rack_containers: racks } };
}

const toPlace = ({ rack, position }: Edited['after']) => ({ rack, position });

/** Problems of a file or of a list are problems of the request. */
export async function orRefusal<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { problems } = error;
    const more = problems.length - MAX_SHOWN;
    throw invalidRequest(
      ...problems.slice(0, MAX_SHOWN).map(({ path, message }) => `body: ${path}: ${message}`),
      ...(more > 0 ? [`and ${more} more`] : []),
    );
  }
}
