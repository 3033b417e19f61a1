import { spawn } from 'node:child_process'
import { seccompFilter } from './seccomp.ts'

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
