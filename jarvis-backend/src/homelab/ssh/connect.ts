import { createConnection, type Socket } from 'node:net'
import { JarvisError } from 'protocol'
import type { Client } from 'ssh2'
import type { Clock } from '../../lib/clock.ts'
import { whyUnreachable } from '../../lib/unreachable.ts'
import { type CredentialSources, readCredentials } from './credentials.ts'
import { algorithmsFor, readKnownHosts, refusalOf } from './host-key.ts'
import type { Address } from './known-hosts.ts'

export type SshOptions = CredentialSources & {
  user: string
  knownHostsPath: string
  clock: Clock
  /** A node's address. @throws JarvisError `not_found` for an unknown node or address */
  addressOf(node: string): Address
  /** Builds a command line that every POSIX shell splits into exactly these words. */
  quote(argv: readonly string[]): string
  /** Time limit from the first packet to being signed in, ms. */
  connectMs?: number
  /** Interval of keepalive packets, ms. After three without an answer the connection counts as dead. */
  keepaliveMs?: number
}

export type Connection = {
  client: Client
  isLost(): boolean
  /** Calls `listener` once, when the connection has ended for any reason. */
  onLost(listener: () => void): void
  /** Closes the connection in the regular way. */
  end(): void
  /** Destroys the connection's socket at once. */
  cut(): void
}

/**
 * Connects to a node, checks its host key, and signs in only after that.
 * @throws JarvisError `not_found`; `cluster_unreachable` with advice for a person
 */
export async function connect(node: string, options: SshOptions): Promise<Connection> {
  const { clock, user, knownHostsPath: path, quote, connectMs = 10_000, keepaliveMs = 15_000 } = options
  const address = options.addressOf(node)
  // Loaded on first use, because it costs time and memory.
  const { default: ssh2 } = await import('ssh2')
  const credentials = readCredentials(options, ssh2.utils.parseKey)
  const entries = readKnownHosts(path)
  const client = new ssh2.Client()
  const socket = createConnection({ ...address, noDelay: true })
  await new Promise<void>((resolve, reject) => {
    const fail = (error: JarvisError) => {
      disarm()
      reject(error)
      socket.destroy()
    }
    const unreachable = (text: string, cause?: unknown) =>
      fail(new JarvisError('cluster_unreachable', `${node} (${address.host}:${address.port}) ${text}`, { cause }))
    const disarm = clock.after(connectMs, () =>
      unreachable(`did not let JARVIS in over SSH within ${connectMs / 1000} s.`),
    )
    client.once('ready', () => {
      disarm()
      resolve()
    })
    client.on('error', (error) => {
      // An error of the SSH agent is not final: the next authentication method may work.
      if (error.level === 'agent') return
      if (error.level !== 'client-authentication')
        unreachable(`cannot be reached over SSH: ${whyUnreachable(error)}.`, error)
      else unreachable(deniedText(node, address, options))
    })
    client.once('close', () => unreachable('closed the SSH connection before JARVIS was signed in.'))
    client.connect({
      sock: socket,
      username: user,
      ...credentials,
      authHandler: [
        ...(credentials.privateKey === undefined ? [] : (['publickey'] as const)),
        ...(credentials.agent === undefined ? [] : (['agent'] as const)),
      ],
      algorithms: { serverHostKey: algorithmsFor(entries, address) },
      hostVerifier: (key: Buffer) => {
        const refusal = refusalOf({ node, address, path, entries, quote }, key)
        if (refusal !== undefined) fail(refusal)
        return refusal === undefined
      },
      // ssh2's own time limit is off, because this function has one.
      readyTimeout: 0,
      keepaliveInterval: keepaliveMs,
      keepaliveCountMax: 3,
    })
  })
  return connectionOf(client, socket)
}

function connectionOf(client: Client, socket: Socket): Connection {
  let isLost = false
  const listeners: (() => void)[] = []
  client.once('close', () => {
    isLost = true
    for (const listener of listeners.splice(0)) listener()
  })
  return {
    client,
    // One end may be closed while the other still waits.
    isLost: () => isLost || !socket.writable || socket.readableEnded,
    onLost(listener) {
      if (isLost) listener()
      else listeners.push(listener)
    },
    end: () => void client.end(),
    cut: () => void socket.destroy(),
  }
}

function deniedText(node: string, { host, port }: Address, { user, keyPath, quote }: SshOptions): string {
  if (keyPath === undefined) return `lets ${user} in with none of the agent's keys (ssh-add -l lists them).`
  const copy = ['ssh-copy-id', '-i', keyPath, ...(port === 22 ? [] : ['-p', String(port)]), `${user}@${host}`]
  return `does not let ${user} in with the key ${keyPath}.\nPut its public half on ${node}: ${quote(copy)}`
}
