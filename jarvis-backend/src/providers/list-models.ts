import { firstOf } from 'node-kit/words'
import type { ModelTestReply } from 'protocol'
import { askAboutModel } from './ask-about-model.ts'
import type { ModelServer } from './model-api.ts'
import { modelApis } from './model-apis.ts'

const mostSpoken = 3

/** Lists a server's models for a person who has not chosen one. Costs nothing. @throws only the signal's reason */
export async function listModels(
  server: ModelServer,
  { now, signal }: { now(): number; signal: AbortSignal },
): Promise<ModelTestReply> {
  const begun = now()
  const where = placeOf(server)
  const reply = (verdict: ModelTestReply['verdict'], text: string) => ({ verdict, text, tookMs: now() - begun })
  const answer = await askAboutModel({ ...server, model: '' }, signal)
  switch (answer.kind) {
    case 'key_refused':
      return reply('key_refused', `${where} refuses the key.`)
    case 'unreachable':
      return reply('unreachable', `Cannot reach ${where}: ${answer.why}. Check that it runs, and the address.`)
    case 'refused':
      return reply('refused', answer.text)
    case 'unknown_model':
      if (answer.models.length === 0) return reply('refused', `${where} lists no models. Name the one to ask.`)
      return {
        ...reply('unknown_model', `${where} has ${listed(answer.models)}. Name the one to ask.`),
        models: answer.models,
      }
    case 'served':
    case 'unsure':
      return reply('refused', `${where} does not list its models.${pathHint(server)} Name the one to ask.`)
    default:
      return answer satisfies never
  }
}

export const placeOf = ({ baseUrl }: Pick<ModelServer, 'baseUrl'>): string =>
  baseUrl === undefined ? 'The provider' : new URL(baseUrl).host

/** Returns the first few names, and the number of further ones. */
export const listed = (models: readonly string[]): string => firstOf(models, mostSpoken)

/** Returns a sentence that suggests the usual path of this API, if the address has no path; otherwise an empty string. */
export function pathHint({ kind, baseUrl }: Pick<ModelServer, 'kind' | 'baseUrl'>): string {
  const { usualPath } = modelApis[kind]
  if (usualPath === undefined || baseUrl === undefined || new URL(baseUrl).pathname !== '/') return ''
  return ` Did you mean ${baseUrl.replace(/(?<!\/)\/+$/, '')}${usualPath}?`
}
