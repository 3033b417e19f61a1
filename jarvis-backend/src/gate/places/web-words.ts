import { attachedServerOf } from 'protocol'
import type { Source, Sources } from '../taint/source.ts'
import { heardStrangers } from '../taint/sources.ts'
import type { Facts } from '../world.ts'

/** `host` of an address in lower case, without brackets and a last dot, and `site`: with its port. */
export function siteOf(address: string): { host: string; site: string } {
  const { hostname, port, protocol } = new URL(address)
  const host = hostname.toLowerCase().replace(/^\[|\]$|\.$/g, '')
  return { host, site: `${host}:${port === '' ? (protocol === 'http:' ? 80 : 443) : port}` }
}

/** Returns whether a text holds a word that is not the beginning or end of a longer address or name. */
function holds(text: string, word: string): boolean {
  const lower = text.toLowerCase()
  for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + 1)) {
    const next = lower.slice(at + word.length, at + word.length + 2)
    if (/^(?:$|[\s)>\]}"'`|*,;]|[.!?:](?:$|\s|["')*]))/.test(next) && !/[\w.@%-]/.test(lower[at - 1] ?? '')) return true
  }
  return false
}

/** The forms in which an address may be written: with or without its protocol, with or without a last slash. */
function formsOf(address: string): string[] {
  const plain = address.toLowerCase().replace(/#.*$/s, '').replace(/\/$/, '')
  const bare = plain.replace(/^https?:\/\//, '')
  return [plain, `${plain}/`, bare, `${bare}/`]
}
const holdsAddress = (text: string, address: string) => formsOf(address).some((form) => holds(text, form))

/** Returns whether the operator, or a search, gave exactly this address. Without sources a person typed the call. */
export function isGiven({ effect: { url = '' }, sources }: Facts): boolean {
  if (sources === undefined) return true
  const { operatorTexts, results } = sources()
  const searched = results.filter(({ givesAddresses }) => givesAddresses === true).map(({ text }) => text)
  return [...operatorTexts, ...searched].some((text) => holdsAddress(text, url))
}

/**
 * Returns whether the result is a page of the same site and of no other site, so that the site's words come back to it alone. A page may lead
 * to another site by itself, and show one in a frame.
 */
export function isOfSite({ toolName, asked, page }: Source, address: string): boolean {
  if (attachedServerOf(toolName) !== undefined || page?.isMixed === true) return false
  const [from, at] = [asked?.url, page?.url ?? asked?.url].map((url) =>
    typeof url === 'string' && URL.canParse(url) ? siteOf(url) : undefined,
  )
  const { host, site } = siteOf(address)
  // A site often leads from http to https.
  return from?.host === host && at?.site === site
}

/** Returns whether a page of the site itself holds exactly this address. */
const isOwnLink = (address: string, { results }: Sources) =>
  results.some((source) => isOfSite(source, address) && holdsAddress(source.text, address))

/** Returns whether the operator named the host, in a message or in policy.yaml. */
const isHostNamed = (host: string, { operatorTexts }: Sources, { policy }: Facts['world']) =>
  policy.hosts.has(host) ||
  operatorTexts.some((text) => {
    const lower = text.toLowerCase()
    const at = lower.indexOf(host)
    return at >= 0 && !/[\w.-]/.test(lower[at - 1] ?? '') && !/^(?:[\w-]|\.\w)/.test(lower.slice(at + host.length))
  })

/**
 * Returns whether a composed address leads to a site that nobody named, after a text was read that the address can carry out. JARVIS's own
 * model has always read its prompt, which holds the cluster and the operator's notes.
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

/** A shorter step of an address is a common word, such as `releases`, unless it mixes letters and digits. */
const longStep = 16
const longMixed = 6

const isMixed = (run: string) => /[a-z]/i.test(run) && /\d/.test(run)

/** The parts of an address besides its host, one by one, so that taint finds words of a result in them. */
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

/** This many characters of codes that nobody gave are more than chance: half a password. */
const fewestCoded = 10

const runsIn = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? []

/** Returns whether a run of characters may be a code: base64, hexadecimal, an id. A name with a number, such as `debian12`, is no code. */
const isCode = (run: string) =>
  (isMixed(run) && run.length >= 4 && !/^[a-z]+\d{1,4}$/i.test(run)) ||
  (run.match(/[a-z][A-Z]/g) ?? []).length >= 3 ||
  run.length >= 24

/**
 * Finds a code that a call would give to a site or a search, and that neither the operator nor that site nor a search gave. The code may hold
 * a text that was read elsewhere. Without sources a person typed the call.
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

/** The runs of characters behind the host. The part behind `#` always counts, because a page's scripts read it. */
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
