// Connects what serves agents: uplinks, tasks, ops status, and the notifications between copies of the service. It
// decides nothing itself.
import type { Clock } from '../base/clock.ts';
import { type DatabaseError, renderError } from '../base/errors.ts';
import type { Part } from '../base/lifecycle.ts';
import type { Log } from '../base/log.ts';
import { createClockNotes } from './ingest/clock-notes.ts';
import { createIngestQuota } from './ingest/quota.ts';
import { createUplinks } from './ingest/uplink.ts';
import { type ClusterNotifier, createClusterNotifier } from './notify/cluster-notifier.ts';
import { createOpsStatusNotifier, type OpsStatusNotifier } from './notify/ops-status-notifier.ts';
import type { IngestStore, Store } from './store/store.ts';
import { createTaskDispatcher, type TaskDispatcher } from './tasks/dispatcher.ts';
import { createOutlooks, type Outlooks } from './tasks/outlooks.ts';
import type { createSigner } from './tasks/signer.ts';

type ConnectionParts = {
  readonly store: Store;
  /** The store of reports, measured. */
  readonly ingest: IngestStore;
  readonly signer: ReturnType<typeof createSigner>;
  /** Another copy reports what a workspace has spent, or that operators have changed miners of a farm. */
  readonly onSpent: (text: string) => void;
  readonly onBoard: (farmId: string) => void;
  /** Another copy reports that sessions of a person have ended. */
  readonly onPerson: (id: string) => void;
  readonly clock: Clock;
  readonly log: Log;
};

export function createAgentConnections({ store, ingest, signer, clock, log, ...heard }: ConnectionParts) {
  const quota = createIngestQuota({ ingest: store.ingest, clock, log });
  const uplinks = createUplinks({
    agents: store.agents,
    ingest,
    quota,
    links: store.links,
    availability: store.availability,
    beginSigning: (connection) => signer.begin(connection),
    announceLink: (agentId) => clusterNotifier.announceLink(agentId),
    noteClock: createClockNotes({ events: store.events, clock, log }),
    clock,
    log,
    onReady: async (agentId) => {
      await opsStatus.resend(agentId);
      await dispatcher.deliverAll(agentId);
    },
    onTaskReceived: (agentId, taskId) => dispatcher.received(agentId, taskId),
    onOutlook: (agentId, answer) => outlooks.onAnswer(agentId, answer),
  });
  const { send, hasRoom, connectedIds } = uplinks;
  const dispatcher: TaskDispatcher = createTaskDispatcher({ tasks: store.tasks, send, hasRoom, clock, log });
  const opsStatus: OpsStatusNotifier = createOpsStatusNotifier({
    ...{ store: store.opsStatus, send, connected: connectedIds, clock, log },
  });
  const outlooks: Outlooks = createOutlooks({
    ...{ questions: store.questions, hasCopies: store.messages.hasCopies, send, clock },
    announceQuestion: (id) => clusterNotifier.announceQuestion(id),
    announceAnswer: (id) => clusterNotifier.announceAnswer(id),
  });
  const clusterNotifier: ClusterNotifier = createClusterNotifier({
    messages: store.messages,
    clock,
    log,
    onTasks: (agentId) => dispatcher.deliver(agentId),
    onLink: (agentId) => uplinks.yieldReplaced(agentId),
    onOps: (agentId) => opsStatus.notify(agentId),
    ...heard,
    onQuestion: (id) => outlooks.onQuestion(id),
    onAnswer: (id) => outlooks.onStoredAnswer(id),
    onGap: async () => {
      await uplinks.yieldReplaced();
      await dispatcher.deliverToEach();
      await opsStatus.notifyAll();
    },
  });
  store.availability.onChange(reportAvailability(clock, log));
  const warnOf = (agentId: string, what: string) => (error: unknown) =>
    log.warn({ agentId, error: renderError(error) }, what);
  return {
    uplinks,
    parts: [
      { ...dispatcher, name: 'task dispatcher' },
      { ...opsStatus, name: 'ops status notifier' },
      { ...clusterNotifier, name: 'cluster notifier' },
      { ...uplinks, name: 'uplinks' },
    ] satisfies Part[],
    stopQuota: () => quota.stop(),
    askOutlook: outlooks.ask,
    announceSpent: (text: string) => clusterNotifier.announceSpent(text),
    announceBoard: (farmId: string) => clusterNotifier.announceBoard(farmId),
    announcePerson: (id: string) => clusterNotifier.announcePerson(id),
    /**
     * To be called when new tasks of the agent are stored. A failure here is no failure of the request: the sweep of
     * the dispatcher delivers them.
     */
    async deliver(agentId: string): Promise<void> {
      clusterNotifier.announceTasks(agentId);
      await dispatcher.deliver(agentId).catch(warnOf(agentId, 'deliver tasks to an agent'));
    },
    /** To be called when the ops status of miners of the agent is stored. */
    notifyOpsStatus(agentId: string): void {
      clusterNotifier.announceOps(agentId);
      opsStatus.notify(agentId).catch(warnOf(agentId, 'send ops status to an agent'));
    },
  };
}

/** Logs when the database goes away and when it is back. */
function reportAvailability(clock: Clock, log: Log): (unavailable: DatabaseError | undefined) => void {
  let sinceMs = 0;
  return (unavailable) => {
    if (unavailable === undefined)
      return log.info({ awayMs: Math.round(clock.monotonicMs() - sinceMs) }, 'the database answers again');
    sinceMs = clock.monotonicMs();
    log.error(
      { error: renderError(unavailable) },
      'this copy takes no work: requests are answered with 503, agents are sent away',
    );
  };
}
