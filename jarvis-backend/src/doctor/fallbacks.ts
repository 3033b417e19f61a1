import type { ModelFallback, ModelProvider } from 'protocol'
import { idOf, type ModelConfig } from '../config/model.ts'
import { isAtHome, isCloud } from '../providers/index.ts'

/**
 * Returns true if a conversation with one model may go on with another. From a model that may run at home it goes to a model elsewhere only if the
 * operator consented to exactly these two.
 */
export const mayFollow = (from: ModelConfig, to: ModelConfig, consented: readonly string[] = []): boolean =>
  to.kind !== 'demo' && (isCloud(from) || isAtHome(to) || consented.includes(idOf(to)))

/** Returns the first reason why fallbacks cannot be used; undefined: they can. */
export function fallbackFault(fallbacks: readonly ModelFallback[], models: readonly ModelConfig[]): string | undefined {
  const find = (id: string) => models.find((model) => idOf(model) === id)
  const unknown = (id: string) => `${id} is not configured. There are: ${models.map(idOf).join(', ')}.`
  const seen = new Set<string>()
  for (const { model: id, then, consented } of fallbacks) {
    const from = find(id)
    if (from === undefined) return unknown(id)
    if (from.kind === 'demo') return 'The demo never fails, so nothing answers in its place.'
    if (seen.has(id)) return `${id} is named twice.`
    seen.add(id)
    if (new Set([id, ...then]).size <= then.length) return `${id} names one model twice.`
    const stray = consented?.find((one) => !then.includes(one))
    if (stray !== undefined) return `${stray} is consented to, and does not follow ${id}.`
    for (const other of then) {
      const to = find(other)
      if (to === undefined) return unknown(other)
      if (to.kind === 'demo') return 'The demo cannot answer in the place of another model.'
      if (!mayFollow(from, to, consented))
        return `${id} may run at home, and ${other} is elsewhere: what was said to ${id} would leave your network. Consent to ${other} to allow it.`
    }
  }
  return undefined
}

/** Returns fallbacks without consent to a provider's models. Consent holds for one address, so a provider at a new address needs it again. */
export const withoutConsent = (fallbacks: readonly ModelFallback[], provider: ModelProvider): ModelFallback[] =>
  fallbacks.map(({ consented = [], ...fallback }) => {
    const left = consented.filter((id) => !id.startsWith(`${provider}/`))
    return left.length === 0 ? fallback : { ...fallback, consented: left }
  })

/** Returns fallbacks without the models of a removed provider. */
export const withoutProvider = (fallbacks: readonly ModelFallback[], provider: ModelProvider): ModelFallback[] =>
  fallbacks.flatMap((fallback) => {
    const isOf = (id: string) => id.startsWith(`${provider}/`)
    const then = fallback.then.filter((id) => !isOf(id))
    if (isOf(fallback.model) || then.length === 0) return []
    const consented = fallback.consented?.filter((id) => !isOf(id))
    return [{ ...fallback, then, ...(consented && { consented }) }]
  })
