// Notifies the other copies of the service: an agent has new tasks, a new connection, a question, or miners with
// another ops status; operators have changed miners of a farm; sessions of a person have ended. Notifications carry
// ids only; copies read the database, and look regularly too, so that a lost one costs only time.
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { renderError } from '../../base/errors.ts';
import { type Log, oncePerMinute } from '../../base/log.ts';
import type { Messages } from '../store/store.ts';

type NotifierParts = {
  readonly messages: Messages;
  readonly clock: Clock;
  readonly log: Log;
  /** The agent has tasks that were perhaps not sent. */
  readonly onTasks: (agentId: string) => Promise<void>;
  /** The agent has said hello, here or on another copy. */
  readonly onLink: (agentId: string) => Promise<void>;
  /** Operators have changed the ops status of some of the agent's miners. */
  readonly onOps: (agentId: string) => Promise<void>;
  /** Operators have changed what the board of the farm shows, here or on another copy. */
  readonly onBoard: (farmId: string) => void;
  /** What a copy reports of what workspaces have spent: see http/limits/shared-budgets.ts. */
  readonly onSpent: (text: string) => void;
  /** A copy asks an agent that is not connected there, or an agent has answered one: by the id of the question. */
  readonly onQuestion: (id: string) => Promise<void>;
  readonly onAnswer: (id: string) => Promise<void>;
  /** Sessions of the person were ended, or it may do other things now. */
  readonly onPerson: (id: string) => void;
  /** Notifications may have been missed: look at everything. */
  readonly onGap: () => Promise<void>;
};

export type ClusterNotifier = ReturnType<typeof createClusterNotifier>;

const MESSAGE = /^(?<kind>\w+) (?<id>\S{1,100})$/;
const messageSchema = z.object({
  kind: z.enum(['tasks', 'link', 'ops', 'board', 'spent', 'question', 'answer', 'person']),
  id: z.string(),
});
type Kind = z.infer<typeof messageSchema>['kind'];

export function createClusterNotifier({ messages, clock, log, onGap, ...parts }: NotifierParts) {
  let listening: { stop(): Promise<void> } | undefined;
  const running = new Set<Promise<void>>();

  /** Only `stop` waits for it, so that one slow agent does not delay the messages to the others. */
  const run = (what: string, work: Promise<void>) => {
    const kept = work
      .catch((error: unknown) => log.warn({ error: renderError(error) }, `${what} failed; it is done again later`))
      .finally(() => running.delete(kept));
    running.add(kept);
  };
  const announce = (kind: Kind, id: string) =>
    run(`announcing ${kind} to other copies`, messages.send(`${kind} ${id}`));
  const byKind: Readonly<Record<Kind, (id: string) => void>> = {
    tasks: (agentId) => run('delivering tasks', parts.onTasks(agentId)),
    link: (agentId) => run('comparing connections', parts.onLink(agentId)),
    ops: (agentId) => run('sending ops status', parts.onOps(agentId)),
    board: parts.onBoard,
    spent: parts.onSpent,
    question: (id) => run('passing on a question', parts.onQuestion(id)),
    answer: (id) => run('taking an answer', parts.onAnswer(id)),
    person: parts.onPerson,
  };
  const handle = (text: string) => {
    const { kind, id } = messageSchema.safeParse(MESSAGE.exec(text)?.groups).data ?? {};
    if (kind === undefined || id === undefined) return log.debug({}, 'a message of a newer version is ignored');
    byKind[kind](id);
  };

  return {
    // These never throw and are not waited for.
    announceTasks: (agentId: string) => announce('tasks', agentId),
    announceLink: (agentId: string) => announce('link', agentId),
    announceOps: (agentId: string) => announce('ops', agentId),
    announceBoard: (farmId: string) => announce('board', farmId),
    announceQuestion: (id: string) => announce('question', id),
    announceAnswer: (id: string) => announce('answer', id),
    announcePerson: (id: string) => announce('person', id),
    /** At most 100 characters without blanks. */
    announceSpent: (text: string) => announce('spent', text),
    start() {
      listening = messages.listen({
        onMessage: handle,
        onConnected: () => run('catching up', onGap()),
        onError: oncePerMinute(clock, (error) =>
          log.warn({ error: renderError(error) }, 'not connected to the other copies'),
        ),
      });
    },
    async stop() {
      await listening?.stop();
      await Promise.all(running);
    },
  };
}
