// The system service of a Linux host, as text: what the Debian package ships and what `service-install` writes. A test scores its sandbox with
// systemd's own analysis; 2.0 of 10 is the most that is accepted.

/** Where programs of all versions lie, one folder each; `current` leads to the one in use. */
export const PROGRAM_FOLDER = '/usr/lib/pithead';
export const STATE_FOLDER = '/var/lib/pithead';
export const UNIT = 'pithead.service';

/** What the C library is told, which takes it from there alone. */
export const ENVIRONMENT = { MALLOC_ARENA_MAX: '1' } as const;

/** What the agent may do, and whoever works on its state with its rights. */
export const SANDBOX = `DynamicUser=yes
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
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
ProtectProc=invisible
RemoveIPC=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
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
# Memory that a thread has freed is used again by all, rather than kept by each of them.
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
