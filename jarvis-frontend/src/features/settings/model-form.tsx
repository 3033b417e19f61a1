import type { ModelBody, ModelProviderInfo, ModelsReply } from 'jarvis-backend/protocol'
import { useId, useState } from 'react'
import { ApiError } from '../../api/http.ts'
import { chooseModel, saveModel, testModel } from '../../api/models.ts'
import { duration } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'

export type Said = { kind: 'ok' | 'warn' | 'bad'; text: string }

export const problemOf = (error: unknown): Said => ({
  kind: 'bad',
  text: error instanceof ApiError ? error.message : 'The answer could not be read.',
})

/** Asks the model one tiny question and says what came of it. */
export async function verdictOf(provider: ModelProviderInfo['provider'], body: ModelBody): Promise<Said> {
  try {
    const { verdict, text, tookMs } = await testModel(provider, body)
    if (verdict === 'works') return { kind: 'ok', text: `Works: it answered in ${duration(tookMs)}.` }
    return { kind: verdict === 'busy' ? 'warn' : 'bad', text }
  } catch (error) {
    return problemOf(error)
  }
}

const ways = [
  ['https://api.openai.com/v1', 'OpenAI'],
  ['http://127.0.0.1:11434/v1', 'Ollama on this machine'],
  ['http://127.0.0.1:8080/v1', 'llama.cpp on this machine'],
  ['https://openrouter.ai/api/v1', 'OpenRouter'],
] as const
const own = { anthropic: 'https://api.anthropic.com', openai: 'https://api.openai.com/v1' }

/** Names a model, its address and key; tries them before they are kept. */
export function ModelForm({
  info: { provider, source, model, baseUrl, keyEnd },
  onSaved,
}: {
  info: ModelProviderInfo
  onSaved: (models: ModelsReply) => void
}) {
  const [said, setSaid] = useState<Said>()
  const [isBusy, setBusy] = useState(false)
  // What a save found not to work: asked for again as it stands, it is kept, for the server may only be off now.
  const [refused, setRefused] = useState<string>()
  const list = useId()
  // What the environment names has its address and key there; the model is a choice of its own.
  const isFixed = source === 'environment'
  const bodyOf = (form: HTMLFormElement): ModelBody => {
    const given = new FormData(form)
    const read = (name: string) => String(given.get(name) ?? '').trim()
    const address = isFixed ? (baseUrl ?? '') : read('baseUrl').replace(/\/+$/, '')
    return {
      model: read('model'),
      ...(address !== '' && (address !== own[provider] || baseUrl === address) && { baseUrl: address }),
      ...(read('apiKey') !== '' && { apiKey: read('apiKey') }),
    }
  }
  const attempt = async (work: () => Promise<Said | undefined>) => {
    if (isBusy) return
    setBusy(true)
    setSaid(undefined)
    setSaid(await work().catch(problemOf))
    setBusy(false)
  }
  const save = (form: HTMLFormElement) =>
    attempt(async () => {
      const body = bodyOf(form)
      const asIs = JSON.stringify(body)
      if (refused !== asIs) {
        const found = await verdictOf(provider, body)
        if (found.kind === 'bad') {
          setRefused(asIs)
          return { kind: 'bad', text: `${found.text} Nothing was saved.` }
        }
      }
      onSaved(isFixed ? await chooseModel(`${provider}/${body.model}`) : await saveModel(provider, body))
      return undefined
    })
  return (
    <form
      className="form-row model-form"
      aria-label={`Connect ${provider === 'anthropic' ? 'Anthropic' : 'an OpenAI-compatible model'}`}
      onChange={() => setRefused(undefined)}
      onSubmit={(event) => {
        event.preventDefault()
        void save(event.currentTarget)
      }}
    >
      {provider === 'openai' && !isFixed && (
        <label className="wide">
          Address
          <input
            className="field"
            name="baseUrl"
            list={list}
            inputMode="url"
            autoComplete="off"
            placeholder={own.openai}
            defaultValue={baseUrl ?? (keyEnd === undefined ? '' : own.openai)}
          />
          <datalist id={list}>
            {ways.map(([url, name]) => (
              <option key={url} value={url}>
                {name}
              </option>
            ))}
          </datalist>
        </label>
      )}
      <label className="flex-1">
        Model
        <input className="field" name="model" required maxLength={200} autoComplete="off" defaultValue={model} />
      </label>
      {!isFixed && (
        <label className="flex-1">
          Key
          <input
            className="field"
            name="apiKey"
            type="password"
            autoComplete="new-password"
            placeholder={
              keyEnd !== undefined
                ? `kept, ends in ${keyEnd}`
                : provider === 'anthropic'
                  ? 'sk-ant-…'
                  : 'none needed for a server of your own'
            }
          />
        </label>
      )}
      {provider === 'anthropic' && !isFixed && (
        <details className="wide" open={baseUrl !== undefined}>
          <summary>Another address than Anthropic’s</summary>
          <input
            className="field"
            name="baseUrl"
            aria-label="Address"
            inputMode="url"
            autoComplete="off"
            placeholder={own.anthropic}
            defaultValue={baseUrl}
          />
        </details>
      )}
      <button
        type="button"
        className="button"
        aria-disabled={isBusy}
        onClick={(event) => {
          const { form } = event.currentTarget
          if (form?.reportValidity()) void attempt(() => verdictOf(provider, bodyOf(form)))
        }}
      >
        {isBusy ? 'Asking it' : 'Test'}
      </button>
      <button type="submit" className="button" aria-disabled={isBusy}>
        {refused === undefined ? 'Save and use' : 'Save anyway'}
      </button>
      {said !== undefined && <Verdict said={said} />}
    </form>
  )
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
