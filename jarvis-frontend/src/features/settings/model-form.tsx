import type { ModelBody, ModelProviderInfo, ModelsReply } from 'protocol'
import { useId, useState } from 'react'
import { chooseModel, saveModel } from '../../api/models.ts'
import { problemOf, type Said, Verdict, verdictOf } from './verdict.tsx'

const ways = [
  ['https://api.openai.com/v1', 'OpenAI'],
  ['http://127.0.0.1:11434/v1', 'Ollama on this machine'],
  ['http://127.0.0.1:8080/v1', 'llama.cpp on this machine'],
  ['https://openrouter.ai/api/v1', 'OpenRouter'],
] as const
const addresses = { anthropic: 'https://api.anthropic.com', openai: 'https://api.openai.com/v1' }

/** A form for a model, its URL and its key. The values are tested before they are saved. */
export function ModelForm({
  info: { provider, source, model, baseUrl, keyEnd },
  onSaved,
}: {
  info: ModelProviderInfo
  onSaved: (models: ModelsReply) => void
}) {
  const [said, setSaid] = useState<Said>()
  const [isBusy, setBusy] = useState(false)
  // The values whose last test before saving failed. Saving the same values again stores them without a test, because the server may only be off at
  // the moment.
  const [refused, setRefused] = useState<string>()
  const ownAddress = provider === 'anthropic' ? addresses.anthropic : addresses.openai
  const list = useId()
  const names = useId()
  const [models, setModels] = useState<readonly string[]>([])
  // If the environment configures the provider, its URL and key come from there. Only the model can be chosen here.
  const isFixed = source === 'environment'
  const bodyOf = (form: HTMLFormElement): ModelBody => {
    const given = new FormData(form)
    const read = (name: string) => String(given.get(name) ?? '').trim()
    const address = isFixed ? (baseUrl ?? '') : read('baseUrl').replace(/(?<!\/)\/+$/, '')
    return {
      model: read('model'),
      ...(address !== '' && (address !== ownAddress || baseUrl === address) && { baseUrl: address }),
      ...(read('apiKey') !== '' && { apiKey: read('apiKey') }),
    }
  }
  const attempt = async (work: () => Promise<Said | undefined>) => {
    if (isBusy) return
    setBusy(true)
    setSaid(undefined)
    const came = await work().catch(problemOf)
    if (came?.models !== undefined) setModels(came.models)
    setSaid(came)
    setBusy(false)
  }
  const test = (form: HTMLFormElement) => {
    const { model, ...server } = bodyOf(form)
    // Without a model name, the server lists its models.
    if (model === '') return attempt(() => verdictOf(provider, server))
    return form.reportValidity() ? attempt(() => verdictOf(provider, { ...server, model })) : undefined
  }
  const take = (form: HTMLFormElement | null, address: string) => {
    const field = form?.elements.namedItem('baseUrl')
    if (field instanceof HTMLInputElement) field.value = address
    setSaid(undefined)
  }
  /**
   * Removes or restores the suggested model name when the URL changes: the name belongs to the provider's own service, and another server has other
   * names.
   */
  const suit = ({ form, value }: HTMLInputElement) => {
    setModels([])
    const field = form?.elements.namedItem('model')
    if (source !== 'none' || !(field instanceof HTMLInputElement)) return
    const isOwn = ['', ownAddress].includes(value.trim().replace(/(?<!\/)\/+$/, ''))
    if (isOwn && field.value === '') field.value = model
    if (!isOwn && field.value === model) field.value = ''
  }
  const save = (form: HTMLFormElement) =>
    attempt(async () => {
      const body = bodyOf(form)
      const asIs = JSON.stringify(body)
      if (refused !== asIs) {
        const found = await verdictOf(provider, body)
        if (found.kind === 'bad') {
          if (found.meant === undefined) setRefused(asIs)
          return { ...found, text: `${found.text} Nothing was saved.` }
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
            placeholder={addresses.openai}
            defaultValue={baseUrl ?? (keyEnd === undefined ? '' : addresses.openai)}
            onChange={(event) => suit(event.currentTarget)}
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
        <input
          className="field"
          name="model"
          required
          maxLength={200}
          list={names}
          autoComplete="off"
          placeholder="as the server names it"
          defaultValue={model}
        />
        <datalist id={names}>
          {models.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
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
            placeholder={addresses.anthropic}
            defaultValue={baseUrl}
          />
        </details>
      )}
      <button
        type="button"
        className="button"
        aria-disabled={isBusy}
        onClick={({ currentTarget: { form } }) => form && void test(form)}
      >
        {isBusy ? 'Asking it' : 'Test the model'}
      </button>
      <button type="submit" className="button" aria-disabled={isBusy}>
        {refused === undefined ? 'Save and use it' : 'Save it anyway'}
      </button>
      {said !== undefined && <Verdict said={said} />}
      {said?.meant !== undefined && (
        <button
          type="button"
          className="button small"
          onClick={({ currentTarget: { form } }) => take(form, said.meant ?? '')}
        >
          Use {said.meant}
        </button>
      )}
    </form>
  )
}
