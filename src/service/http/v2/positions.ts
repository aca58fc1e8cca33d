// GET and POST …/miner-positions: racks and positions of miners, as CSV for a spreadsheet and back. An extension of the
// interface; the command line uses the same functions.
import { z } from 'zod';
import { ConfigError } from '../../../base/errors.ts';
import { EXTENSION } from '../../../wire/api/components.ts';
import { importedSchema } from '../../../wire/api/miners.ts';
import { V2_FARM } from '../../auth/rules.data.ts';
import { exportPositions, importPositions } from '../../locations/positions.ts';
import type { Edited } from '../../store/store.ts';
import { accessOf, farmOf, farmParams } from '../guard.ts';
import { answers } from '../openapi.ts';
import type { App, RouteParts } from '../server.ts';
import { readUtf8 } from '../shared/body.ts';
import { good } from '../shared/envelope.ts';
import { invalidRequest } from '../shared/errors.ts';

/** Room for the positions of 80,000 miners. */
const BODY_BYTES = 8 * 1024 * 1024;
const dryRun = z
  .enum(['true', 'false'])
  .default('false')
  .meta({ description: 'Whether to say only what would change' });
/** Wrong lines that the answer names. */
const MAX_SHOWN = 10;

const described = { ...EXTENSION, tags: ['miners'], params: farmParams };

export function registerPositions(app: App, parts: RouteParts): void {
  app.route({
    method: 'GET',
    url: `${V2_FARM}/miner-positions`,
    schema: {
      ...described,
      operationId: 'exportMinerPositionsV2',
      summary: 'Racks and positions of the miners of a farm, as CSV',
      description:
        'Columns id, mac, serial_number, ip, rack, position, in this order. A cell that a spreadsheet would take for a formula has an apostrophe in front.',
      response: { ...answers(z.string()), 200: { content: { 'text/csv': { schema: z.string() } } } },
    },
    handler: async (request, reply) =>
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="positions.csv"')
        .send(await exportPositions(parts.store.operators, farmOf(request).id)),
  });
  // In a scope of its own: nothing else takes CSV, and this takes nothing else.
  app.register((scope: App, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser<Buffer>('text/csv', { parseAs: 'buffer' }, (request, bytes, parsed) =>
      parsed(null, readUtf8(request, bytes, 'text/csv')),
    );
    registerImport(scope, parts);
    done();
  });
}

function registerImport(app: App, { store, clock }: RouteParts): void {
  app.route({
    method: 'POST',
    url: `${V2_FARM}/miner-positions`,
    bodyLimit: BODY_BYTES,
    schema: {
      ...described,
      operationId: 'importMinerPositionsV2',
      summary: 'Set racks and positions of miners from CSV: all of it or nothing',
      description:
        'As the export gives it; id, rack and position must be there, the order of the columns does not matter. Miners that are not in it stay where they are. What changes is recorded as a task batch of an event type.',
      consumes: ['text/csv'],
      querystring: z.object({ dry_run: dryRun }),
      body: z.string(),
      response: answers(importedSchema, 409),
    },
    handler: async (request) => {
      const { id: farmId, workspaceId } = farmOf(request);
      const isDryRun = request.query.dry_run === 'true';
      const actor = accessOf(request).caller.actor;
      const change = { workspaceId, farmId, text: request.body, isDryRun, actor, nowMs: clock.nowMs() };
      const changed = await importPositions(store.operators, change).catch((error: unknown) => {
        throw error instanceof ConfigError ? toRefusal(error) : error;
      });
      const data = changed.map(({ id, before, after }) => ({
        id,
        before: toLocation(before),
        after: toLocation(after),
      }));
      return { ...good(data), meta: { dry_run: isDryRun, changed_count: data.length } };
    },
  });
}

const toLocation = ({ rack, position }: Edited['after']) => ({ rack, position });

function toRefusal({ problems }: ConfigError) {
  const more = problems.length - MAX_SHOWN;
  return invalidRequest(
    ...problems.slice(0, MAX_SHOWN).map(({ path, message }) => `body: ${path}: ${message}`),
    ...(more > 0 ? [`and ${more} more`] : []),
  );
}
