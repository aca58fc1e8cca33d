// The figures of an agent for Prometheus: its state as `pithead status` shows it, as numbers. Labels are names of
// states, flags and uplinks: never an address, an id or a key.
import { Counter, Gauge, Registry } from 'prom-client';
import type { Figures } from '../../../base/metrics/figures.ts';
import type { AgentStatus } from '../status-message.ts';

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [value: number, labels?: Labels];

type Figure = {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  /** A counter only grows while the process lives. */
  readonly isCounter?: boolean;
  /** Nothing where it is not known: a figure that is not there is never 0. */
  read(status: AgentStatus): readonly Sample[];
};

const known = (value: number | null | undefined): readonly Sample[] => (typeof value === 'number' ? [[value]] : []);
const timeOf = (iso: string | null | undefined): readonly Sample[] =>
  typeof iso === 'string' ? [[Date.parse(iso) / 1_000]] : [];
const byName = (label: string, values: Readonly<Record<string, number>>): readonly Sample[] =>
  Object.entries(values).map(([name, value]) => [value, { [label]: name }] as const);

const FIGURES: readonly Figure[] = [
  {
    name: 'pithead_agent_miners',
    help: 'Miners; unread = not polled yet since the start',
    label: 'state',
    read: ({ miners: { answering, silent, unread } }) => byName('state', { answering, silent, unread }),
  },
  {
    name: 'pithead_agent_miners_hashing',
    help: 'Miners that answer and hash',
    read: ({ miners }) => known(miners.hashing),
  },
  {
    name: 'pithead_agent_miners_rebooting',
    help: 'Miners that are away because of a reboot',
    read: ({ miners }) => known(miners.rebooting),
  },
  {
    name: 'pithead_agent_miners_flagged',
    help: 'Miners that have the flag',
    label: 'flag',
    read: ({ miners }) => byName('flag', miners.flags),
  },
  {
    name: 'pithead_agent_polls_total',
    help: 'Polls by what became of them',
    label: 'outcome',
    isCounter: true,
    read: ({ polls: { ok, failed } }) => byName('outcome', { ok, failed }),
  },
  {
    name: 'pithead_agent_polls_in_flight',
    help: 'Polls under way',
    read: ({ polls }) => known(polls.in_flight),
  },
  {
    name: 'pithead_agent_poll_worst_late_seconds',
    help: 'How late a poll began at worst',
    read: ({ polls }) => known(polls.worst_late_ms / 1_000),
  },
  {
    name: 'pithead_agent_outbox_bytes',
    help: 'What the outbox holds for the services',
    read: ({ outbox }) => known(outbox.bytes),
  },
  {
    name: 'pithead_agent_outbox_dropped_records_total',
    help: 'Records that were dropped for want of room; each is declared to the services',
    isCounter: true,
    read: ({ outbox }) => known(outbox.dropped_records),
  },
  {
    name: 'pithead_agent_outbox_failed',
    help: '1 = nothing can be kept for the services',
    read: ({ outbox }) => known(outbox.fault === null ? 0 : 1),
  },
  {
    name: 'pithead_agent_outbox_last_commit_timestamp_seconds',
    help: 'When something was kept for the services',
    read: ({ outbox }) => timeOf(outbox.last_commit_at),
  },
  {
    name: 'pithead_agent_uplink_connected',
    help: '1 = connected to the service',
    label: 'uplink',
    read: ({ uplinks }) => uplinks.map(({ name, phase }) => [phase === 'online' ? 1 : 0, { uplink: name }]),
  },
  {
    name: 'pithead_agent_uplink_backlog_slices',
    help: 'Slices that the service has not confirmed',
    label: 'uplink',
    read: ({ uplinks }) =>
      uplinks.flatMap(({ name, backlog }) => (backlog === null ? [] : [[backlog, { uplink: name }] as const])),
  },
  {
    name: 'pithead_agent_uplink_clock_skew_seconds',
    help: 'How far the clock of the service is ahead of that of this host',
    label: 'uplink',
    read: ({ uplinks }) =>
      uplinks.flatMap(({ name, skew_ms }) => (skew_ms === null ? [] : [[skew_ms / 1_000, { uplink: name }] as const])),
  },
  {
    name: 'pithead_agent_tasks',
    help: 'Tasks that are not over',
    label: 'state',
    read: ({ tasks: { waiting, running } }) => byName('state', { waiting, running }),
  },
  {
    name: 'pithead_agent_addresses',
    help: 'Addresses of the networks that are scanned',
    read: ({ networks }) => known(networks.addresses),
  },
  {
    name: 'pithead_agent_scan_addresses',
    help: 'Addresses of the last whole scan, by what was found there',
    label: 'status',
    read: ({ scans }) => byName('status', scans.last?.account?.counts ?? {}),
  },
  {
    name: 'pithead_agent_scan_started_timestamp_seconds',
    help: 'When the last whole scan began',
    read: ({ scans }) => timeOf(scans.last?.started_at),
  },
  {
    name: 'pithead_agent_trust_waiting',
    help: 'Devices that wait for a person before they get their login',
    read: ({ trust }) => known(trust.waiting),
  },
  {
    name: 'pithead_agent_suspects',
    help: 'Devices that claim to be another miner, or change who they are',
    read: ({ suspects }) => known(suspects.length),
  },
  {
    name: 'pithead_agent_findings',
    help: 'Findings: what many miners suffer from together',
    read: ({ findings }) => known(findings.length),
  },
  {
    name: 'pithead_agent_troubles',
    help: 'Troubles of the agent itself, as pithead status names them',
    read: ({ troubles }) => known(troubles.length),
  },
];

/** Read when they are asked for; `state` may take as long as one walk over all miners. */
export function createAgentFigures(state: () => AgentStatus): Figures {
  const registry = new Registry();
  const registers = [registry];
  const shown = FIGURES.map(({ name, help, label, isCounter, read }) => {
    const settings = { name, help, registers, labelNames: label === undefined ? [] : [label] };
    const figure = isCounter ? new Counter(settings) : new Gauge(settings);
    return { figure, read, isPlain: label === undefined };
  });
  return {
    registry,
    refresh() {
      const status = state();
      for (const { figure, read, isPlain } of shown) {
        figure.reset();
        const samples = read(status);
        // A figure without labels is 0 after a reset.
        if (isPlain && samples.length === 0) figure.remove();
        for (const [value, labels] of samples) figure.inc(labels ?? {}, value);
      }
    },
  };
}
