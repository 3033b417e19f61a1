import { isIP } from 'node:net'
import { quoted } from 'redaction/visible'
import { isPublicAddress } from '../../lib/public-address.ts'
import { codeRule } from '../policy/profile.ts'
import { withPrompt } from '../taint/sources.ts'
import { repeatedFrom, taintOf } from '../taint/taint.ts'
import type { Facts, Rule, World } from '../world.ts'
import { codeIn, isGiven, isStrange, siteOf } from './web-words.ts'

const web = [{ on: 'web' }] as const

/** Returns true for host names that no public resolver knows. The connection later also checks that the address is public. */
const isOwnName = (host: string) =>
  !host.includes('.') || /\.(?:local|localhost|lan|home|internal|intranet|private|corp|home\.arpa)$/.test(host)

/** Returns true if an address is in the private network: by its name or number, or because policy.yaml lists it under `private`. */
export function isPrivateSite(url: string, { policy }: Pick<World, 'policy'>): boolean {
  const { host, site } = siteOf(url)
  if (policy.workbench.web.private.has(site)) return true
  return isIP(host) === 0 ? isOwnName(host) : !isPublicAddress(host)
}
const isPrivate = ({ effect: { url }, world }: Facts) => url !== undefined && isPrivateSite(url, world)
const siteIn = ({ effect: { url } }: Facts) => (url === undefined ? '' : siteOf(url).site)
const isListed = (facts: Facts) => facts.world.policy.workbench.web.private.has(siteIn(facts))

/** Finds words from a tool result that a call without an address of its own, such as a search, would send out. */
const repeated = ({ effect, input, sources, world }: Facts) =>
  effect.url === undefined && effect.kind === 'read' && sources !== undefined
    ? taintOf({ input }, withoutAddresses(withPrompt(sources())), { world, isLeaving: true })
    : undefined

/** Leaves out the results of searches, because words from them may be searched for. */
const withoutAddresses = (sources: ReturnType<NonNullable<Facts['sources']>>) => ({
  ...sources,
  results: sources.results.filter(({ givesAddresses }) => givesAddresses !== true),
})

/** The rules for reads from the web. The reason: an address or a query can carry out texts that were read before. */
export const webRules: readonly Rule[] = [
  {
    name: 'private_address',
    effects: web,
    when: (facts) => isPrivate(facts) && !isListed(facts),
    tier: 'black',
    because: (facts) =>
      `${quoted(siteIn(facts))} is an address of this network, and policy.yaml does not list it under workbench: web: private.`,
  },
  {
    name: codeRule,
    effects: web,
    when: (facts) => codeIn(facts) !== undefined,
    tier: 'red',
    because: (facts) =>
      `It gives away ${quoted(codeIn(facts) ?? '', 60)}, which neither you nor the site wrote: what was read elsewhere may stand in it as a code.`,
  },
  {
    name: 'listed_private_address',
    effects: web,
    when: (facts) => isPrivate(facts) && !isGiven(facts),
    tier: 'red',
    because: (facts) => `Nobody wrote this address of this network down: ${quoted(facts.effect.url ?? '', 200)}.`,
  },
  {
    name: 'strange_address',
    effects: web,
    when: isStrange,
    tier: 'red',
    because: (facts) =>
      `Neither you nor a search named ${quoted(siteIn(facts))}: an address can carry out what was read, such as your notes.`,
  },
  {
    name: 'repeating_query',
    effects: web,
    when: (facts) => repeated(facts) !== undefined,
    tier: 'red',
    because: (facts) => {
      const taint = repeated(facts)
      return taint === undefined ? '' : repeatedFrom(taint)
    },
  },
  {
    name: 'composed_address',
    effects: web,
    when: (facts) => facts.effect.url !== undefined && !isGiven(facts),
    tier: 'yellow',
    because: 'The address was composed: neither you nor a search gave it.',
  },
]
