import { connect } from 'node:tls'
import { JarvisError, type SetupProbeReply } from 'protocol'
import { adviceOn, createAgent, NotConnected, notConnected, tlsOptions } from './connect.ts'
import { exchange } from './exchange.ts'

const connectMs = 5_000
const answerMs = 5_000

export type Probe = SetupProbeReply

/**
 * Reads an address's certificate and front page without sending the token.
 * @param url an origin, `https://pve1.lan:8006` @throws JarvisError `cluster_unreachable`; the signal's reason
 */
export async function probeEntry(url: string, signal: AbortSignal): Promise<Probe> {
  const origin = new URL(url)
  const shown = await certificateAt(origin, signal)
  const agent = createAgent(
    { fingerprints: [shown.fingerprint], ca: undefined },
    { keepAlive: false, maxSockets: 1, connectMs },
  )
  try {
    const headers = { accept: 'text/html' }
    const page = await exchange({
      url: origin,
      agent,
      method: 'GET',
      path: '/',
      headers,
      body: undefined,
      signal,
      answerMs,
    })
    return { url, ...shown, ...pageFacts(page.text) }
  } catch {
    signal.throwIfAborted()
    // The certificate is enough here. A later test with the token shows if the address is Proxmox's.
    return { url, ...shown }
  } finally {
    agent.destroy()
  }
}

/** Reads the node's name and Proxmox's version from the front page, which needs no sign-in. */
function pageFacts(html: string): { version?: string; node?: string } {
  const version = /\/pvemanagerlib\.js\?ver=(\d[\w.~-]{0,31})/.exec(html)?.[1]
  const node = /<title>\s*([A-Za-z0-9-]{1,63}) - Proxmox/.exec(html)?.[1]
  return { version, node }
}

function certificateAt(url: URL, signal: AbortSignal): Promise<Omit<Probe, 'url' | 'version' | 'node'>> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const socket = connect(tlsOptions(host, Number(url.port || 443), undefined))
    const end = (settle: () => void) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      settle()
      socket.destroy()
    }
    const fail = ({ message }: Error) =>
      end(() => reject(new JarvisError('cluster_unreachable', `${url.host} ${message}. ${adviceOn(message)}`)))
    const onAbort = () => end(() => reject(signal.reason))
    const timer = setTimeout(() => fail(new NotConnected(`did not answer within ${connectMs / 1000} s`)), connectMs)
    signal.addEventListener('abort', onAbort, { once: true })
    socket.on('error', (error: NodeJS.ErrnoException) => fail(notConnected(error)))
    socket.on('close', () => fail(new NotConnected('closed the connection')))
    socket.once('secureConnect', () => {
      const { fingerprint256, subject, issuer, valid_to } = socket.getPeerCertificate()
      end(() =>
        resolve({
          fingerprint: fingerprint256,
          isTrusted: socket.authorized,
          subject: [subject?.CN].flat()[0] ?? '',
          issuer: [issuer?.CN ?? issuer?.O].flat()[0] ?? '',
          validTo: Date.parse(valid_to),
        }),
      )
    })
  })
}
