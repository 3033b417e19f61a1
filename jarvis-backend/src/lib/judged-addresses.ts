import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/** Replacements for tests: of the system’s resolver, and of the rule that allows addresses. */
export type Judging = {
  resolve?: (host: string) => Promise<string[]>
  isAllowed?: (address: string) => boolean
}

/**
 * Resolves a host once and checks all its addresses. The caller must connect to one of the returned addresses and not resolve the host again.
 * @param host the host of a URL; IPv6 in brackets @throws Error with a message for people: an address is not allowed, there is none, or it took too
 * long
 */
export async function judgedAddresses(host: string, judging: Judging, signal: AbortSignal): Promise<string[]> {
  const { resolve = addressesOf, isAllowed = isPublicAddress } = judging
  const name = host.replace(/^\[|\]$/g, '')
  const addresses = isIP(name) === 0 ? await unlessAborted(resolve(name), signal) : [name]
  if (addresses.length === 0 || !addresses.every(isAllowed)) throw new Error(`${name} is not a public address`)
  return addresses
}

const addressesOf = async (host: string) => (await lookup(host, { all: true })).map(({ address }) => address)

const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((done, failed) => {
    signal.addEventListener('abort', () => failed(new Error('it took too long')), { once: true })
    work.then(done, failed)
  })
