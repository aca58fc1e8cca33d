// The groups of operations in the OpenAPI document. Data only.

export const TAGS = {
  miners: 'The miners of a farm: their latest status, what operators set of them, what happened to them',
  locations: 'Where miners stand: containers, racks with their shape, positions, and changes of that',
  metrics: 'How many miners there are of each kind, and what a farm did over time',
  tasks: 'Task batches and their tasks: reboots and the like',
  agents: 'The agents that report on the miners and act for them',
  farms: 'The farms of a workspace',
  session: 'The session of a person on the page: logging in and out, the own password, the own devices',
  people: 'The people of a workspace, who use the page: their roles, and codes to log in with',
  workspaces: 'The workspaces that a key may use',
  keys: 'The API keys of a workspace, with which programs ask',
  webhooks: 'Where the events of a workspace are sent to, by the convention Standard Webhooks',
  grants: 'What other workspaces have opened to the workspace of the key',
  service: 'The service itself: health, figures, this document, enrolment of agents',
} as const;
