// `pithead scan` from another computer: the agents of the farm that watch the ranges scan them, as tasks of the
// service. What they found at each address is asked of the service when they are done.
import { z } from 'zod';
import { systemClock } from '../../../base/clock.ts';
import { type ScanAccount, scanAccountSchema } from '../../../model/contact.ts';
import { isFinal, type TaskStatus } from '../../../model/task.ts';
import { MAX_PAGE_SIZE } from '../../../wire/api/envelope.ts';
import { createdAnswerSchema, scannedSchema } from '../../../wire/api/tasks.ts';
import { agentV2Schema } from '../../../wire/api/tenants.ts';
import { untilOver } from '../../acts/runners/follow-batch.ts';
import { reasonLines } from '../../acts/show/outlook.ts';
import { cancelBatch, type ServiceTask, tasksOfBatch } from '../../connection/batches.ts';
import type { ServiceClient } from '../../connection/service-client.ts';
import { CommandFailed, EXIT } from '../../output/exit.ts';
import { type CliContext, withProgress } from '../../output/terminal.ts';

const agentsAnswer = z.object({ data: z.array(agentV2Schema.pick({ id: true, status: true }).loose()) });
const addressesAnswer = z.object({
  data: z.array(scannedSchema.loose()),
  pagination: z.object({ total_pages: z.number() }),
});
const progressSchema = z.object({ probed: z.number(), total: z.number(), found: z.number() }).loose();

type Service = Pick<ServiceClient, 'ask'>;
type Agent = z.output<typeof agentsAnswer>['data'][number];
export type ScannedAddress = z.output<typeof scannedSchema>;

/** What one agent found. `account` undefined = it ended without one. */
export type AgentScan = {
  readonly agent: string;
  readonly status: TaskStatus;
  readonly message: string | null;
  readonly account: ScanAccount | undefined;
  readonly addresses: readonly ScannedAddress[];
};

/**
 * Of each agent that has scanned. Agents that do not watch the ranges are named on stderr. When the signal of the
 * context aborts, the scans end with what they have found. Throws CommandFailed where no agent can scan them.
 */
export async function scanByService(
  service: Service,
  ranges: readonly string[],
  context: CliContext,
): Promise<readonly AgentScan[]> {
  const agents = await agentsOf(service, context);
  const batchIds = await begin(service, agents, ranges);
  const tasks = await follow(service, batchIds, context);
  const refused: { who: string; reason: string }[] = [];
  const scans: AgentScan[] = [];
  for (const { id, agent_id: agentId, status, message, evidence } of tasks) {
    const agent = `agent ${agentId ?? 'unknown'}`;
    if (message?.startsWith('refused: ')) {
      refused.push({ who: agent, reason: message.slice('refused: '.length) });
      continue;
    }
    const account = scanAccountSchema.safeParse(evidence.account).data;
    scans.push({ agent, status, message, account, addresses: await addressesOf(service, id) });
  }
  for (const line of reasonLines('cannot scan them', refused)) context.stderr.write(`${line}\n`);
  if (scans.length === 0) throw new CommandFailed('no agent of this farm can scan these ranges');
  return scans;
}

/** Those that are connected. Throws CommandFailed where none is. */
async function agentsOf(service: Service, { stderr }: CliContext): Promise<readonly Agent[]> {
  const { data } = await service.ask(agentsAnswer, { method: 'GET', path: `/agents?page_size=${MAX_PAGE_SIZE}` });
  const online = data.filter(({ status }) => status === 'online');
  const away = data.filter(({ status }) => status !== 'online').map(({ id }) => ({ who: id, reason: NOT_CONNECTED }));
  for (const line of reasonLines('left out', away)) stderr.write(`${line}\n`);
  if (online.length === 0) throw new CommandFailed('no agent of this farm is connected', EXIT.notRunning);
  return online;
}

const NOT_CONNECTED = 'the agent is not connected';

async function begin(service: Service, agents: readonly Agent[], ranges: readonly string[]): Promise<string[]> {
  const { data, meta } = await service.ask(createdAnswerSchema, {
    method: 'POST',
    path: '/task-batches',
    body: { task_name: 'agent.scan.create', agent_ids: agents.map(({ id }) => id), params: { ranges } },
  });
  const [refused] = meta.skipped;
  if (data.length === 0) throw new CommandFailed(refused?.message ?? 'the service gave the scan to no agent');
  return data.map(({ id }) => id);
}

/** The tasks as they ended. */
async function follow(
  service: Service,
  batchIds: readonly string[],
  context: CliContext,
): Promise<readonly ServiceTask[]> {
  const giveUp = () => {
    // Where the service is away they go on, and what is asked next says so.
    for (const id of batchIds) cancelBatch(service, id).catch(() => {});
  };
  context.signal.addEventListener('abort', giveUp, { once: true });
  if (context.signal.aborted) giveUp();
  let tasks: readonly ServiceTask[] = [];
  try {
    await withProgress(context, 'scanning', ({ update }) =>
      untilOver(systemClock, async () => {
        tasks = (await Promise.all(batchIds.map((id) => tasksOfBatch(service, id)))).flat();
        const far = tasks.flatMap(({ evidence }) => progressSchema.safeParse(evidence.progress).data ?? []);
        const sum = (name: 'probed' | 'total' | 'found') => far.reduce((total, one) => total + one[name], 0);
        if (far.length > 0) update(sum('probed'), sum('total'), `${sum('found')} miners`);
        return tasks.every(({ status }) => isFinal(status));
      }),
    );
  } finally {
    context.signal.removeEventListener('abort', giveUp);
  }
  return tasks;
}

async function addressesOf(service: Service, taskId: string): Promise<readonly ScannedAddress[]> {
  const addresses: ScannedAddress[] = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const path = `/scans/${taskId}/addresses?page=${page}&page_size=${MAX_PAGE_SIZE}`;
    const { data, pagination } = await service.ask(addressesAnswer, { method: 'GET', path });
    addresses.push(...data);
    pages = pagination.total_pages;
  }
  return addresses;
}
