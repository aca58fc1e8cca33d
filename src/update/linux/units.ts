// The systemd units of a host, as text: the Debian package ships them and `service-install` writes them. A test scores
// their sandboxes with systemd's own analysis: at most 2.0 of 10.
import { NOTES_FOLDER, type Places, REQUESTS } from '../install/layout.ts';

/** Where programs of all versions lie, one folder each; `current` leads to the one in use. */
export const PROGRAM_FOLDER = '/usr/lib/pithead';
export const STATE_FOLDER = '/var/lib/pithead';
export const UNIT = 'pithead.service';

/**
 * What the C library is told, which takes it from there alone: one pool for all threads, and larger pieces beside it,
 * so that what reading the program took goes back to the host. In bytes.
 */
export const ENVIRONMENT = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '16384',
  MALLOC_TRIM_THRESHOLD_: '65536',
} as const;

const KERNEL = `ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
`;
const RESTRICTIONS = `RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
`;

/** The rights of the agent, and of commands that work on its state with its rights. */
const SANDBOX = `DynamicUser=yes
User=pithead
StateDirectory=pithead
StateDirectoryMode=0700
UMask=0077
WorkingDirectory=${STATE_FOLDER}

CapabilityBoundingSet=
AmbientCapabilities=
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers=yes
${KERNEL}ProtectProc=invisible
RemoveIPC=yes
${RESTRICTIONS}SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources @keyring
SystemCallErrorNumber=EPERM
`;

export const unitText = (): string => `# The agent of a mining farm.
[Unit]
Description=Pithead, the agent of this mining farm
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=10min
StartLimitBurst=20

[Service]
Type=notify
# The notification comes from systemd-notify, a child.
NotifyAccess=all
ExecStart=${PROGRAM_FOLDER}/current/pithead run --config /etc/pithead/pithead.yaml
# Reads the configuration anew; a wrong one changes nothing. Passwords that systemd hands over come with a restart.
ExecReload=/bin/kill -HUP $MAINPID
# Fed only while polls, the outbox and the loop make progress; a dead uplink is not ill health.
WatchdogSec=90
TimeoutStartSec=90
TimeoutStopSec=20
Restart=always
RestartSec=3
# 78: the configuration is wrong, 2: so is this file. A restart helps neither.
RestartPreventExitStatus=78 2
LimitNOFILE=65536
# Memory that a thread has freed is used again by all or goes back to the host, rather than kept by each of them.
Environment=${Object.entries(ENVIRONMENT)
  .map(([name, value]) => `${name}=${value}`)
  .join(' ')}

${SANDBOX}ConfigurationDirectory=pithead
LoadCredential=secrets.yaml:/etc/pithead/secrets.yaml
LoadCredential=pithead.key:/etc/pithead/pithead.key
# Not set: MemoryDenyWriteExecute (the JavaScript engine makes code while it runs), PrivateNetwork and IPAddressDeny (miners are what it is for).

[Install]
WantedBy=multi-user.target
`;

// The units of updates: one waits for a request, one carries it out as root, one undoes at boot what was cut short, and
// one copies databases with the agent's rights. Each runs the proven program, never a new one.

/** Where a dynamic user's state directory really lies. */
const PRIVATE_STATE_FOLDER = '/var/lib/private/pithead';
const REQUESTS_FOLDER = `${PRIVATE_STATE_FOLDER}/${REQUESTS}`;
export const PATH_UNIT = 'pithead-update.path';
const RECOVER_UNIT = 'pithead-update-recover.service';
const PROVEN = `${PROGRAM_FOLDER}/proven/pithead`;

/** Root, but only for the programs and the notes; it reads, and clears, what the agent put down for it. */
const ROOT_SANDBOX = `ProtectSystem=strict
ReadWritePaths=${PROGRAM_FOLDER} -${PRIVATE_STATE_FOLDER}
StateDirectory=pithead-update
StateDirectoryMode=0755
UMask=0022
# CAP_DAC_OVERRIDE: the agent's folder belongs to the agent.
CapabilityBoundingSet=CAP_DAC_OVERRIDE
NoNewPrivileges=yes
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateMounts=yes
${KERNEL}ProtectProc=invisible
${RESTRICTIONS}# The bundle is here already; only the service's own interface is asked.
IPAddressDeny=any
IPAddressAllow=localhost
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@keyring
SystemCallErrorNumber=EPERM
# Not set: DynamicUser and PrivateUsers (the programs are root's), PrivateNetwork (the new program is tried, and asked, on loopback), MemoryDenyWriteExecute (the JavaScript
# engine makes code), ~@privileged and ~@resources (programs get their owner and mode, and what is tried sets its own limits).
`;

const PATH_TEXT = `# The agent wants an update, or one was cut short.
[Unit]
Description=Watch for updates of Pithead
After=${RECOVER_UNIT}

[Path]
PathExists=${REQUESTS_FOLDER}/request.json
PathExists=${NOTES_FOLDER}/journal.json

[Install]
WantedBy=multi-user.target
`;

const UPDATE_TEXT = `# Verifies again what the agent wants, installs it, and goes back if it does not work. Ends one that was killed.
[Unit]
Description=Update Pithead
After=${RECOVER_UNIT}
StartLimitIntervalSec=10min
StartLimitBurst=60

[Service]
Type=oneshot
ExecStart=${PROVEN} update --staged
TimeoutStartSec=1h
${ROOT_SANDBOX}`;

const RECOVER_TEXT = `# After a power cut in the middle of an update: the version before, and data that it can read, before the service starts.
[Unit]
Description=Undo an update of Pithead that was cut short
Before=${UNIT}
ConditionPathExists=${NOTES_FOLDER}/journal.json

[Service]
Type=oneshot
ExecStart=${PROVEN} update --recover --boot
TimeoutStartSec=20min
${ROOT_SANDBOX}
[Install]
WantedBy=multi-user.target
`;

const DATABASES_TEXT = `# Copies the databases of the stopped service before an update (save), and puts them back after a failed one (restore).
[Unit]
Description=Databases of Pithead: %i

[Service]
Type=oneshot
ExecStart=${PROVEN} update-databases %i ${STATE_FOLDER}
TimeoutStartSec=14min
${SANDBOX}PrivateNetwork=yes
# Not set: MemoryDenyWriteExecute (the JavaScript engine makes code while it runs).
`;

/** By file name. `isEnabled` = started at boot by itself. */
export const UPDATE_UNITS: readonly { readonly name: string; readonly text: string; readonly isEnabled: boolean }[] = [
  { name: PATH_UNIT, text: PATH_TEXT, isEnabled: true },
  { name: 'pithead-update.service', text: UPDATE_TEXT, isEnabled: false },
  { name: RECOVER_UNIT, text: RECOVER_TEXT, isEnabled: true },
  { name: 'pithead-databases@.service', text: DATABASES_TEXT, isEnabled: false },
];

/** Where the programs and the notes of a Linux host lie. */
export const LINUX_PLACES: Places = {
  system: 'linux',
  programs: PROGRAM_FOLDER,
  notes: NOTES_FOLDER,
  requests: REQUESTS_FOLDER,
};
