import { Agent } from 'node:https'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'

export type Trust = {
  /** SHA-256 of the certificates that are trusted, `AA:BB:…`; none: the authorities decide. */
  fingerprints: readonly string[]
  /** PEM of the authority that signs the nodes' certificates; absent: the usual ones. */
  ca: string | undefined
}

/** No byte of a request has left: it may be sent elsewhere. `message` goes on from the entry's name. */
export class NotConnected extends Error {}

/** An agent whose sockets have shown a trusted certificate before a request can be written to them. */
export function createAgent(
  trust: Trust,
  options: { keepAlive: boolean; maxSockets: number; connectMs: number },
): Agent {
  const { connectMs, ...agentOptions } = options
  const agent = new Agent(agentOptions)
  const open = agent as unknown as { createConnection: typeof createConnection }
  open.createConnection = createConnection
  return agent

  function createConnection(
    to: { host?: string; port?: number | string },
    done: (error: Error | null, socket?: Duplex) => void,
  ): undefined {
    const host = to.host ?? ''
    const socket = connect(tlsOptions(host, Number(to.port), trust.ca))
    let isDone = false
    const settle = (problem: NotConnected | undefined) => {
      if (isDone) return
      isDone = true
      clearTimeout(timer)
      socket.off('error', onError)
      if (problem === undefined) {
        done(null, socket)
        return
      }
      socket.on('error', () => {})
      socket.destroy()
      done(problem)
    }
    const onError = (error: NodeJS.ErrnoException) => settle(notConnected(error))
    const timer = setTimeout(() => settle(new NotConnected(`did not answer within ${connectMs / 1000} s`)), connectMs)
    socket.on('error', onError)
    socket.on('close', () => settle(new NotConnected('closed the connection')))
    socket.once('secureConnect', () => settle(mistrust(socket, trust)))
  }
}

/** Nothing is decided by them: whoever connects judges what was shown. */
export function tlsOptions(host: string, port: number, ca: string | undefined): ConnectionOptions {
  return {
    host,
    port,
    // A server name may not be an address.
    ...(isIP(host) === 0 && { servername: host }),
    // Judged once it is shown, so that a person can be told what was shown; nothing is sent before.
    rejectUnauthorized: false,
    ...(ca !== undefined && { ca }),
  }
}

/** A pinned certificate is trusted for itself, whoever signed it and whatever name it bears. */
function mistrust(socket: TLSSocket, { fingerprints }: Trust): NotConnected | undefined {
  const shown = socket.getPeerCertificate().fingerprint256 ?? 'none'
  if (fingerprints.includes(shown)) return undefined
  if (fingerprints.length > 0) {
    return new NotConnected(
      `shows another certificate than the one accepted before, so the token was not sent: ${shown}. If you changed it, compare with "pvenode cert info" on the node; then accept it in Settings, Proxmox, or put it into PVE_FINGERPRINT`,
    )
  }
  if (socket.authorized) return undefined
  const { authorizationError: why } = socket as { authorizationError?: unknown }
  return new NotConnected(
    `has a certificate that is not trusted (${why instanceof Error ? why.message : String(why)}), so the token was not sent: ${shown}. Where "pvenode cert info" on the node shows the same, accept it in Settings, Proxmox, or put it into PVE_FINGERPRINT; or name your authority in PVE_CA_FILE`,
  )
}

const simple: Record<string, string> = {
  ECONNREFUSED: 'refuses connections',
  ECONNRESET: 'closed the connection',
  ENOTFOUND: 'is a name that cannot be resolved',
  EAI_AGAIN: 'is a name that cannot be resolved now',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  ETIMEDOUT: 'did not answer',
  EPROTO: 'does not speak TLS there',
  ERR_SSL_WRONG_VERSION_NUMBER: 'does not speak TLS there',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'does not speak TLS there',
}

/** What a person can do about a way in that gives no connection, or none that serves. */
export function adviceOn(problem: string): string {
  if (/cannot be resolved/.test(problem)) return 'Correct the name, or use the address.'
  if (/refuses connections/.test(problem)) return 'Is pveproxy running there (systemctl status pveproxy), on that port?'
  if (/TLS|not JSON|redirection|Proxmox server/.test(problem)) return 'Proxmox serves its API at port 8006, usually.'
  return 'Is it on, and does a firewall let this machine through to that port?'
}

export const notConnected = ({ code = '', message }: NodeJS.ErrnoException) =>
  new NotConnected(simple[code] ?? `gives no usable connection (${code || message})`)
