// Every type of event in the feed of a farm, once, with when it comes. A newer agent may report others: they are stored
// and listed as well. What the detail of each holds is in `wire/api/tenants.ts`.

type Row = {
  /** `service` = of no agent, in the list of each farm. */
  readonly about: 'miner' | 'agent' | 'task' | 'service';
  readonly when: string;
};

// biome-ignore format: a table
export const EVENT_TYPES = {
  flag_raised:        { about: 'miner',   when: 'A stored state has a flag that the state before did not have; with the evidence' },
  flag_cleared:       { about: 'miner',   when: 'A stored state no longer has a flag of the state before; with the evidence' },
  appeared:           { about: 'miner',   when: 'The agent has found a miner that it did not know' },
  moved:              { about: 'miner',   when: 'A known miner has another address' },
  miner_missing:      { about: 'miner',   when: 'A miner has not answered its agent for an hour; since when as `since`' },
  miner_back:         { about: 'miner',   when: 'A miner that was missing answers again; since when it was missing as `since`' },
  note_added:         { about: 'miner',   when: 'A person wrote a note about the miner; `actor` says who' },
  duplicate:          { about: 'miner',   when: 'Two units show the same MAC address or serial number' },
  replaced:           { about: 'miner',   when: 'Another unit stands where the miner was' },
  model_contradicted: { about: 'miner',   when: 'What the device reports of its own build differs from the table of models' },
  chassis_kept:       { about: 'miner',   when: 'A person said that a new unit stands where this miner stood: location and history stay' },
  identity_settled:   { about: 'miner',   when: 'A person on site decided which of several units is the miner' },
  ip_reported:        { about: 'miner',   when: 'A person pressed the IP-report button of the miner' },
  pools_changed:      { about: 'miner',   when: 'The miner has other pools than it was locked to' },
  pools_restored:     { about: 'miner',   when: 'The pool lock has put the pools of the miner back' },
  pools_not_restored: { about: 'miner',   when: 'The pool lock could not put the pools back' },
  task_created:       { about: 'task',    when: 'A task batch was created; `actor` says by whom' },
  task_ended:         { about: 'task',    when: 'A task reached its last status; one event for each miner' },
  task_on_site:       { about: 'task',    when: 'A task that a person on site started, with its outcome' },
  agent_offline:      { about: 'agent',   when: 'The service has not heard the agent for two minutes, or in ten minutes since it was enrolled' },
  agent_online:       { about: 'agent',   when: 'An agent that was offline is back' },
  finding_raised:     { about: 'agent',   when: 'Many miners suffer from one cause, such as a dead pool' },
  finding_cleared:    { about: 'agent',   when: 'The cause that many miners shared is gone' },
  events_refused:     { about: 'agent',   when: 'The agent reported more events than it may; a gap counts them' },
  orders_refused:     { about: 'agent',   when: 'The agent refused tasks or notices, summed up by reason' },
  trust_waiting:      { about: 'agent',   when: 'Devices wait for a person to accept them before they get their login' },
  identity_suspects:  { about: 'agent',   when: 'Devices show the facts of other miners, or change their identity' },
  task_key_pinned:    { about: 'agent',   when: 'The agent trusts the key of the service from now on' },
  task_key_changed:   { about: 'agent',   when: 'The agent trusts another key of the service, which the one before vouched for' },
  task_key_refused:   { about: 'agent',   when: 'The service shows a key that the agent does not trust' },
  clock_stepped:      { about: 'agent',   when: 'The clock of the agent was set; of the service where `agent_id` is null' },
  clock_differs:      { about: 'agent',   when: 'The clock of the agent differs from that of the service' },
  miners_refused:     { about: 'agent',   when: 'The agent reports more miners than it may have' },
  miners_taken_over:  { about: 'agent',   when: 'The agent reports miners that another agent has served' },
  storage_failed:     { about: 'agent',   when: 'The agent cannot keep what it reports, such as on a full disk' },
  storage_recovered:  { about: 'agent',   when: 'The agent can keep what it reports again' },
  backup_skipped:     { about: 'service', when: 'A backup of the database was not made, such as for lack of room' },
  backup_failed:      { about: 'service', when: 'A backup of the database could not be made' },
  webhook_disabled:   { about: 'service', when: 'A webhook was switched off: it failed for seven days, or its receiver answered 410' },
  webhook_events_lost: { about: 'service', when: 'Events that a webhook has not got are gone: too old, or more dead letters than are kept' },
} as const satisfies Readonly<Record<string, Row>>;

export type EventType = keyof typeof EVENT_TYPES;
