import { isLoopbackHost } from '../lib/loopback.ts'

/** Tells where signing in elsewhere works: at the public URL where one is configured, else on this machine. The other service sends the browser back there. */
export function createElsewherePlace(publicUrl: string | undefined) {
  const known = publicUrl === undefined ? undefined : new URL(publicUrl)
  const isSafe = ({ protocol, hostname }: URL) => protocol === 'https:' || isLoopbackHost(hostname)
  return {
    /** Why it does not work at an origin and what to do; undefined where it works. */
    problem(origin: string): string | undefined {
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
export type ElsewherePlace = ReturnType<typeof createElsewherePlace>
