// GET and POST …/miner-positions: racks and positions of miners, as CSV for a spreadsheet and back. An extension of the
// interface.
import { z } from 'zod';
import { EXTENSION } from '../../../../wire/api/components.ts';
import { movedSchema } from '../../../../wire/api/farm/locations.ts';
import { V2_FARM } from '../../../auth/rules.data.ts';
import { exportPositions, importPositions } from '../../../locations/positions.ts';
import { farmOf, farmParams } from '../../guard.ts';
import { answers } from '../../openapi.ts';
import type { App, RouteParts } from '../../server.ts';
import { readUtf8 } from '../../shared/body.ts';
import { editOf, orRefusal, sendMoved } from './moved.ts';

/** Room for the positions of 80,000 miners. */
const BODY_BYTES = 8 * 1024 * 1024;
const dryRun = z
  .enum(['true', 'false'])
  .default('false')
  .meta({ description: 'Whether to say only what would change' });

const described = { ...EXTENSION, tags: ['locations'], params: farmParams };

export function registerPositions(app: App, parts: RouteParts): void {
  app.route({
    method: 'GET',
    url: `${V2_FARM}/miner-positions`,
    schema: {
      ...described,
      operationId: 'exportMinerPositionsV2',
      summary: 'Racks and positions of the miners of a farm, as CSV',
      description:
        'Columns id, mac, serial_number, ip, rack, position, container, in this order. A cell that a spreadsheet would take for a formula has an apostrophe in front.',
      response: { ...answers(z.string()), 200: { content: { 'text/csv': { schema: z.string() } } } },
    },
    handler: async (request, reply) =>
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="positions.csv"')
        .send(await exportPositions(parts.store, farmOf(request).id)),
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
        'A row names its miner by any of id, mac, serial_number (of the miner or of a part) and ip, and gives rack and position, or rack, row and column. Comma, semicolon or tab between cells; headers in any order and usual spelling; other columns are ignored. A container is given to racks that stand in none. Miners that are not in it stay where they are. What changes is recorded as a task batch of an event type, and can be undone.',
      consumes: ['text/csv'],
      querystring: z.object({ dry_run: dryRun }),
      body: z.string(),
      response: answers(movedSchema, 409),
    },
    handler: async (request) => {
      const edit = { ...editOf(request, clock), isDryRun: request.query.dry_run === 'true' };
      return sendMoved(await orRefusal(importPositions(store, { ...edit, text: request.body })), edit.isDryRun);
    },
  });
}
