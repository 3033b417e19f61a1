import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Layers } from './overlay.ts'
import { descendants, loadOf } from './process-tree.ts'
import { seccompFilter } from './seccomp.ts'
import type { Ended, Started } from './start.ts'

/** Of util-linux 2.41 and newer; older ones know no Landlock. */
const setprivPath = '/usr/bin/setpriv'
const read = 'execute,read-file,read-dir'
const write = 'execute,read-file,read-dir,write-file,truncate,make-reg,make-dir,make-sym,remove-file,remove-dir,refer'

/**
 * The second level, for machines that refuse namespaces: Landlock lets a program read the machine's programs and change one folder, and the
 * filter refuses every socket. It sees other processes, and may signal those of its own user.
 * @param folder the one that it may change @param filter a file with `landlockFilter`
 */
export const landlockArgv = (folder: string, filter: string, program: readonly string[]): string[] => [
  ...['--no-new-privs', '--landlock-access', 'fs'],
  ...[
    '/usr',
    '/etc/ld.so.cache',
    '/etc/alternatives',
    '/etc/ssl/certs',
    '/dev/null',
    '/dev/zero',
    '/dev/urandom',
  ].flatMap((path) => [
    '--landlock-rule',
    `path-beneath:${path === '/dev/null' ? `${read},write-file` : read}:${path}`,
  ]),
  ...['--landlock-rule', `path-beneath:${write}:${folder}`],
  ...['--seccomp-filter', filter, '--', ...program],
]

/** Refuses sockets of every family: Landlock alone leaves the network open. */
export const landlockFilter = () => seccompFilter({ sockets: 'none' })

/** Whether this machine's setpriv knows Landlock. It is asked, as distributions differ. @param setpriv for tests */
export function knowsLandlock(setpriv: string = setprivPath): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(setpriv, ['--help'], { stdio: ['ignore', 'pipe', 'ignore'], env: {} })
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    child.on('error', () => resolve(false))
    child.on('close', () => resolve(text.includes('--landlock-access')))
  })
}

/**
 * Starts a program that may change the copy and nothing else. No namespace ends its children: its process group and all that
 * descend from it are ended, and a child that left both stays. */
export function startUnderLandlock(
  { dir, merged }: Layers,
  program: readonly string[],
  hasStdin?: true,
  setpriv: string = setprivPath,
): Started {
  const filter = join(dir, 'filter')
  writeFileSync(filter, landlockFilter() ?? '', { mode: 0o600 })
  const child = spawn(setpriv, landlockArgv(merged, filter, program), {
    stdio: [hasStdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    env: { PATH: '/usr/bin:/usr/sbin', HOME: merged, LANG: 'C.UTF-8' },
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
      resolve(said.startsWith('setpriv:') ? { kind: 'not_started', said } : { kind: 'ended', exitCode: code ?? 137 })
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
