// GET …/board/stream: what changes on a board, each second, over a WebSocket. An extension of the interface.
import { boardStreamSchema } from '../../../../wire/api/board/messages.ts';
import { EXTENSION } from '../../../../wire/api/components.ts';
import { BOARD_STREAM } from '../../../auth/rules.data.ts';
import { MOST_VIEWERS } from '../../../board/stream/streams.ts';
import { accessOf, farmOf, farmParams } from '../../guard.ts';
import { answers } from '../../openapi.ts';
import type { App, RouteParts } from '../../server.ts';
import { boardQuery } from './board.ts';

export function registerBoardStream(app: App, { boardStreams, upgrades, recheck }: RouteParts): void {
  app.route({
    method: 'GET',
    url: BOARD_STREAM,
    schema: {
      ...EXTENSION,
      tags: ['miners'],
      operationId: 'streamBoardV2',
      summary: 'What changes on the board of a farm, each second (WebSocket)',
      description: `For a reader that has all rows by \`GET …/board\`: \`epoch\` and \`since\` are those of its answer. One message comes at once and then one each second, as JSON: rows that have changed, as \`GET …/board\` answers them; or \`{"seq", "at"}\` where none has; or \`{"type": "snapshot"}\`, and the stream is over: ask for all rows anew, then connect again. A binary message is such a text compressed by gzip. Five seconds without a message: what is there is not live. A reader that leaves much unread gets nothing until it has read all, and then one message with everything since. It sends nothing. Codes of the close frame: 1001 the service restarts, 1013 it cannot read or ask its database, 4401 the key or the grant no longer allows it, 4429 there are too many streams: on each copy of the service ${MOST_VIEWERS.ofCaller} of a key, ${MOST_VIEWERS.ofWorkspace} of a workspace. A page of a browser may connect from the origin of the service alone. Through a proxy that speaks HTTP/2 the status of a good answer is 200.`,
      params: farmParams,
      querystring: boardQuery,
      response: { 101: boardStreamSchema, ...answers(boardStreamSchema, 426) },
    },
    handler: async (request, reply) => {
      const { epoch, since = 0 } = request.query;
      const { caller } = accessOf(request);
      const { id: farmId } = farmOf(request);
      upgrades.take(request, reply, (socket) =>
        boardStreams.open({
          ...{ socket, farmId, workspaceId: caller.workspaceId, callerId: caller.actor.id, epoch, since },
          recheck: () => recheck(request),
        }),
      );
    },
  });
}
