import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { findSshd } from '../../../scripts/sshd.js'
import { testWith } from '../../../scripts/test-with.js'

export const sshdTest = testWith('sshd')

export type SshdOptions = {
  /** Runs instead of every command, which it finds in `SSH_ORIGINAL_COMMAND`. */
  forceCommand?: string
  /** Lines of its configuration; they count before its own. */
  settings?: readonly string[]
}

/** A real OpenSSH server on loopback. It lets in the account the tests run as, by one key. */
export type Sshd = {
  host: '127.0.0.1'
  /** The same for the whole life of the server, restarts included. */
  port: number
  user: string
  clientKeyPath: string
  /** `ssh-ed25519 AAAA…`: what stands behind `[host]:port` in known_hosts. */
  hostKey(): string
  /** `SHA256:…` */
  hostKeyFingerprint(): string
  /** Lets a public key's owner in too. */
  allow(publicKeyPath: string): void
  /** Everything the server has said. */
  log(): string
  /** Ends the server and cuts every connection. */
  stop(): Promise<void>
  /** Cuts every connection and listens again on the same port. */
  restart(options?: SshdOptions & { newHostKey?: boolean }): Promise<void>
  /** Ends it for good and removes its files. */
  close(): Promise<void>
}

const attempts = 5

/** @throws Error where no sshd is installed, or where it does not come up, with what it said. */
export async function startSshd(options: SshdOptions = {}): Promise<Sshd> {
  const program = findSshd()
  if (program === undefined)
    throw new Error('No SSH server found. Install it (Debian: apt-get install openssh-server).')
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-sshd-'))
  const user = userInfo().username
  const hostKeyPath = join(dir, 'host_key')
  const clientKeyPath = join(dir, 'client_key')
  // As root it wants the folder in which it locks itself up before anybody has signed in.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  makeKey(hostKeyPath)
  makeKey(clientKeyPath)
  writeFileSync(join(dir, 'authorized_keys'), readFileSync(`${clientKeyPath}.pub`), { mode: 0o600 })

  let child: ChildProcess | undefined
  let log = ''
  const hostKey = () => readFileSync(`${hostKeyPath}.pub`, 'utf8').split(' ').slice(0, 2).join(' ').trim()

  async function listen(port: number, { forceCommand, settings = [] }: SshdOptions): Promise<void> {
    const config = [
      ...settings,
      `ListenAddress 127.0.0.1:${port}`,
      `HostKey ${hostKeyPath}`,
      `AuthorizedKeysFile ${join(dir, 'authorized_keys')}`,
      `AllowUsers ${user}`,
      `PidFile ${join(dir, 'pid')}`,
      ...['PermitRootLogin prohibit-password', 'PasswordAuthentication no', 'KbdInteractiveAuthentication no'],
      ...['StrictModes no', 'UsePAM no', 'UseDNS no', 'PrintMotd no', 'PrintLastLog no', 'MaxStartups 200'],
      ...['MaxSessions 100', 'PermitUserRC no'],
      // Bash takes itself for an inner shell and leaves out ~/.bashrc, which may take longer than the command.
      'SetEnv SHLVL=1',
      ...(forceCommand === undefined ? [] : [`ForceCommand ${forceCommand}`]),
    ]
    writeFileSync(join(dir, 'config'), `${config.join('\n')}\n`)
    const said = log.length
    const started = spawn(program as string, ['-D', '-e', '-f', join(dir, 'config')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child = started
    await new Promise<void>((resolve, reject) => {
      started.once('error', reject)
      started.once('close', () => reject(new Error(`sshd ended: ${log.slice(said)}`)))
      started.stderr.on('data', (piece: Buffer) => {
        log += piece.toString()
        if (log.slice(said).includes('Server listening on')) resolve()
      })
    })
  }

  async function stop(): Promise<void> {
    const ending = child
    child = undefined
    if (ending?.pid === undefined || ending.exitCode !== null || ending.signalCode !== null) return
    const closed = new Promise((resolve) => ending.once('exit', resolve))
    const connections = descendants(ending.pid)
    ending.kill('SIGKILL')
    await closed
    for (const pid of connections) endQuietly(pid)
    ending.stderr?.destroy()
  }

  let port = 0
  for (let attempt = 1; ; attempt += 1) {
    try {
      port = await freePort()
      await listen(port, options)
      break
    } catch (error) {
      // Somebody else may have taken the port in between.
      if (attempt === attempts || !log.includes('already in use')) throw error
    }
  }

  return {
    host: '127.0.0.1',
    port,
    user,
    clientKeyPath,
    hostKey,
    hostKeyFingerprint: () => {
      const blob = Buffer.from(hostKey().split(' ')[1] ?? '', 'base64')
      return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`
    },
    allow: (path) => appendFileSync(join(dir, 'authorized_keys'), readFileSync(path)),
    log: () => log,
    stop,
    async restart({ newHostKey = false, ...next } = {}) {
      await stop()
      if (newHostKey) makeKey(hostKeyPath)
      await listen(port, next)
    },
    async close() {
      await stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

function makeKey(path: string): void {
  rmSync(path, { force: true })
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', path])
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** Each connection is a process in a session of its own, which no signal to the server's group would reach. */
function descendants(pid: number): number[] {
  const children = childrenOf(pid).split(' ').map(Number).filter(Boolean)
  return children.flatMap((child) => [child, ...descendants(child)])
}

function childrenOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  } catch {
    // It has ended.
    return ''
  }
}

function endQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
