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

/** Services of others; `prices`: the first part of their models' ids in the table of prices. */
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
 * Whether a model is surely a service of others. A name of one's own domain may lead home, so it is none: what was said to such a model
 * leaves the house only with consent.
 */
export const isCloud = ({ kind, baseUrl }: Reached): boolean =>
  kind !== 'demo' && (baseUrl === undefined || cloudOf(baseUrl) !== undefined)

/** Under which name the table of prices has a model; undefined where its address is of a service without known prices. */
export function pricedAs(model: Reached & { provider: string; model: string }): string | undefined {
  if (model.kind === 'demo') return undefined
  if (model.baseUrl === undefined) return `${model.provider}/${model.model}`
  const service = cloudOf(model.baseUrl)?.[1]
  return service === undefined ? undefined : `${service}/${model.model.replace(/^(?:models|google)\//, '')}`
}
