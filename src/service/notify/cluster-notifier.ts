// Tells the other copies of the service where to look: an agent has new tasks, an agent has a new connection, operators changed the ops status of an
// agent's miners. Notifications carry ids only. Copies read the state from the database. A lost one costs time, not correctness: task dispatcher and
// uplinks look by themselves every so often.
import { renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Messages } from '../store/store.ts';

type RelayParts = {
  readonly messages: Messages;
  readonly log: Log;
  /** The agent has tasks that it may not have been sent. */
  readonly onTasks: (agentId: string) => Promise<void>;
  /** The agent has said hello, here or on another copy. */
  readonly onLink: (agentId: string) => Promise<void>;
  /** Operators have said something of the agent's miners. */
  readonly onOps: (agentId: string) => Promise<void>;
  /** Messages may have been missed: look at everything. */
  readonly onGap: () => Promise<void>;
};

export type Relay = ReturnType<typeof createRelay>;

const MESSAGE = /^(tasks|link|ops) (\S{1,100})$/;

export function createRelay({ messages, log, onTasks, onLink, onOps, onGap }: RelayParts) {
  let listening: { stop(): Promise<void> } | undefined;
  const under = new Set<Promise<void>>();

  /** Waited for at the end only, so that one slow agent does not hold up the messages to the others. */
  const keep = (what: string, work: Promise<void>) => {
    const kept = work
      .catch((error: unknown) => log.warn({ error: renderError(error) }, `${what} failed; it is done again later`))
      .finally(() => under.delete(kept));
    under.add(kept);
  };
  const handle = (text: string) => {
    const [, kind, agentId] = MESSAGE.exec(text) ?? [];
    if (kind === undefined || agentId === undefined)
      return log.debug({}, 'a message of a newer version was left aside');
    if (kind === 'tasks') keep('bringing tasks', onTasks(agentId));
    else if (kind === 'link') keep('comparing connections', onLink(agentId));
    else keep('telling of ops status', onOps(agentId));
  };

  return {
    // These never throw and are not waited for.
    announceTasks: (agentId: string) => keep('telling other copies of tasks', messages.send(`tasks ${agentId}`)),
    announceLink: (agentId: string) => keep('telling other copies of a connection', messages.send(`link ${agentId}`)),
    announceOps: (agentId: string) => keep('telling other copies of ops status', messages.send(`ops ${agentId}`)),
    start() {
      listening = messages.listen({
        onMessage: handle,
        onConnected: () => keep('catching up', onGap()),
        onError: (error) => log.warn({ error: renderError(error) }, 'not connected to the other copies'),
      });
    },
    async stop() {
      await listening?.stop();
      await Promise.all(under);
    },
  };
}
