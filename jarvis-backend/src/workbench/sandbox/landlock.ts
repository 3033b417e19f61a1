import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Layers } from './overlay.ts'
import { descendants, loadOf } from './process-tree.ts'
import { seccompFilter } from './seccomp.ts'
import type { Ended, Started } from './start.ts'

/** Part of every Debian, also of its images for Docker. */
const perlPath = '/usr/bin/perl'

/**
 * Confines itself and becomes the program of its arguments: a folder that it may change, a file with the filter of system calls, the number of
 * prctl. Node makes no system calls of its own choice, setpriv knows Landlock from util-linux 2.41 on, and nothing compiled of ours is shipped.
 * As text, like the relay. Numbers are those of the kernel's headers: 444 to 446 are Landlock's calls on every machine.
 */
const source = `
my ($folder, $temp, $filter, $prctl, @program) = @ARGV;
sub stop { print STDERR "landlock: $_[0]: $!\\n"; exit 126 }
my $abi = syscall(444, 0, 0, 1);
stop('this kernel') if $abi < 1;
my ($execute, $write, $read, $list) = (1, 2, 4, 8);
my $files = (1 << 13) - 1;
$files |= 1 << 13 if $abi >= 2;
$files |= 1 << 14 if $abi >= 3;
$files |= 1 << 15 if $abi >= 5;
my $rules = syscall(444, pack('QQQ', $files, $abi >= 4 ? 3 : 0, $abi >= 6 ? 3 : 0), $abi >= 6 ? 24 : $abi >= 4 ? 16 : 8, 0);
stop('ruleset') if $rules < 0;
sub allow {
  my ($access, @paths) = @_;
  for my $path (@paths) {
    sysopen(my $fd, $path, 010000000) or next;
    syscall(445, $rules, 1, pack('Ql', $access, fileno($fd)), 0) == 0 or stop($path);
  }
}
allow($execute | $read | $list, '/usr', '/lib', '/lib64', '/bin', '/sbin', '/etc/alternatives', '/etc/ssl/certs');
allow($read, '/etc/ld.so.cache', '/dev/zero', '/dev/urandom');
allow($read | $write, '/dev/null');
# No devices, sockets and pipes, and no ioctl of devices.
allow($files & ~((1 << 6) | (1 << 9) | (1 << 10) | (1 << 11) | (1 << 15)), $folder, $temp);
open(my $in, '<:raw', $filter) or stop('filter');
my $program = do { local $/; <$in> };
close $in;
# It ends with JARVIS; what it starts may not.
syscall($prctl, 1, 9, 0, 0, 0) == 0 or stop('parent');
syscall($prctl, 38, 1, 0, 0, 0) == 0 or stop('no new rights');
syscall(446, $rules, 0) == 0 or stop('restrict');
syscall($prctl, 22, 2, pack('S x6 P', length($program) / 8, $program), 0, 0) == 0 or stop('filter of system calls');
exec { $program[0] } @program;
stop($program[0]);
`
const prctl = process.arch === 'arm64' ? 167 : 157

/**
 * The second level, for machines that refuse namespaces: Landlock lets a program read the machine's programs and change one folder, and the
 * filter refuses every socket. Other processes are hidden from it; before Linux 6.12 it may signal those of its own user.
 * @param folder the one that it may change @param temp one for what it throws away @param filter a file with `landlockFilter`
 */
const landlockArgv = (folder: string, temp: string, filter: string, program: readonly string[]): string[] => [
  ...['-e', source, '--', folder, temp, filter, String(prctl), ...program],
]

/** Refuses sockets of every family: Landlock alone leaves the network open. */
export const landlockFilter = () => seccompFilter({ sockets: 'none' })

/** Whether the kernel has Landlock, and Perl is there to ask for it. @param perl for tests */
export function knowsLandlock(perl: string = perlPath): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(perl, ['-e', 'exit(syscall(444, 0, 0, 1) < 1)'], { stdio: 'ignore', env: {} })
    child.on('error', () => resolve(false))
    child.on('close', (code) => resolve(code === 0))
  })
}

/**
 * Starts a program that may change the copy and nothing else. No namespace ends its children: its process group and all that
 * descend from it are ended, and a child that left both stays. */
export function startUnderLandlock({ dir, merged }: Layers, program: readonly string[], hasStdin?: true): Started {
  const [filter, temp] = [join(dir, 'filter'), join(dir, 'temp')]
  mkdirSync(temp, { mode: 0o700 })
  writeFileSync(filter, landlockFilter() ?? '', { mode: 0o600 })
  const child = spawn(perlPath, landlockArgv(merged, temp, filter, program), {
    stdio: [hasStdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    env: { PATH: '/usr/bin:/usr/sbin', HOME: merged, TMPDIR: temp, LANG: 'C.UTF-8' },
    cwd: merged,
    detached: true,
  })
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    if (said.length < 4_096) said += chunk.toString()
  })
  const signalAll = (name: NodeJS.Signals) => {
    const group = child.pid === undefined ? [] : [-child.pid]
    for (const pid of [...group, ...descendants(child.pid)]) {
      try {
        process.kill(pid, name)
      } catch {
        // It has ended meanwhile.
      }
    }
  }
  const ended = new Promise<Ended>((resolve) => {
    child.on('error', (error) => resolve({ kind: 'not_started', said: error.message }))
    // Its children hold the streams open, so the end of the program is what counts.
    child.on('exit', (code) => {
      signalAll('SIGKILL')
      resolve(said.startsWith('landlock:') ? { kind: 'not_started', said } : { kind: 'ended', exitCode: code ?? 137 })
    })
  })
  return {
    stdin: child.stdin,
    stdout: child.stdout as Readable,
    stderr: child.stderr as Readable,
    began: Promise.resolve(true),
    ended,
    processes: () => loadOf(child.pid),
    terminate: () => signalAll('SIGTERM'),
    kill: () => signalAll('SIGKILL'),
  }
}
