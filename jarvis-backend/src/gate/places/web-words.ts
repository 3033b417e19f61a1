import { attachedServerOf } from '../../protocol/index.ts'
import type { Facts } from '../rule.ts'
import { type Source, type Sources, summarySource } from '../taint/taint.ts'

/** `host` of an address in lower case, without brackets, and `site`: with its port. */
export function siteOf(address: string): { host: string; site: string } {
  const { hostname, port, protocol } = new URL(address)
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, '')
  return { host, site: `${host}:${port === '' ? (protocol === 'http:' ? 80 : 443) : port}` }
}

/** Whether a text holds a word, and not as the beginning or end of a longer address or name. */
function holds(text: string, word: string): boolean {
  const lower = text.toLowerCase()
  for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + 1)) {
    const next = lower.slice(at + word.length, at + word.length + 2)
    if (/^(?:$|[\s)>\]}"'`|*,;]|[.!?:](?:$|\s|["')*]))/.test(next) && !/[\w.@%-]/.test(lower[at - 1] ?? '')) return true
  }
  return false
}

/** How an address may be written: with its protocol or without, with a last slash or without. */
function formsOf(address: string): string[] {
  const plain = address.toLowerCase().replace(/#.*$/s, '').replace(/\/$/, '')
  const bare = plain.replace(/^https?:\/\//, '')
  return [plain, `${plain}/`, bare, `${bare}/`]
}
const holdsAddress = (text: string, address: string) => formsOf(address).some((form) => holds(text, form))

/** Whether the operator, or a search, gave exactly this address. Without sources a person typed the call. */
export function isGiven({ effect: { url = '' }, sources }: Facts): boolean {
  if (sources === undefined) return true
  const { operatorTexts, results } = sources()
  const searched = results.filter(({ givesAddresses }) => givesAddresses === true).map(({ text }) => text)
  return [...operatorTexts, ...searched].some((text) => holdsAddress(text, url))
}

/** Whether the result is a page of the same site, so that what the site says comes back to it alone. */
export function isOfSite({ toolName, asked }: Source, address: string): boolean {
  const { url } = asked ?? {}
  if (typeof url !== 'string' || attachedServerOf(toolName) !== undefined || !URL.canParse(url)) return false
  return siteOf(url).site === siteOf(address).site
}

/** Whether a page of the site itself holds exactly this address. */
const isOwnLink = (address: string, { results }: Sources) =>
  results.some((source) => isOfSite(source, address) && holdsAddress(source.text, address))

/** Whether the operator wrote down the host, in a message or in policy.yaml. */
const isHostNamed = (host: string, { operatorTexts }: Sources, { policy }: Facts['world']) =>
  policy.hosts.has(host) ||
  operatorTexts.some((text) => {
    const lower = text.toLowerCase()
    const at = lower.indexOf(host)
    return at >= 0 && !/[\w.-]/.test(lower[at - 1] ?? '') && !/^(?:[\w-]|\.\w)/.test(lower.slice(at + host.length))
  })

/** Whether words of strangers were read. Without any, no one but the operator can have thought of a composed address. */
const heardStrangers = ({ results, hasPictures }: Sources) =>
  hasPictures === true || results.some(({ isComposed, toolName }) => isComposed !== true && toolName !== summarySource)

/** Whether a composed address leads to a site that nobody named, after words of strangers were read: it can carry out what was read. */
export function isStrange(facts: Facts): boolean {
  const { effect, sources, world } = facts
  if (effect.url === undefined || sources === undefined || isGiven(facts)) return false
  const heard = sources()
  const { host } = siteOf(effect.url)
  return heardStrangers(heard) && !isHostNamed(host, heard, world) && !isOwnLink(effect.url, heard)
}

/** A shorter step of an address is a common word, such as `releases`. */
const longStep = 16

/** What an address says besides its host, each by itself, so that taint finds words of a result in it. */
export function saidBy(address: string): Record<string, string> {
  const { pathname, searchParams } = new URL(address)
  const steps = pathname.split('/').filter((step) => step.length >= longStep)
  return Object.fromEntries([
    ...steps.map((step, at) => [`step${at}`, decoded(step).replace(/[-_+.]+/g, ' ')] as const),
    ...[...searchParams].map(([, value], at) => [`value${at}`, value] as const),
  ])
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
