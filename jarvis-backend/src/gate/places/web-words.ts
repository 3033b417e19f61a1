import { attachedServerOf } from 'protocol'
import type { Source, Sources } from '../taint/source.ts'
import { heardStrangers } from '../taint/sources.ts'
import type { Facts } from '../world.ts'

/** Returns two forms of an address's host in lower case. `host`: without brackets and without a final dot. `site`: the host with its port. */
export function siteOf(address: string): { host: string; site: string } {
  const { hostname, port, protocol } = new URL(address)
  const host = hostname.toLowerCase().replace(/^\[|\]$|\.$/g, '')
  return { host, site: `${host}:${port === '' ? (protocol === 'http:' ? 80 : 443) : port}` }
}

/** Returns true if a text contains the word, and not only as the beginning or end of a longer address or name. */
function holds(text: string, word: string): boolean {
  const lower = text.toLowerCase()
  for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + 1)) {
    const next = lower.slice(at + word.length, at + word.length + 2)
    if (/^(?:$|[\s)>\]}"'`|*,;]|[.!?:](?:$|\s|["')*]))/.test(next) && !/[\w.@%-]/.test(lower[at - 1] ?? '')) return true
  }
  return false
}

/** Returns the forms in which an address may be written: with or without protocol, with or without a final slash. */
function formsOf(address: string): string[] {
  const plain = address.toLowerCase().replace(/#.*$/s, '').replace(/\/$/, '')
  const bare = plain.replace(/^https?:\/\//, '')
  return [plain, `${plain}/`, bare, `${bare}/`]
}
const holdsAddress = (text: string, address: string) => formsOf(address).some((form) => holds(text, form))

/** Returns true if the operator or a search result gave exactly this address. Also true without sources, because a person then typed the call. */
export function isGiven({ effect: { url = '' }, sources }: Facts): boolean {
  if (sources === undefined) return true
  const { operatorTexts, results } = sources()
  const searched = results.filter(({ givesAddresses }) => givesAddresses === true).map(({ text }) => text)
  return [...operatorTexts, ...searched].some((text) => holdsAddress(text, url))
}

/**
 * Returns true if the result is a page of this site and of no other site, so that the site's words return only to the site. A page may redirect to
 * another site, or show one in a frame; such a page does not count.
 */
export function isOfSite({ toolName, asked, page }: Source, address: string): boolean {
  if (attachedServerOf(toolName) !== undefined || page?.isMixed === true) return false
  const [from, at] = [asked?.url, page?.url ?? asked?.url].map((url) =>
    typeof url === 'string' && URL.canParse(url) ? siteOf(url) : undefined,
  )
  const { host, site } = siteOf(address)
  // The port is compared only for the final address, because sites often redirect from http to https.
  return from?.host === host && at?.site === site
}

/** Returns true if a page of the same site contains exactly this address. */
const isOwnLink = (address: string, { results }: Sources) =>
  results.some((source) => isOfSite(source, address) && holdsAddress(source.text, address))

/** Returns true if the operator named the host, in a message or in policy.yaml. */
const isHostNamed = (host: string, { operatorTexts }: Sources, { policy }: Facts['world']) =>
  policy.hosts.has(host) ||
  operatorTexts.some((text) => {
    const lower = text.toLowerCase()
    const at = lower.indexOf(host)
    return at >= 0 && !/[\w.-]/.test(lower[at - 1] ?? '') && !/^(?:[\w-]|\.\w)/.test(lower.slice(at + host.length))
  })

/**
 * Returns true if a composed address leads to a site that nobody named, and could carry out a text that was read before. For JARVIS's own model this
 * is always so: its prompt contains the cluster and the operator's notes.
 */
export function isStrange(facts: Facts): boolean {
  const { effect, sources, world } = facts
  if (effect.url === undefined || sources === undefined || isGiven(facts)) return false
  const heard = sources()
  const { host } = siteOf(effect.url)
  return (
    (heard.prompt !== undefined || heardStrangers(heard)) &&
    !isHostNamed(host, heard, world) &&
    !isOwnLink(effect.url, heard)
  )
}

/**
 * Shortest path segments of an address that count as text, characters. A shorter segment is a common word, such as `releases`, unless it mixes
 * letters and digits (`longMixed`).
 */
const longStep = 16
const longMixed = 6

const isMixed = (run: string) => /[a-z]/i.test(run) && /\d/.test(run)

/** Returns the parts of an address after its host, one by one, so that the taint check finds words of a result in them. */
export function saidBy(address: string): Record<string, string> {
  const { pathname, searchParams } = new URL(address)
  const isTelling = (step: string) =>
    step.length >= longStep || runsIn(decoded(step)).some((run) => run.length >= longMixed && isMixed(run))
  const steps = pathname.split('/').filter(isTelling)
  return Object.fromEntries([
    ...steps.map((step, at) => [`step${at}`, decoded(step).replace(/[-_+.]+/g, ' ')] as const),
    ...[...searchParams].map(([, value], at) => [`value${at}`, value] as const),
  ])
}

/** Fewest characters, in total, of codes from no known source that are more than chance: about half a password. */
const fewestCoded = 10

const runsIn = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? []

/** Returns true if a run of characters may be a code: base64, hexadecimal, an id. A name with a number, such as `debian12`, is not a code. */
const isCode = (run: string) =>
  (isMixed(run) && run.length >= 4 && !/^[a-z]+\d{1,4}$/i.test(run)) ||
  (run.match(/[a-z][A-Z]/g) ?? []).length >= 3 ||
  run.length >= 24

/**
 * Finds a code of unknown source that a call would send to a site or a search: neither the operator, nor that site, nor a search gave the code. It
 * may hide a text that was read elsewhere. Undefined without sources, because a person then typed the call.
 */
export function codeIn(facts: Facts): string | undefined {
  const { effect, input, sources } = facts
  if (sources === undefined) return undefined
  const heard = sources()
  const { url } = effect
  const typed = Object.entries(input).flatMap(([key, value]) =>
    key !== 'url' && key !== 'ref' && typeof value === 'string' ? runsIn(value) : [],
  )
  const runs = [...typed, ...(url === undefined ? [] : addressRuns(url, facts, heard))].filter(isCode)
  if (runs.length === 0) return undefined
  const given = [
    ...heard.operatorTexts,
    ...heard.results
      .filter((source) => source.givesAddresses === true || (url !== undefined && isOfSite(source, url)))
      .map(({ text }) => text),
  ].map((text) => text.toLowerCase())
  const left = runs.filter((run) => !given.some((text) => text.includes(run.toLowerCase())))
  if (left.reduce((sum, run) => sum + run.length, 0) < fewestCoded) return undefined
  return left.toSorted((one, other) => other.length - one.length)[0]
}

/** Returns the runs of characters after the host. The part after `#` always counts, because a page's scripts can read it. */
function addressRuns(url: string, facts: Facts, heard: Sources): string[] {
  const { pathname, search, hash } = new URL(url)
  const isKnown = isGiven(facts) || isOwnLink(url, heard)
  return runsIn(decoded(isKnown ? hash : `${pathname} ${search.replaceAll('+', ' ')} ${hash}`))
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
