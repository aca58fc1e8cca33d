// What the audit trails of agent and service hold: each action once, with what it says. No other action can be recorded.

/** Actions of the trail of the service. */
export const SERVICE_ACTIONS = {
  'trail.pruned': 'the oldest entries were removed, up to the one that it names',
  'trail.key_changed': 'the trail goes on with another key, or with its first one',
  'trail.damaged': 'the stored head of the trail was not what was left there, so the end before this entry may be cut',
  'service.started': 'a copy of the service started; which settings changed since its last start',
  'workspace.created': 'a workspace was made',
  'farm.created': 'a farm was made',
  'farm.archived': 'a farm was archived',
  'farm.restored': 'an archived farm is run again',
  'key.created': 'an API key was made',
  'key.revoked': 'an API key was ended',
  'grant.created': 'a workspace opened something to another one',
  'grant.revoked': 'a grant was ended',
  'person.created': 'a person was added, or claimed the workspace as its first admin; a screen is a person too',
  'person.changed': 'a person got other roles or another time, was disabled or enabled; what was changed',
  'person.removed': 'a person was removed and can use nothing any more',
  'person.code_created': 'a one-time code was made: claim for the first admin, reset for a password, pair for a phone',
  'person.password_set': 'a person has another password; other sessions were ended',
  'session.begun': 'a person logged in; with what, from where',
  'sessions.ended': 'sessions of a person were ended; `count` of them',
  'code.created': 'a code was made with which an agent can enrol',
  'agent.enrolled': 'an agent used a code and is known from now on',
  'agent.admitted': 'the agent of the same process is known from now on',
  'agent.limited': 'an agent may have another number of miners',
  'agent.revoked': 'the token of an agent was ended',
  'agent.trail_cut':
    'the audit trail of an agent went back: its end was cut, it was written anew or its database was lost; at most once an hour for an agent',
  'signing_key.replaced': 'tasks are signed with another key',
  'batch.created': 'tasks were ordered',
  'batch.confirmed': 'tasks that waited for a second person were confirmed by one',
  'batch.cancelled': 'tasks were cancelled',
  'tasks.ended': 'tasks came to their end, as their agent or the service says',
  'miners.edited': 'operators set ops status, rack or position of miners',
  'pool_set.saved': 'a set of pools was made or changed; without its passwords',
  'pool_set.removed': 'a set of pools was removed',
  'work.taken': 'a person took a line of the worklist, from another one where one had it',
  'work.released': 'a line of the worklist is free again',
  'note.added': 'a person wrote a note about a miner',
  'miners.joined': 'a person said that a new unit stands where another one stood: its miner goes on',
  'rack.changed': 'a rack got another container or another shape, or is known from now on',
  'rack.removed': 'a rack is known no longer; its miners keep its name',
  'container.added': 'a container is known from now on',
  'container.removed': 'a container is known no longer',
  'webhook.created': 'a webhook was made',
  'webhook.changed': 'a webhook was changed, paused or made active again; what was changed',
  'webhook.removed': 'a webhook was removed',
  'webhook.rotated': 'a webhook signs with a new secret',
  'webhook.resent': 'dead letters of a webhook are sent once more; `count` of them',
  'request.refused': 'a request was refused; `count` of them in the minute',
  'login.refused':
    'requests without a good key, or too many, were refused; `count` of them from the address in the minute',
  'backup.restored':
    'a backup was put in the place of the database: what came after it is in the database that was kept aside',
} as const;

/** Actions of the trail of an agent. */
export const AGENT_ACTIONS = {
  'trail.pruned': SERVICE_ACTIONS['trail.pruned'],
  'trail.key_changed': SERVICE_ACTIONS['trail.key_changed'],
  'trail.damaged': SERVICE_ACTIONS['trail.damaged'],
  'agent.started': 'the agent started',
  'agent.enrolled': 'the agent enrolled with a service',
  'config.reloaded': 'the configuration was read anew; which sections changed',
  'task.accepted': 'a task was taken into the journal',
  'task.refused': 'a task was refused, with the reason',
  'task.begun': 'a task began: the device may have been changed from here on',
  'task.ended': 'a task came to its end',
  'control.called': 'a command came through the control socket; the user is as the command line says',
  'task_key.accepted': 'the agent trusts a key that a service signs tasks with',
  'task_key.refused': 'a service signs tasks with a key that the agent does not trust',
  'identity.settled': 'a person said which of several units is the miner',
  'trust.accepted': 'a person let devices have the login that is configured for them',
  'trust.forgotten': 'a person let devices wait again',
  'trust.retried': 'a person let a login be tried again that devices had refused',
  'update.installed': 'another version of the program was installed',
} as const;

export type ServiceAction = keyof typeof SERVICE_ACTIONS;
export type AgentAction = keyof typeof AGENT_ACTIONS;
export type AuditAction = ServiceAction | AgentAction;
