import { isIP } from 'node:net'
import { isPublicAddress } from '../lib/public-address.ts'

type Reached = { kind: string; baseUrl?: string }

const hostOf = (baseUrl: string): string => new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')

/** True if a model's address is surely on this machine or its network. */
export function isAtHome({ kind, baseUrl }: Reached): boolean {
  if (kind === 'demo') return true
  if (baseUrl === undefined) return false
  const host = hostOf(baseUrl)
  if (isIP(host) !== 0) return !isPublicAddress(host)
  return !host.includes('.') || /\.(?:local|lan|home|internal|home\.arpa|localhost)$/.test(host)
}

/** Cloud services. `prices`: the first part of their models' names in the table of prices; absent if their prices are not known. */
const clouds: readonly (readonly [host: RegExp, prices?: string])[] = [
  [/^api\.anthropic\.com$/, 'anthropic'],
  [/^api\.openai\.com$/, 'openai'],
  [/^generativelanguage\.googleapis\.com$/, 'gemini'],
  [/(?:^|[.-])aiplatform\.googleapis\.com$/, 'gemini'],
  [/\.openai\.azure\.com$/],
  [/\.api\.aws$/],
  [/\.amazonaws\.com$/],
  [/^openrouter\.ai$/],
]
const cloudOf = (baseUrl: string) => clouds.find(([host]) => host.test(hostOf(baseUrl)))

/**
 * True if a model is certainly a cloud service. A host name that is not in the list may belong to the operator's own server, so it does not count as
 * a cloud service. Conversations with such a model are sent to a cloud service only with consent.
 */
export const isCloud = ({ kind, baseUrl }: Reached): boolean =>
  kind !== 'demo' && (baseUrl === undefined || cloudOf(baseUrl) !== undefined)

/** Returns a model's name in the table of prices; undefined if no prices are known for the service at its address. */
export function pricedAs(model: Reached & { provider: string; model: string }): string | undefined {
  if (model.kind === 'demo') return undefined
  if (model.baseUrl === undefined) return `${model.provider}/${model.model}`
  const service = cloudOf(model.baseUrl)?.[1]
  return service === undefined ? undefined : `${service}/${model.model.replace(/^(?:models|google)\//, '')}`
}
