import type { ModelTestReply } from 'protocol'
import { ModelError } from '../agent/model.ts'
import { askAboutModel } from './ask-about-model.ts'
import { listed, pathHint, placeOf } from './list-models.ts'
import type { ModelServer } from './model-api.ts'
import { servedModel } from './served-model.ts'
import { withoutSettings } from './settings-names.ts'

export type Tried = ModelServer & { model: string }

const patienceMs = 30_000
/** Token limit of the test; a reasoning model may use all of it for thinking. */
const mostTokens = 64

/** Asks the model one short question, which costs a few tokens. @throws only the signal's reason */
export async function tryModel(
  tried: Tried,
  { now, signal }: { now(): number; signal: AbortSignal },
): Promise<ModelTestReply> {
  const model = servedModel({ ...tried, maxTokens: mostTokens, idleTimeoutMs: patienceMs })
  const late = AbortSignal.timeout(patienceMs)
  const begun = now()
  const reply = (verdict: ModelTestReply['verdict'], text: string): ModelTestReply => ({
    verdict,
    // The places of settings are removed, because the reader sees a form.
    text: withoutSettings(text),
    tookMs: now() - begun,
  })
  try {
    await model.generate(
      {
        system: '',
        messages: [{ role: 'user', results: [], text: 'Reply with the one word: ready' }],
        tools: [],
        mayCallTools: false,
      },
      { text: () => {}, thinking: () => {} },
      AbortSignal.any([signal, late]),
    )
    return reply('works', `${tried.model} answers.`)
  } catch (error) {
    signal.throwIfAborted()
    const where = placeOf(tried)
    if (late.aborted) return reply('unreachable', `${where} gave no answer within ${patienceMs / 1000} s.`)
    if (!(error instanceof ModelError)) throw error
    switch (error.code) {
      case 'model_auth':
        if (error.because !== 'key' && error.because !== 'forbidden') return reply('refused', error.message)
        return reply('key_refused', `${where} refuses the key.`)
      case 'model_unreachable':
      case 'model_timeout':
      case 'model_stream_broken':
      case 'model_mute':
        return reply('unreachable', error.message)
      case 'model_rate_limited':
      case 'model_overloaded':
        return reply('busy', error.message)
      case 'model_quota':
        return reply('refused', error.message)
      case 'model_unfit':
      case 'model_bad_request': {
        // Servers report an unknown model in many ways. Their list of models has one form, so the list decides.
        const answer = await askAboutModel(tried, signal)
        if (answer.kind === 'key_refused') return reply('key_refused', `${where} refuses the key.`)
        if (answer.kind === 'refused') return reply('refused', answer.text)
        if (answer.kind !== 'unknown_model') return reply('refused', `${error.message}${pathHint(tried)}`)
        const { models } = answer
        const others = models.length === 0 ? '' : ` It has ${listed(models)}.`
        return {
          ...reply('unknown_model', `${where} has no model named ${tried.model}.${others}`),
          ...(models.length > 0 && { models }),
        }
      }
      default:
        return error.code satisfies never
    }
  }
}
