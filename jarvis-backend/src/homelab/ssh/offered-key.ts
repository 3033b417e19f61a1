import { createConnection } from 'node:net'
import { JarvisError } from 'protocol'
import type { ServerHostKeyAlgorithm } from 'ssh2'
import { whyUnreachable } from '../../lib/unreachable.ts'
import { algorithmsFor, readKnownHosts } from './host-key.ts'
import { type Address, fingerprintOf, judgeHostKey, nameOf, typeOf } from './known-hosts.ts'

const connectMs = 6_000

export type OfferedKey = {
  verdict: 'known' | 'unknown' | 'changed' | 'revoked'
  /** `ssh-ed25519`, … */
  type: string
  /** `SHA256:…` */
  fingerprint: string
  /** The line of known_hosts that would accept this key. */
  line: string
}

/**
 * Reads the host key that a server shows, and compares it with known_hosts. Does not sign in.
 * @throws JarvisError `cluster_unreachable`; the signal's reason
 */
export async function offeredKey(address: Address, knownHostsPath: string, signal: AbortSignal): Promise<OfferedKey> {
  const entries = readKnownHosts(knownHostsPath)
  const { default: ssh2 } = await import('ssh2')
  signal.throwIfAborted()
  const client = new ssh2.Client()
  const socket = createConnection({ ...address, noDelay: true })
  const serverHostKey: ServerHostKeyAlgorithm[] = algorithmsFor(entries, address)
  try {
    const key = await new Promise<Buffer>((resolve, reject) => {
      const fail = (why: string) =>
        reject(new JarvisError('cluster_unreachable', `${address.host}:${address.port} ${why}.`))
      setTimeout(() => fail(`did not answer within ${connectMs / 1000} s over SSH`), connectMs).unref()
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      client.on('error', (error) => fail(`cannot be reached over SSH: ${whyUnreachable(error)}`))
      client.once('close', () => fail('closed the connection over SSH'))
      client.connect({
        sock: socket,
        username: 'nobody',
        algorithms: { serverHostKey },
        hostVerifier(shown: Buffer) {
          resolve(shown)
          return false
        },
        readyTimeout: 0,
      })
    })
    const { verdict } = judgeHostKey(entries, address, key)
    const type = typeOf(key)
    return {
      verdict,
      type,
      fingerprint: fingerprintOf(key),
      line: `${nameOf(address)} ${type} ${key.toString('base64')}`,
    }
  } finally {
    socket.destroy()
  }
}
