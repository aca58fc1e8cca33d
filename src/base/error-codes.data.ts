// Every code of an error or a refusal: what it means and what to do. The types of errors.ts, the answers of HTTP, the
// OpenAPI document and the handbook come from here.

/**
 * `text` is the message where the error has none of its own; `status` is the HTTP status, absent = no client of HTTP
 * sees it.
 */
export type ErrorEntry = { readonly status?: number; readonly text: string; readonly advice: string };

// The web page bundles the families of errors without these texts: a bundler has to know that a call does nothing.
/* @__NO_SIDE_EFFECTS__ */
const entry = (text: string, advice: string, status?: number): ErrorEntry =>
  status === undefined ? { text, advice } : { status, text, advice };

/** Codes of RefusedError. */
export const REFUSALS = {
  'request.invalid': entry('Invalid request parameters', 'Correct the parameter that the message names.', 400),
  'request.not-found': entry('Resource not found', 'Check the ids; what the key may not see is not found either.', 404),
  'request.conflict': entry(
    'This Idempotency-Key was already used with another request body',
    'Use a new Idempotency-Key, or another position of the rack.',
    409,
  ),
  'farm.archived': entry(
    'The farm is archived: it takes no tasks, changes or reports',
    'Restore the farm: pithead farm restore.',
    409,
  ),
  'webhooks.full': entry(
    'The workspace has as many webhooks as it may',
    'Remove a webhook that is no longer needed: pithead webhook remove.',
    409,
  ),
  'pool-sets.full': entry(
    'The farm has as many sets of pools as it may',
    'Remove a set that is no longer needed: DELETE …/pool-sets/{name}.',
    409,
  ),
  'keys.full': entry(
    'The workspace has as many keys as it may',
    'End a key that is no longer needed: pithead key revoke.',
    409,
  ),
  'people.full': entry(
    'The workspace has as many people as it may',
    'Remove a person that is no longer needed: pithead people remove.',
    409,
  ),
  'people.name': entry(
    'The name is that of another person',
    'Take another name: names are unique in the service.',
    409,
  ),
  'people.last-admin': entry(
    'It is the last admin of the workspace that can log in without an end',
    'Make another person an admin first.',
    409,
  ),
  'people.reboots': entry(
    'A technician may have so many open reboots',
    'Wait until some of them are over, or ask an operator.',
    409,
  ),
  'people.second-person': entry(
    'These tasks wait for another person than the one who ordered them',
    'Ask another person to confirm them on the page, or cancel them.',
    403,
  ),
  'webhooks.address': entry(
    'The URL of a webhook leads to an address that is not allowed',
    'Use a public address, or allow its network on the host of the service: webhooks.allowedNetworks.',
  ),
  'request.media-type': entry(
    'The request body is not of a type that is taken here',
    'Send the type that the message names, in UTF-8, not compressed.',
    415,
  ),
  'request.upgrade': entry(
    'The path serves a WebSocket and nothing else',
    'Open it as a WebSocket, with the headers that RFC 6455 asks for.',
    426,
  ),
  'request.rate': entry(
    'Too many requests in a minute',
    'Wait as many seconds as Retry-After says. The headers RateLimit and RateLimit-Policy say what is left.',
    429,
  ),
  'request.line': entry(
    'Too many large requests at once, or too much that clients have not read',
    'Wait as many seconds as Retry-After says. Read the answers. Ask for large pages one after the other, or for smaller ones.',
    429,
  ),
  'auth.missing': entry('Missing x-api-key header', 'Send the key as x-api-key, or as Authorization: Bearer.', 401),
  'auth.invalid': entry('Invalid or missing API key', 'Use a key that is neither revoked nor expired.', 401),
  'auth.code': entry('Invalid, used or expired enrolment code', 'Make a new code: pithead enrol.', 401),
  'auth.session': entry(
    'There is no session, or it has ended: log in again',
    'Log in again; if that is refused, ask an administrator of the workspace.',
    401,
  ),
  'auth.login': entry(
    'Wrong name or password',
    'Try again, or have a new password set: pithead people reset <name>.',
    401,
  ),
  'auth.claim': entry(
    'Invalid, used or expired code',
    'Make a new code: pithead people claim, reset or pair, or on the page of an administrator.',
    401,
  ),
  'auth.wait': entry(
    'Too many attempts to log in',
    'Wait as many seconds as Retry-After says. Others, and the same person from elsewhere, can log in meanwhile.',
    429,
  ),
  'auth.origin': entry(
    'The request comes from another web page',
    'Open the page of the service itself. A program uses an API key.',
    403,
  ),
  'auth.plain': entry(
    'People have no sessions beyond this host without TLS',
    'Open the https address, or the page on the host itself; `pithead setup` makes the certificate. Where something else encrypts, set page.allowPlain.',
    403,
  ),
  'auth.host': entry(
    'The service does not answer with a session under this host name',
    'Open the page by its address, localhost, a .local name or the host of listen.publicUrl.',
    403,
  ),
  'auth.workspace': entry('Access denied to workspace', 'Use the workspace of the key, or ask for a grant.', 403),
  'auth.permission': entry(
    'The key or the grant lacks the permission',
    'Use a key or a grant that has the permission in the message.',
    403,
  ),
  'auth.farm': entry(
    'Access denied to farm',
    'Use a farm of the workspace, or ask for a grant that has the farm.',
    403,
  ),
  'auth.proof': entry('The agent does not prove its key', 'Enrol the agent again if its state was copied or lost.'),
  'frame.invalid': entry(
    'A message of the agent cannot be read',
    'Update the agent; if it is up to date, report the message.',
  ),
  'frame.order': entry('A message of the agent comes out of order', 'None: the agent connects again and continues.'),
  'frame.protocol': entry('Agent and service speak different versions of the protocol', 'Update the older of the two.'),
  'frame.rate': entry(
    'The agent connects too often',
    'None: the agent waits and connects again. If it lasts, see its log.',
  ),
  'frame.epochs': entry('The agent opens too many epochs on one connection', 'None: the agent connects again.'),
  'service.elsewhere': entry(
    'The service of this agent runs elsewhere',
    'Ask that service itself: name it with --server and --key-file, or with PITHEAD_URL and PITHEAD_KEY.',
  ),
  'service.stream': entry(
    'The agent passes no streams of the service on',
    'Ask the service itself: name it with --server and --key-file.',
  ),
  'service.not-alone': entry('A service runs on the database', 'Stop the service first.'),
  'service.older-copies': entry(
    'Copies of an older version that would write wrong values work on the database',
    'Stop the copies that the message names, then start this version again.',
  ),
  'service.old-schema': entry(
    'The database has an older schema',
    'Start the service of this version first: it upgrades the database. Or use the version of the service that runs.',
  ),
  'agent.not-alone': entry('An agent runs on the state directory', 'Stop that agent, or name another state directory.'),
  'control.taken': entry(
    'The control socket cannot be opened',
    'Stop the other agent, or remove the file that is no socket.',
  ),
  'control.unclear': entry(
    'The running agent refuses without a reason that is known here',
    'Use the command of the version of the agent; see its log.',
  ),
  'not-found': entry('The running agent does not know the request', 'Update and restart the agent.'),
  'wrong-request': entry('The running agent cannot read the request', 'Use the command of the version of the agent.'),
  internal: entry('the agent itself failed; see its log', 'See the log of the agent.'),
  stopping: entry('the agent stops', 'Start the agent, then try again.'),
  'reload.unable': entry('read the configuration anew: there is none', 'Start the agent with a configuration file.'),
  'tasks.not-allowed': entry(
    'The configuration does not allow the task',
    'Allow it under tasks.allow in the configuration, on site.',
  ),
  'tasks.journal-full': entry(
    'The journal holds as many tasks as it may',
    'Wait until tasks are over, then create them again.',
  ),
  'batch.unknown': entry(
    'The running agent knows no batch of this id',
    'Use an id that pithead tasks shows. Tasks are forgotten after a week.',
  ),
  'run.outside': entry(
    'All named miners are outside the networks of the agent',
    'Add the networks to the configuration of the agent.',
  ),
  'select.wrong': entry('The selector cannot be read', 'Write it as the message says.'),
  'select.lacking': entry(
    'The selector has a word that needs what only a service keeps',
    'Ask the service: --server and --key-file, or PITHEAD_URL and PITHEAD_KEY.',
  ),
  'run.pools': entry(
    'Some of the miners lack what the workers or the kept parts of the pools need',
    'Leave out the miners that the message names, or change what the worker is made of.',
  ),
  'look.outside': entry(
    'The address is outside the networks of the agent',
    'Add the network to the configuration of the agent.',
  ),
  'scan.outside': entry(
    'All of the range is outside the networks of the agent',
    'Add the network to the configuration of the agent.',
  ),
  'scan.straddles': entry(
    'A part of the range is outside the networks of the agent',
    'Name that part in a scan of its own.',
  ),
  'scan.ranges': entry('A range cannot be read', 'Write it as the message says.'),
  'scan.duplicate': entry('A scan of this id is not over', 'Wait until it is over.'),
  'scan.queue-full': entry('Too many scans wait', 'Wait until a scan is over.'),
  'capture.under-way': entry('The miner is being captured', 'Wait until that capture is over.'),
  'capture.too-large': entry(
    'The miner answers more than a running agent hands over',
    'Stop the agent, then capture the miner.',
  ),
  'capture.too-long': entry('The capture takes too long', 'Try again when the miner answers faster.'),
  'identity.full': entry('The agent knows as many miners as it may', 'Split the networks over several agents.'),
  'identity.gone': entry('The agent does not know the miner at the address any more', 'List the identities again.'),
  'refused.other-unit': entry(
    'Another miner answers at the address',
    'Look which miner is meant, then create the task again.',
  ),
  'refused.target-changed': entry(
    'The miner moved and too little shows that it is the same one',
    'Look which miner is meant, then create the task again.',
  ),
  'refused.password': entry(
    'The password of the miner may not be changed now',
    'Do what the message says, then create the task again.',
  ),
  'reach.refused': entry(
    'The address is not in the allowed networks, or its port does not exist',
    'Correct the networks or the port map of the configuration.',
  ),
  'device.queue-full': entry('Too much waits for one miner', 'Try again when the miner answers faster.'),
  'http.queue-full': entry(
    'Too many HTTP requests wait',
    'Lower the number of miners that are asked at the same time.',
  ),
  'engine.queue-full': entry(
    'Too many connections wait',
    'Lower the number of miners that are asked at the same time.',
  ),
  'engine.exhausted': entry(
    'The host has no free socket',
    'Raise the limit of open files or of local ports on the host.',
  ),
  'upload.unreadable': entry('A file cannot be read while it is sent', 'Check the file and its disk.'),
  'outbox.full': entry('store records: too many wait for the disk already', 'Check the disk of the host of the agent.'),
  'storage.foreign': entry(
    'Another user made a file that root would open',
    'See who made the file, move it away, then try again.',
  ),
  'storage.no-file': entry('The path is no plain file, or the file is too large', 'Name a plain file.'),
  'fetch.host': entry(
    'The host of the file is not allowed, or the address is not https',
    'Allow the host in the configuration, on site.',
  ),
  'fetch.redirect': entry('The host redirects too often', 'Name the final address of the file.'),
  'fetch.status': entry('The host does not give the file', 'Check the address of the file.'),
  'fetch.too-large': entry('The file is too large', 'Check the address of the file.'),
  'fetch.slow': entry(
    'The file does not arrive in time',
    'Use a host that is nearer, or put the file on the host of the agent.',
  ),
  'fetch.failed': entry('The file cannot be fetched', 'Check the network and the certificate of the host.'),
  'firmware.wrong': entry('The file has another SHA-256', 'Correct the SHA-256, or fetch the right file.'),
  'firmware.params': entry(
    'The task names no image',
    'Name a file of the firmware folder, or the SHA-256 of the image as 64 hex digits.',
  ),
  'firmware.missing': entry(
    'The image is not on the host of the agent',
    'Put the file into the firmware folder, or name a url.',
  ),
  'firmware.folder': entry('The firmware folder cannot be used', 'Check the folder and who may write to it.'),
  'update.no-root': entry(
    'this build has no root key and takes no updates',
    'Install the new version as the first one was installed.',
  ),
  'update.params': entry('the params name no url of a signed update: name one, by https, in url', 'Name the url.'),
  'update.wrong': entry('The update has another SHA-256', 'Correct the SHA-256, or name the right update.'),
  'update.version': entry(
    'The version is not the expected one, or not newer than what is installed',
    'Take a newer update.',
  ),
  'update.broken': entry('The update was tried and did not work', 'Take a newer update.'),
  'update.busy': entry('Another update is under way', 'Wait until it is over: pithead update --status.'),
  'update.layout': entry(
    'This installation is no system service that updates itself',
    'Install the package of the new version.',
  ),
  'update.format': entry('The file is no update, or is damaged', 'Get the file anew from where it was published.'),
  'update.size': entry(
    'The file is shorter or longer than it should be',
    'Get the file anew from where it was published.',
  ),
  'update.payload': entry(
    'The program in the file is not the signed one',
    'Get the file anew from where it was published.',
  ),
  'update.manifest': entry('The manifest cannot be read', 'Take an update for this version.'),
  'update.name': entry('The update is of another program', 'Take an update of pithead.'),
  'update.target': entry('The update is for another platform', 'Take the update for this platform.'),
  'update.too-early': entry('The update is not in force yet', 'Wait, or check the clock of the host.'),
  'update.expired': entry('The update is not in force any more', 'Take a newer update.'),
  'update.key': entry('The signing key of the update is not trusted', 'Take a newer update.'),
  'update.signature': entry('The signature of the manifest is wrong', 'Get the file anew from where it was published.'),
  'update.root': entry(
    'No root key of this build signed the set of signing keys',
    'Take the update from where this build is from.',
  ),
  'update.set': entry('The set of signing keys cannot be read', 'Take an update for this version.'),
  'update.set-old': entry('A newer set of signing keys has replaced that of the update', 'Take a newer update.'),
  'update.set-expired': entry(
    'The set of signing keys is not in force any more',
    'Take a newer update, and check the clock of the host.',
  ),
};
export type RefusalCode = keyof typeof REFUSALS;
export const isRefusalCode = (code: string): code is RefusalCode => Object.hasOwn(REFUSALS, code);

/** Codes of PeerError: what can go wrong with a peer, a miner or the service. */
export const PEER_ERRORS = {
  'peer.refused': entry('The port is closed', 'Check whether the API of the miner is switched on.'),
  'peer.unreachable': entry('There is no route, or the host is down', 'Check the power and the network.'),
  'peer.timeout': entry(
    'The peer is silent, or too slow for the deadline of the whole exchange',
    'Check the power and the network.',
  ),
  'peer.reset': entry('The connection died before a whole answer', 'None: it is tried again.'),
  'peer.too-large': entry('The answer has more bytes than the cap', 'Report the model and the firmware.'),
  'peer.unparsable': entry(
    'The answer is not what the protocol says',
    'Report the model and the firmware with a capture: pithead capture.',
  ),
  'peer.costly': entry(
    'To read the answer takes this host too much processor time; the miner is asked seldom',
    'Report the model and the firmware with a capture: pithead capture.',
  ),
  'peer.tls-key': entry(
    'The TLS key is not the expected one, or would not protect a login; nothing was sent',
    'Check which device answers: pithead trust.',
  ),
  'peer.auth': entry('The login is wrong or missing', 'Set the login of the miner in the configuration.'),
  'peer.permission': entry(
    'The login is right, but the request is not allowed',
    'Switch on the write API of the miner.',
  ),
  'peer.unsupported': entry('The miner does not know the request', 'Update the firmware of the miner.'),
  'peer.rejected': entry('The miner understood the request and refuses it', 'See what the miner says in the message.'),
  'peer.busy': entry('The miner has too many connections or sessions', 'None: it is tried again later.'),
};
export type PeerCode = keyof typeof PEER_ERRORS;

/** With every answer of status 503, in seconds: by then the next try may succeed. */
export const RETRY_AFTER_S = 5;

/** Codes of DatabaseError: why the service can take no work. */
export const DATABASE_ERRORS = {
  'database.away': entry(
    'The database of the service does not answer, try again',
    'Wait as many seconds as Retry-After says, then send the request again. /readyz of the service says how long it lasts.',
    503,
  ),
  'database.newer': entry(
    'The database was upgraded and this copy of the service is too old for it, try again',
    'Wait as many seconds as Retry-After says: another copy answers. Install the version that /readyz of this copy names.',
    503,
  ),
};
export type DatabaseCode = keyof typeof DATABASE_ERRORS;

/* @__NO_SIDE_EFFECTS__ */
const skip = (text: string, advice: string, agentText = text) => ({ text, agentText, advice });

/**
 * Why a target of a new task is skipped, in the order in which the reasons are looked for. `agentText` is for tasks
 * that are about agents.
 */
export const SKIP_REASONS = {
  not_found: skip('No miner with this id in the farm', 'Check the id.', 'No agent with this id in the farm'),
  ops_status: skip('The miner is retired or archived', 'Change the ops status of the miner first.'),
  no_agent: skip('No agent serves the miner', 'Wait until an agent reports the miner.'),
  unsupported: skip(
    'The driver of the miner cannot do this task',
    'See task_names of the miner in the list of miners.',
  ),
  no_change: skip(
    'The same task is already pending or running on the miner',
    'Wait until that task is over, or cancel it.',
    'The same task is already pending or running on the agent',
  ),
  refused_by_agent: skip(
    'The agent of the miner would refuse the task; the message is its reason. In dry runs only',
    'See the message.',
  ),
};
export type SkipReason = keyof typeof SKIP_REASONS;

/** What each HTTP status means to a client, and the message of an answer that no code of ours is behind. */
export const HTTP_STATUSES: Readonly<Record<number, { readonly meaning: string; readonly message?: string }>> = {
  101: { meaning: 'The connection is a WebSocket now; its messages are as described.' },
  200: { meaning: 'The request was carried out; the body is as described.' },
  400: {
    message: 'Invalid request parameters',
    meaning: 'The parameters or the body do not fit; the message says which, what was received and what is accepted.',
  },
  401: { meaning: 'The API key, session or one-time code is missing, wrong, revoked or expired.' },
  403: {
    meaning:
      'The key or session is good, but it lacks the permission, or may not use the workspace or the farm; or the request of a session comes from another page.',
  },
  404: {
    message: 'Resource not found',
    meaning: 'What the request is about does not exist, or the key may not know that it does.',
  },
  405: { message: 'Method not allowed', meaning: 'The path has no such method; the header Allow names those it has.' },
  408: { message: 'The request took too long to arrive', meaning: 'The request took too long to arrive.' },
  409: {
    meaning:
      'The request contradicts what is there: an Idempotency-Key used with another body, a place that is taken, or an archived farm.',
  },
  413: { message: 'The request body is too large', meaning: 'The body is larger than the service takes.' },
  414: { message: 'The request path is too long', meaning: 'The path of the request is too long.' },
  415: {
    message: 'The request body must be application/json',
    meaning: 'The body is of a media type, character set or compression that this operation does not take.',
  },
  426: { meaning: 'The operation is a WebSocket: ask for it with the headers of RFC 6455.' },
  429: {
    meaning:
      'The workspace has spent its points of a minute, or too many of its large requests wait; the header Retry-After says how many seconds to wait.',
  },
  431: { meaning: 'The headers are larger than the service takes.' },
  500: { meaning: 'The service failed; its log has the cause under the id in the header x-request-id.' },
  503: {
    message: 'The service is not ready, try again',
    meaning: 'The service or its database cannot answer now; the header Retry-After says how many seconds to wait.',
  },
};
