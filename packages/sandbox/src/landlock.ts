import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Layers } from './overlay.ts'
import { descendants, loadOf } from './process-tree.ts'
import { seccompFilter } from './seccomp.ts'
import type { Ended, Started } from './start.ts'
import { taskGroup } from './task-group.ts'

/** Perl is part of every Debian installation, also of the Docker images. */
const perlPath = '/usr/bin/perl'

/**
 * A Perl program that watches one program. Its child process confines itself and becomes that program. A descendant whose parent ends is adopted by
 * the watcher. The watcher ends all descendants when the program ends, when its starter ends, or when it is told to. Arguments: the starter's process
 * id, Landlock's version, a folder that the program may change, a folder for temporary files, a file with the filter of system calls, and the number
 * of the system call prctl.
 *
 * Perl is used because Node cannot make arbitrary system calls, setpriv supports Landlock only from util-linux 2.41 on, and no compiled code is
 * shipped. The program is a text, like the relay. The numbers are those of the kernel's headers: 444 to 446 are Landlock's calls on every
 * architecture.
 */
const source = `
use strict;
my ($parent, $abi, $folder, $temp, $filter, $prctl, @program) = @ARGV;
open(my $report, '>&=', 3) or exit 126;
sub stop { print STDERR "landlock: $_[0]: $!\\n"; exit 126 }
my $isTold = 0;
$SIG{TERM} = sub { $isTold = 1 };
# It ends a wait.
$SIG{CHLD} = sub { };
syscall($prctl, 1, 15, 0, 0, 0) == 0 or stop('parent');
syscall($prctl, 36, 1, 0, 0, 0) == 0 or stop('watch');
syscall($prctl, 38, 1, 0, 0, 0) == 0 or stop('no new rights');
# In a domain of its own it reaches with signals what it starts, and nothing else.
my $isScoped = 0;
if ($abi >= 6) {
  my $scopes = pack('QQQ', 0, 0, 3);
  my $own = syscall(444, $scopes, 24, 0);
  stop('ruleset') if $own < 0;
  syscall(446, $own, 0) == 0 or stop('restrict');
  $isScoped = !kill(0, $parent) && $! == 1;
}
sub below {
  my %children;
  opendir(my $all, '/proc') or return;
  for my $pid (grep { /^\\d+$/ } readdir $all) {
    open(my $in, '<', "/proc/$pid/stat") or next;
    my $line = <$in>;
    # The name in brackets may hold brackets.
    push @{$children{$1}}, $pid if defined $line && $line =~ /^\\d+ \\(.*\\) \\S (\\d+) /s;
  }
  my @found;
  my @open = ($$);
  while (defined(my $next = shift @open)) {
    push @found, @{$children{$next} || []};
    push @open, @{$children{$next} || []};
  }
  return @found;
}
sub endAll {
  # None can fork past a signal to all of a domain; without one, all stand still first.
  if ($isScoped) { kill 9, -1 }
  else { my @all = below(); kill 'STOP', @all; kill 9, @all, below() }
}
my $main = fork();
stop('fork') unless defined $main;
confine() if $main == 0;
my $status;
until (defined $status || $isTold || getppid() != $parent) {
  while ((my $pid = waitpid(-1, 1)) > 0) { $status = $? if $pid == $main }
  select(undef, undef, undef, 0.05) unless defined $status;
}
my $until = time + 10;
my $isAlone = 0;
until ($isAlone || time > $until) {
  endAll();
  while ((my $pid = waitpid(-1, 1)) != 0) {
    if ($pid == -1) { $isAlone = 1; last }
    $status = $? if $pid == $main;
  }
  select(undef, undef, undef, 0.005) unless $isAlone;
}
$status = 9 unless defined $status;
syswrite($report, 'alone ' . ($status & 127 ? 128 + ($status & 127) : $status >> 8)) if $isAlone;
exit 0;

sub confine {
  close $report;
  $SIG{$_} = 'DEFAULT' for ('TERM', 'CHLD');
  syscall($prctl, 1, 9, 0, 0, 0) == 0 or stop('parent');
  setpgrp(0, 0);
  # Memory that is short is taken from it first, not from its watcher.
  if (open(my $score, '>', '/proc/self/oom_score_adj')) { print $score 500; close $score }
  my ($execute, $write, $read, $list) = (1, 2, 4, 8);
  my $files = (1 << 13) - 1;
  $files |= 1 << 13 if $abi >= 2;
  $files |= 1 << 14 if $abi >= 3;
  $files |= 1 << 15 if $abi >= 5;
  my $rules = syscall(444, pack('QQQ', $files, $abi >= 4 ? 3 : 0, $abi >= 6 ? 3 : 0), $abi >= 6 ? 24 : $abi >= 4 ? 16 : 8, 0);
  stop('ruleset') if $rules < 0;
  my $allow = sub {
    my ($access, @paths) = @_;
    for my $path (@paths) {
      sysopen(my $fd, $path, 010000000) or next;
      syscall(445, $rules, 1, pack('Ql', $access, fileno($fd)), 0) == 0 or stop($path);
    }
  };
  $allow->($execute | $read | $list, '/usr', '/lib', '/lib64', '/bin', '/sbin', '/etc/alternatives', '/etc/ssl/certs');
  $allow->($read, '/etc/ld.so.cache', '/dev/zero', '/dev/urandom');
  $allow->($read | $write, '/dev/null');
  # No devices, sockets and pipes, and no ioctl of devices.
  $allow->($files & ~((1 << 6) | (1 << 9) | (1 << 10) | (1 << 11) | (1 << 15)), $folder, $temp);
  open(my $in, '<:raw', $filter) or stop('filter');
  my $bytes = do { local $/; <$in> };
  close $in;
  syscall(446, $rules, 0) == 0 or stop('restrict');
  syscall($prctl, 22, 2, pack('S x6 P', length($bytes) / 8, $bytes), 0, 0) == 0 or stop('filter of system calls');
  exec { $program[0] } @program;
  stop($program[0]);
}
`
const prctl = process.arch === 'arm64' ? 167 : 157

/** The kernel's version of Landlock; 0 if the kernel has none or Perl is missing. @param perl replaces Perl, for tests */
export function landlockAbi(perl: string = perlPath): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(perl, ['-e', 'print syscall(444, 0, 0, 1)'], { stdio: ['ignore', 'pipe', 'ignore'], env: {} })
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    child.on('error', () => resolve(0))
    child.on('close', () => resolve(Math.max(0, Number.parseInt(said, 10) || 0)))
  })
}

/**
 * The filter of system calls that is used with Landlock. It allows no socket of any family, and no call that Landlock of this ABI does not control.
 * @returns `undefined` if there is no table for the machine's architecture
 */
export const landlockFilter = (abi: number, isRoot = process.getuid?.() === 0) =>
  seccompFilter({ sockets: 'none', shares: { abi, isRoot } })

/**
 * Starts a program that may read the host's programs and change the copy of the folder, and nothing else. When the program ends, is ended, or this
 * process ends, all its descendants are ended before the end is reported. If some could not be ended, the end is reported with `isAlone: false`.
 */
export function startUnderLandlock(
  { dir, merged }: Layers,
  program: readonly string[],
  { abi, hasStdin }: { abi: number; hasStdin?: true | undefined },
): Started {
  const [filter, temp] = [join(dir, 'filter'), join(dir, 'temp')]
  mkdirSync(temp, { mode: 0o700 })
  writeFileSync(filter, landlockFilter(abi) ?? '', { mode: 0o600 })
  const argv = ['-e', source, '--', String(process.pid), String(abi), merged, temp, filter, String(prctl), ...program]
  const env = { PATH: '/usr/bin:/usr/sbin', HOME: merged, TMPDIR: temp, LANG: 'C.UTF-8' }
  // The program that puts the command into the control group does not pass its environment on, so the variables are given as arguments.
  const named = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const group = taskGroup()
  const [file = perlPath, ...rest] =
    group.kind === 'group' ? [...group.before, ...named, perlPath, ...argv] : [perlPath, ...argv]
  const child = spawn(file, rest, {
    stdio: [hasStdin ? 'pipe' : 'ignore', 'pipe', 'pipe', 'pipe'],
    env,
    cwd: merged,
    detached: true,
  })
  let [said, reported] = ['', '']
  child.stderr?.on('data', (chunk: Buffer) => {
    if (said.length < 4_096) said += chunk.toString()
  })
  const report = child.stdio[3] as Readable
  report.on('data', (chunk: Buffer) => {
    reported += chunk.toString()
  })
  const ended = new Promise<Ended>((resolve) => {
    child.on('error', (error) => resolve({ kind: 'not_started', said: error.message }))
    const code = () => /^alone (\d+)$/.exec(reported)?.[1]
    // A process that the watcher could not end may keep the other streams open forever.
    report.on('close', () => {
      if (code() === undefined && !said.startsWith('landlock:'))
        resolve({ kind: 'ended', exitCode: 137, isAlone: false })
    })
    child.on('close', () => {
      if (said.startsWith('landlock:')) resolve({ kind: 'not_started', said })
      else resolve({ kind: 'ended', exitCode: Number(code() ?? 137), isAlone: code() !== undefined })
    })
  })
  return {
    stdin: child.stdin,
    stdout: child.stdout as Readable,
    stderr: child.stderr as Readable,
    began: Promise.resolve(true),
    ended,
    processes: () => loadOf(child.pid),
    terminate() {
      for (const pid of descendants(child.pid)) if (pid !== child.pid) signal(pid, 'SIGTERM')
    },
    kill() {
      if (child.pid !== undefined) signal(child.pid, 'SIGTERM')
    },
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // The process has ended in the meantime.
  }
}
