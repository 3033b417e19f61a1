import type { ModelProviderInfo, ModelTestBody } from 'protocol'
import { ApiError } from 'protocol/client'
import { testModel } from '../../api/models.ts'
import { duration } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { meantAddress } from './address.ts'

/** The result of a test. `models`: models that the server lists. `meant`: the URL that the person probably meant. */
export type Said = { kind: 'ok' | 'warn' | 'bad'; text: string; models?: readonly string[]; meant?: string }

export const problemOf = (error: unknown): Said => ({
  kind: 'bad',
  text: error instanceof ApiError ? error.message : 'The answer could not be read.',
})

/** Sends the model a tiny question and returns the result in words. Without a model name, lists the models. */
export async function verdictOf(provider: ModelProviderInfo['provider'], body: ModelTestBody): Promise<Said> {
  const meant = body.baseUrl === undefined ? undefined : meantAddress(body.baseUrl)
  if (meant !== undefined) return { kind: 'bad', text: 'The address must begin with http:// or https://.', meant }
  try {
    const { verdict, text, models, tookMs } = await testModel(provider, body)
    if (verdict === 'works') return { kind: 'ok', text: `Works: it answered in ${duration(tookMs)}.` }
    const isOnlyUnnamed = body.model === undefined && models !== undefined
    return {
      kind: verdict === 'busy' || isOnlyUnnamed ? 'warn' : 'bad',
      text,
      models,
    }
  } catch (error) {
    return problemOf(error)
  }
}

export function Verdict({ said: { kind, text } }: { said: Said }) {
  return (
    <p className="form-problem" role="status">
      <Mark kind={kind} size={11} />{' '}
      <span>
        <Visible text={text} />
      </span>
    </p>
  )
}
