import type { ModelBody, ModelProviderInfo, ModelsReply } from 'protocol'
import { useId, useState } from 'react'
import { chooseModel, saveModel } from '../../api/models.ts'
import { keyPlaceholder } from './key-words.ts'
import { useAttempt } from './use-attempt.ts'
import { Verdict, verdictOf } from './verdict.tsx'

const ways = [
  ['https://api.openai.com/v1', 'OpenAI'],
  ['http://127.0.0.1:11434/v1', 'Ollama on this machine'],
  ['http://127.0.0.1:8080/v1', 'llama.cpp on this machine'],
  ['https://openrouter.ai/api/v1', 'OpenRouter'],
] as const
const addresses = { anthropic: 'https://api.anthropic.com', openai: 'https://api.openai.com/v1' }
const ownAddressOf = ({ provider }: ModelProviderInfo) =>
  provider === 'anthropic' ? addresses.anthropic : addresses.openai
const bare = (address: string) => address.trim().replace(/(?<!\/)\/+$/, '')
// If the environment configures the provider, its URL and key come from there. Only the model can be chosen here.
const isSetElsewhere = ({ source }: ModelProviderInfo) => source === 'environment'

/** A form for a model, its URL and its key. The values are tested before they are saved. */
export function ModelForm({ info, onSaved }: { info: ModelProviderInfo; onSaved: (models: ModelsReply) => void }) {
  const { provider } = info
  const isFixed = isSetElsewhere(info)
  const { refused, forget, said, setSaid, isBusy, models, setModels, test, save } = useTested(info, onSaved)
  const take = (form: HTMLFormElement | null, address: string) => {
    const field = form?.elements.namedItem('baseUrl')
    if (field instanceof HTMLInputElement) field.value = address
    setSaid(undefined)
  }
  return (
    <form
      className="form-row model-form"
      aria-label={`Connect ${provider === 'anthropic' ? 'Anthropic' : 'an OpenAI-compatible model'}`}
      onChange={forget}
      onSubmit={(event) => {
        event.preventDefault()
        void save(event.currentTarget)
      }}
    >
      {provider === 'openai' && !isFixed && (
        <Address
          info={info}
          onChange={(field) => {
            setModels([])
            suit(info, field)
          }}
        />
      )}
      <ModelName model={info.model} models={models} />
      {!isFixed && (
        <label className="flex-1">
          Key
          <input
            className="field"
            name="apiKey"
            type="password"
            autoComplete="new-password"
            placeholder={keyPlaceholder(
              info,
              provider === 'anthropic' ? 'sk-ant-…' : 'none needed for a server of your own',
            )}
          />
        </label>
      )}
      {provider === 'anthropic' && !isFixed && <OtherAddress baseUrl={info.baseUrl} />}
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

/** Tests what the form says, and saves it if the test succeeds. `refused`: the values whose last test before saving failed. */
function useTested(info: ModelProviderInfo, onSaved: (models: ModelsReply) => void) {
  const { provider } = info
  const { attempt, ...shown } = useAttempt()
  // Saving the refused values again stores them without a test, because the server may only be off at the moment.
  const [refused, setRefused] = useState<string>()
  const test = (form: HTMLFormElement) => {
    const { model, ...server } = bodyOf(form, info)
    // Without a model name, the server lists its models.
    if (model === '') return attempt(() => verdictOf(provider, server))
    return form.reportValidity() ? attempt(() => verdictOf(provider, { ...server, model })) : undefined
  }
  const save = (form: HTMLFormElement) =>
    attempt(async () => {
      const body = bodyOf(form, info)
      const asIs = JSON.stringify(body)
      if (refused !== asIs) {
        const found = await verdictOf(provider, body)
        if (found.kind === 'bad') {
          if (found.meant === undefined) setRefused(asIs)
          return { ...found, text: `${found.text} Nothing was saved.` }
        }
      }
      onSaved(isSetElsewhere(info) ? await chooseModel(`${provider}/${body.model}`) : await saveModel(provider, body))
      return undefined
    })
  return { ...shown, refused, forget: () => setRefused(undefined), test, save }
}

function bodyOf(form: HTMLFormElement, info: ModelProviderInfo): ModelBody {
  const given = new FormData(form)
  const read = (name: string) => String(given.get(name) ?? '').trim()
  const address = isSetElsewhere(info) ? (info.baseUrl ?? '') : bare(read('baseUrl'))
  return {
    model: read('model'),
    ...(address !== '' && (address !== ownAddressOf(info) || info.baseUrl === address) && { baseUrl: address }),
    ...(read('apiKey') !== '' && { apiKey: read('apiKey') }),
  }
}

/**
 * Removes or restores the suggested model name when the URL changes: the name belongs to the provider's own service, and another server has other
 * names.
 */
function suit(info: ModelProviderInfo, { form, value }: HTMLInputElement): void {
  const field = form?.elements.namedItem('model')
  if (info.source !== 'none' || !(field instanceof HTMLInputElement)) return
  const isOwn = ['', ownAddressOf(info)].includes(bare(value))
  if (isOwn && field.value === '') field.value = info.model
  if (!isOwn && field.value === info.model) field.value = ''
}

function Address({
  info: { baseUrl, keyEnd },
  onChange,
}: {
  info: ModelProviderInfo
  onChange: (field: HTMLInputElement) => void
}) {
  const list = useId()
  return (
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
        onChange={(event) => onChange(event.currentTarget)}
      />
      <datalist id={list}>
        {ways.map(([url, name]) => (
          <option key={url} value={url}>
            {name}
          </option>
        ))}
      </datalist>
    </label>
  )
}

function OtherAddress({ baseUrl }: { baseUrl: string | undefined }) {
  return (
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
  )
}

function ModelName({ model, models }: { model: string; models: readonly string[] }) {
  const names = useId()
  return (
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
  )
}
