import { isLoopbackHost } from '../lib/loopback.ts'

export interface ElsewherePlace {
  /** The reason why signing in with another service does not work at an origin, and the remedy; undefined if it works. */
  problem(origin: string): string | undefined
}

/**
 * Tells at which address signing in with another service works: at the public URL if one is configured, otherwise on this machine. The other service
 * sends the browser back to this address.
 */
export function createElsewherePlace(publicUrl: string | undefined): ElsewherePlace {
  const known = publicUrl === undefined ? undefined : new URL(publicUrl)
  const isSafe = ({ protocol, hostname }: URL) => protocol === 'https:' || isLoopbackHost(hostname)
  return {
    problem(origin) {
      if (known === undefined) {
        if (isLoopbackHost(new URL(origin).hostname)) return undefined
        return 'Signing in with another service needs https: set JARVIS_PUBLIC_URL to the https address of JARVIS.'
      }
      if (!isSafe(known))
        return `Signing in with another service needs https, and JARVIS_PUBLIC_URL is ${known.origin}.`
      return origin === known.origin ? undefined : `Signing in with another service works at ${known.origin} alone.`
    },
  }
}
