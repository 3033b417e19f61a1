import { isIP } from 'node:net'
import { JarvisError } from 'protocol'

/** The relying party of passkeys: its id, and the one origin where they are used. */
export type Place = { rpId: string; origin: string }

export type RelyingParty = {
  /** The RP ID: the host of the public URL, otherwise `localhost`. If it changes, the present passkeys no longer work. */
  rpId: string
  /** Returns the reason why passkeys do not work at an origin, and what to do; undefined if they work. */
  problem(origin: string): string | undefined
  /** Returns the relying party for an origin. @throws JarvisError `conflict` if passkeys do not work at the origin */
  at(origin: string): Place
}

const page = 'docs/signed-decisions.md'

/** Returns the relying party. Passkeys work at the public URL if one is configured, otherwise at `http://localhost`. */
export function createRelyingParty(publicUrl: string | undefined): RelyingParty {
  const known = publicUrl === undefined ? undefined : new URL(publicUrl)
  const rpId = known?.hostname ?? 'localhost'
  const problem = known === undefined ? localProblem : (origin: string) => publicProblem(known, origin)
  return {
    rpId,
    problem,
    at(origin) {
      const why = problem(origin)
      if (why !== undefined) throw new JarvisError('conflict', why)
      return { rpId, origin }
    },
  }
}

function publicProblem(known: URL, origin: string): string | undefined {
  if (isAddress(known.hostname))
    return `Passkeys belong to a name, and JARVIS_PUBLIC_URL is ${known.origin}. Set it to an https address with a name (${page}).`
  if (known.protocol !== 'https:' && known.hostname !== 'localhost')
    return `Browsers offer passkeys with https alone, and JARVIS_PUBLIC_URL is ${known.origin}. Set it to an https address (${page}).`
  return origin === known.origin ? undefined : `Passkeys work at ${known.origin} alone. Open JARVIS there.`
}

function localProblem(origin: string): string | undefined {
  const { hostname, port, protocol } = new URL(origin)
  if (protocol === 'http:' && hostname === 'localhost') return undefined
  const here = `http://localhost${port === '' ? '' : `:${port}`}`
  if (isLoopback(hostname))
    return `Passkeys belong to a name, and ${hostname} is none. Open ${here} and sign in there once more.`
  const tunnel = `ssh -L ${port || 80}:localhost:${port || 80} ${hostname}`
  return `Passkeys need https and a name of JARVIS’s own: set JARVIS_PUBLIC_URL to that address. Without one, open ${here} through a tunnel (${tunnel}). ${page} has the ways.`
}

const isAddress = (host: string) => isIP(host.replace(/^\[|\]$/g, '')) !== 0
const isLoopback = (host: string) => host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'))
