import { Agent } from 'node:https'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { systemClock } from 'node-kit/clock'
import type { Clock } from '../../lib/clock.ts'

export type Trust = {
  /** SHA-256 of trusted certificates, `AA:BB:…`; if empty, certificate authorities decide. */
  fingerprints: readonly string[]
  /** PEM of the authority that signed the nodes' certificates; undefined: the system's authorities. */
  ca: string | undefined
}

/** Texts for messages: how a person compares a certificate, and how to accept it. */
export type Ways = { compare: string; accept: string; authority: string }
const clusterWays: Ways = {
  compare: '"pvenode cert info" on the node',
  accept: 'accept it in Settings, Proxmox, or put it into PVE_FINGERPRINT',
  authority: '; or name your authority in PVE_CA_FILE',
}

/**
 * Thrown before any byte of a request was sent, so that the request may be sent to another address. `message` continues a sentence that begins with
 * the address.
 */
export class NotConnected extends Error {}

/** Makes an agent whose connections check the server's certificate before they send any request. */
export function createAgent(
  trust: Trust,
  options: { keepAlive: boolean; maxSockets: number; connectMs: number; clock?: Clock },
  ways = clusterWays,
): Agent {
  const { connectMs, clock = systemClock, ...agentOptions } = options
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
      cancel()
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
    const cancel = clock.after(connectMs, () => settle(new NotConnected(`did not answer within ${connectMs / 1000} s`)))
    socket.on('error', onError)
    socket.on('close', () => settle(new NotConnected('closed the connection')))
    socket.once('secureConnect', () => settle(mistrust(socket, trust, ways)))
  }
}

/** TLS options that accept every certificate. The caller must judge the certificate that the server shows. */
export function tlsOptions(host: string, port: number, ca: string | undefined): ConnectionOptions {
  return {
    host,
    port,
    // TLS does not allow an IP address as server name.
    ...(isIP(host) === 0 && { servername: host }),
    // The certificate is judged after the handshake and before any request, so that a message can name it.
    rejectUnauthorized: false,
    ca,
  }
}

/**
 * Returns why a connection's certificate is not trusted; undefined if it is trusted. A pinned certificate is trusted whatever its signer and name.
 */
function mistrust(socket: TLSSocket, { fingerprints }: Trust, ways: Ways): NotConnected | undefined {
  const shown = socket.getPeerCertificate().fingerprint256 ?? 'none'
  if (fingerprints.includes(shown)) return undefined
  if (fingerprints.length > 0) {
    return new NotConnected(
      `shows another certificate than the one accepted before, so the token was not sent: ${shown}. If you changed it, compare with ${ways.compare}; then ${ways.accept}`,
    )
  }
  if (socket.authorized) return undefined
  const { authorizationError: why } = socket as { authorizationError?: unknown }
  return new NotConnected(
    `has a certificate that is not trusted (${why instanceof Error ? why.message : String(why)}), so the token was not sent: ${shown}. Where ${ways.compare} shows the same, ${ways.accept}${ways.authority}`,
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

/** Returns advice for a person about an address that does not work. */
export function adviceOn(problem: string): string {
  if (/cannot be resolved/.test(problem)) return 'Correct the name, or use the address.'
  if (/refuses connections/.test(problem)) return 'Is pveproxy running there (systemctl status pveproxy), on that port?'
  if (/TLS|not JSON|redirection|Proxmox server/.test(problem)) return 'Proxmox serves its API at port 8006, usually.'
  return 'Is it on, and does a firewall let this machine through to that port?'
}

export const notConnected = ({ code = '', message }: NodeJS.ErrnoException) =>
  new NotConnected(simple[code] ?? `gives no usable connection (${code || message})`)
