import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import { isHomeAddress } from '../../lib/home-address.ts'
import { isPublicAddress } from '../../lib/public-address.ts'
import type { IsOwnPlace } from './own-place.ts'
import type { Place } from './place.ts'

/** The reason why no connection was made. `private`: one of the host's IP addresses is not public. `own`: the place is JARVIS itself. */
export type Unreached = 'private' | 'own' | 'unresolved' | 'unreachable'

/** Replaces the resolver and the check of IP addresses, for tests. */
export type Reaching = {
  resolve?: (host: string) => Promise<string[]>
  isAllowed?: (address: string) => boolean
  isOwn?: IsOwnPlace
}

const connectMs = 10_000

/**
 * Resolves a name once, checks all its IP addresses, and connects to one of them.
 * @param isPrivate the operator listed the place, so addresses of the home network are allowed too
 */
export async function reach(
  { host, port }: Place,
  isPrivate: boolean,
  { resolve = addressesOf, isAllowed = isPublicAddress, isOwn = () => false }: Reaching,
): Promise<Socket | Unreached> {
  if (isOwn(host, port)) return 'own'
  let addresses: string[]
  try {
    addresses = isIP(host) === 0 ? await resolve(host) : [host]
  } catch {
    return 'unresolved'
  }
  if (addresses.length === 0) return 'unresolved'
  if (addresses.some((address) => isOwn(host, port, address))) return 'own'
  if (!addresses.every((address) => isAllowed(address) || (isPrivate && isHomeAddress(address)))) return 'private'
  for (const address of addresses.slice(0, 4)) {
    const socket = await connected(address, port)
    if (socket !== undefined) return socket
  }
  return 'unreachable'
}

const addressesOf = async (host: string) => (await lookup(host, { all: true })).map(({ address }) => address)

function connected(host: string, port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const fail = () => {
      socket.destroy()
      resolve(undefined)
    }
    socket.setTimeout(connectMs, fail)
    socket.once('error', fail)
    socket.once('connect', () => {
      socket.off('error', fail)
      socket.setTimeout(0)
      socket.removeAllListeners('timeout')
      resolve(socket)
    })
  })
}
