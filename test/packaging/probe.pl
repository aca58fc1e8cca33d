# Tries what a program that was taken over would try, and what the agent needs, and writes a line for each:
#   kind <tab> what <tab> done, or the name of the error
# It is perl because every Debian has it and it can make any system call. Nothing that it does changes the host, even
# where it succeeds. Started by root it says what is possible here without the sandbox.
#   perl probe.pl FILE        FILE: where the lines go; beside this script lies `victim`, the number of another process
use strict;
use warnings;
use Errno ();
use Fcntl qw(:DEFAULT :mode);
use POSIX ();
use Socket;

my $folder = $0 =~ s{/[^/]*$}{}r;
my $output = $ARGV[0] // "$ENV{STATE_DIRECTORY}/probe.txt";
my @lines;

my ($machine) = (POSIX::uname())[4];
my $column = { x86_64 => 0, aarch64 => 1 }->{$machine} // die "no numbers of system calls for $machine";
my %number = (
  acct => [163, 89], add_key => [248, 217], bpf => [321, 280], chroot => [161, 51], fanotify_init => [300, 262],
  fchownat => [260, 54], finit_module => [313, 273], init_module => [175, 105],
  kexec_load => [246, 104], keyctl => [250, 219], mknodat => [259, 33], mount => [165, 40],
  open_by_handle_at => [304, 265], perf_event_open => [298, 241], personality => [135, 92], pivot_root => [155, 41],
  prlimit64 => [302, 261], process_vm_readv => [310, 270], ptrace => [101, 117], reboot => [169, 142],
  sched_setscheduler => [144, 119], sethostname => [170, 161], settimeofday => [164, 170], setuid => [105, 146],
  swapon => [167, 224], syslog => [103, 116], umount2 => [166, 39], unshare => [272, 97],
);

sub error_name {
  my ($name) = grep { $!{$_} } keys %!;
  return $name // "error " . ($! + 0);
}

# note KIND, WHAT, CODE: CODE gives whether it was done, and leaves the reason in $! where it was not.
sub note {
  my ($kind, $what, $code) = @_;
  $! = 0;
  my $is_done = eval { $code->() };
  my $said = $is_done ? 'done' : $@ ? "broken: $@" =~ s/\s+/ /gr : error_name();
  push @lines, join("\t", $kind, $what, $said);
}
sub forbidden { note('forbidden', @_) }
sub needed { note('needed', @_) }
sub call { my $name = shift; return syscall($number{$name}[$column], @_) >= 0 }

# In a child, where success changes what the process is.
sub in_child {
  my ($code) = @_;
  my $pid = fork() // die 'fork';
  if ($pid == 0) { $! = 0; POSIX::_exit($code->() ? 0 : ($! + 0 || 255)); }
  waitpid($pid, 0);
  $! = $? >> 8;
  return $? == 0;
}
sub can_read {
  my ($path) = @_;
  sysopen(my $file, $path, O_RDONLY) or return 0;
  return defined sysread($file, my $some, 16);
}
sub can_list { my ($path) = @_; return opendir(my $handle, $path) }
sub can_create {
  my ($path) = @_;
  sysopen(my $file, $path, O_WRONLY | O_CREAT, 0600) or return 0;
  unlink $path;
  return 1;
}
sub can_listen {
  my ($port) = @_;
  my $it;
  return socket($it, PF_INET, SOCK_STREAM, 0) && bind($it, sockaddr_in($port, INADDR_LOOPBACK)) && listen($it, 1);
}
sub can_open { my ($path, $how) = @_; return sysopen(my $file, $path, $how) }

open(my $named, '<', "$folder/victim") or die "read $folder/victim: $!";
chomp(my $victim = <$named>);

# Files. Where these lie everybody may write: only the sandbox stands in the way.
forbidden('list /root', sub { can_list('/root') });
forbidden('list /home', sub { can_list('/home') });
forbidden('read a file of /root', sub { can_read('/root/probe/for-all') });
forbidden('read a file of a home', sub { can_read('/home/somebody/for-all') });
forbidden('read /etc/shadow', sub { can_read('/etc/shadow') });
forbidden('read the file of passwords', sub { can_read('/etc/pithead/secrets.yaml') });
forbidden('read the key of what is sealed', sub { can_read('/etc/pithead/pithead.key') });
for my $place ('/etc', '/usr', '/boot', '/opt', '/srv', '/var/lib/other', '/root', '/home/somebody') {
  forbidden("make a file in $place", sub { can_create("$place/probe/made") });
}
forbidden('change a file of /etc', sub { can_open('/etc/probe/for-all', O_WRONLY) });
forbidden('change its own program', sub { can_open('/usr/lib/pithead/for-all', O_WRONLY) });
forbidden('change its configuration', sub { can_create('/etc/pithead/probe') });
forbidden('change what is noted of updates', sub { can_create('/var/lib/pithead-update/probe') });
forbidden('give its program to itself', sub { call('fchownat', -100, "$folder/victim", $>, -1 & 0xffffffff, 0) });
forbidden('make a file that runs as its owner', sub {
  my $path = "$output.suid";
  sysopen(my $file, $path, O_WRONLY | O_CREAT, 0600) or return 0;
  my $is_done = chmod(04755, $path);
  my $why = $! + 0;
  unlink $path;
  $! = $why;
  return $is_done;
});
forbidden('become root by a program that runs as root', sub {
  my $said = `$folder/id-of-root -u 2>&1`;
  $! = Errno::EPERM();
  return $said =~ /^0$/;
});
forbidden('make a device', sub {
  my $path = "$output.device";
  my $is_done = call('mknodat', -100, $path, S_IFCHR | 0600, 0x101);
  my $why = $! + 0;
  unlink $path;
  $! = $why;
  return $is_done;
});
forbidden('open the memory of the host', sub { can_open('/dev/mem', O_RDONLY) });
forbidden('open the log of the kernel', sub { can_open('/dev/kmsg', O_RDONLY) });
forbidden('open a disk', sub { can_open('/dev/probe-disk', O_RDONLY) });
forbidden('write to /proc/sys', sub { can_open('/proc/sys/net/ipv4/ip_default_ttl', O_WRONLY) });
forbidden('write to /proc/sys/kernel', sub { can_open('/proc/sys/kernel/core_pattern', O_WRONLY) });
forbidden('write to /sys', sub { can_open('/sys/kernel/tracing/tracing_on', O_WRONLY) });
forbidden('read what the kernel shows to its developers', sub { can_list('/sys/kernel/debug') });
forbidden('make a group of processes', sub {
  my @groups = ('/sys/fs/cgroup/systemd/probe', '/sys/fs/cgroup/probe');
  my $is_done = mkdir($groups[0]) || mkdir($groups[1]);
  my $why = $! + 0;
  rmdir($_) for @groups;
  $! = $why;
  return $is_done;
});
forbidden('leave something in /tmp for others', sub {
  my $is_seen = -e '/tmp/for-all';
  $! = Errno::ENOENT();
  return $is_seen && can_open('/tmp/for-all', O_WRONLY);
});

# The network, other than what every program may.
forbidden('open a raw socket', sub { socket(my $it, PF_INET, SOCK_RAW, 1) });
forbidden('open a raw socket of IPv6', sub { socket(my $it, PF_INET6, SOCK_RAW, 58) });
forbidden('open a packet socket', sub { socket(my $it, 17, SOCK_RAW, 0x0300) });
forbidden('take a port of the system', sub { can_listen(80) });
# A message of netlink about an address of `lo` that nobody has, and what the kernel answers.
sub of_netlink {
  my ($type, $flags) = @_;
  socket(my $it, 16, SOCK_RAW, 0) or return 0;
  my $body = pack('C4L', 2, 32, 0, 254, 1) . pack('SSC4', 8, 2, 127, 99, 99, 99);
  syswrite($it, pack('LSSLL', 16 + length $body, $type, $flags, 1, 0) . $body) or return 0;
  sysread($it, my $answer, 4096) or return 0;
  my (undef, $kind) = unpack('LS', $answer);
  return 1 if $kind != 2;
  $! = -unpack('l', substr($answer, 16, 4));
  return $! == 0;
}
forbidden('add an address', sub { of_netlink(20, 0x0605) });
needed('ask for the addresses', sub { of_netlink(22, 0x0301) });
forbidden('speak to the service manager', sub {
  my $it;
  return socket($it, PF_UNIX, SOCK_STREAM, 0) && connect($it, sockaddr_un('/run/systemd/private'));
});

# Other processes. Signal 0 asks only whether one might.
forbidden('end the process of somebody else', sub { kill(0, $victim) });
forbidden('read the memory of another process', sub { can_open("/proc/$victim/mem", O_RDONLY) });
forbidden('read the environment of another process', sub { can_read("/proc/$victim/environ") });
forbidden('read what another process was started with', sub { can_read("/proc/$victim/cmdline") });
forbidden('see the processes of others', sub {
  opendir(my $handle, '/proc') or return 0;
  my $others = grep { /^\d+$/ && (stat "/proc/$_")[4] != $> } readdir $handle;
  $! = Errno::ENOENT();
  # For root all are its own.
  return $others > 0 || -e '/proc/1/status';
});
# PTRACE_SEIZE; it ends with the child.
forbidden('trace another process', sub { in_child(sub { call('ptrace', 0x4206, $victim + 0, 0, 0) }) });
forbidden('trace its own child', sub {
  my $pid = fork() // die 'fork';
  if ($pid == 0) { sleep 10; POSIX::_exit(0) }
  my $is_done = in_child(sub { call('ptrace', 0x4206, $pid, 0, 0) }) || call('ptrace', 0x4206, $pid, 0, 0);
  my $why = $! + 0;
  kill('KILL', $pid);
  waitpid($pid, 0);
  $! = $why;
  return $is_done;
});
forbidden('read another process by process_vm_readv', sub { my $room = "\0" x 8;
  my ($here, $there) = (pack('P', $room) . pack('Q', 8), pack('QQ', 4096, 8));
  return call('process_vm_readv', $victim + 0, $here, 1, $there, 1, 0);
 });

# The kernel. What these ask for is wrong on purpose: one who may ask is told so.
forbidden('load a module', sub { call('init_module', 0, 0, my $none = "\0") });
forbidden('load a module from a file', sub { call('finit_module', -1, my $none = "\0", 0) });
forbidden('load another kernel', sub { call('kexec_load', 0, 0, 0, 0xffff) });
forbidden('reboot', sub { call('reboot', 1, 2, 3, 0) });
forbidden('set the clock', sub { call('settimeofday', 0, 0) });
forbidden('set the name of the host', sub { in_child(sub { call('sethostname', 0, 1_000_000) }) });
forbidden('load a program into the kernel', sub { my $none = "\0" x 128; call('bpf', 5, $none, 128) });
forbidden('measure the kernel', sub { my $none = "\0" x 112; call('perf_event_open', $none, 0, 0, -1, 0xffff) });
forbidden('use the keyring', sub { call('keyctl', 0, -3, 1) });
forbidden('add a key to the keyring', sub {
  my ($type, $name, $value) = ("user\0", "probe\0", 'x');
  return call('add_key', $type, $name, $value, 1, -1);
});
forbidden('read the log of the kernel by a call', sub { call('syslog', 10, 0, 0) && call('syslog', 2, 0, 0) });
forbidden('swap', sub { my $path = "/dev/null\0"; call('swapon', $path, 0x7fffff00) });
forbidden('keep accounts of processes', sub { my $path = "/\0"; call('acct', $path) });
forbidden('watch all files', sub { call('fanotify_init', 0xf0000000, 0) });
forbidden('open a file by its handle', sub {
  my $handle = pack('LlQ', 8, 1, 0);
  return call('open_by_handle_at', -100, $handle, 0);
});

# What it is, and where.
forbidden('mount', sub {
  my @of = ("tmpfs\0", "/mnt\0");
  return in_child(sub { call('unshare', 0x20000) && call('mount', $of[0], $of[1], $of[0], 0, 0) });
});
forbidden('mount where it is', sub { my @of = ("tmpfs\0", "/mnt\0"); call('mount', $of[0], $of[1], $of[0], 32, 0) });
forbidden('take a mount away', sub { my $path = "/etc\0"; call('umount2', $path, 0) });
forbidden('change the root', sub { my $path = "/etc\0"; in_child(sub { call('chroot', $path) }) });
forbidden('exchange the root', sub { my $path = "/etc\0"; call('pivot_root', $path, $path) });
for my $of (['users', 0x10000000], ['mounts', 0x20000], ['processes', 0x20000000], ['the network', 0x40000000]) {
  forbidden("make a namespace of $of->[0]", sub { in_child(sub { call('unshare', $of->[1]) }) });
}
forbidden('become root', sub { in_child(sub { call('setuid', 0) }) });
forbidden('become another user', sub { in_child(sub { call('setuid', 1) }) });
forbidden('take another personality', sub { in_child(sub { call('personality', 0x0008) }) });
forbidden('be scheduled before all others', sub {
  my $of = pack('l', 1);
  return in_child(sub { call('sched_setscheduler', 0, 1, $of) });
});
forbidden('lock more memory', sub { my $of = pack('QQ', ~0, ~0); in_child(sub { call('prlimit64', 0, 8, $of, 0) }) });

# What the agent lives on.
needed('read its configuration', sub { can_read('/etc/pithead/pithead.yaml') });
needed('read its passwords', sub { can_read(($ENV{CREDENTIALS_DIRECTORY} // '/etc/pithead') . '/secrets.yaml') });
needed('write its state', sub { can_create("$output.state") });
needed('write to its own /tmp', sub { can_create('/tmp/probe-of-its-own') });
needed('start a program', sub { `/usr/bin/id -u` =~ /^\d+$/ });
needed('listen on loopback', sub { can_listen(0) });
needed('send datagrams', sub {
  my $it;
  return socket($it, PF_INET, SOCK_DGRAM, 0) && send($it, 'x', 0, sockaddr_in(9, INADDR_LOOPBACK));
});
needed('open a socket of IPv6', sub { socket(my $it, PF_INET6, SOCK_STREAM, 0) });
needed('read the load', sub { can_read('/proc/loadavg') });

# What holds it, to be compared with the agent's own.
open(my $status, '<', '/proc/self/status') or die "read its own status: $!";
for (<$status>) { push @lines, "status\t$1\t$2" if /^(NoNewPrivs|Seccomp|Seccomp_filters|Cap\w+|Groups):\s*(.*)$/ }
open(my $file, '>', $output) or die "write $output: $!";
print $file map { "$_\n" } @lines;
close $file or die "write $output: $!";

# The service manager waits for this, and ends it when it has seen the file.
if (defined $ENV{NOTIFY_SOCKET}) {
  socket(my $manager, PF_UNIX, SOCK_DGRAM, 0) or die "socket: $!";
  send($manager, 'READY=1', 0, sockaddr_un($ENV{NOTIFY_SOCKET} =~ s/^@/\0/r)) or die "say that it is ready: $!";
  sleep 60;
}
