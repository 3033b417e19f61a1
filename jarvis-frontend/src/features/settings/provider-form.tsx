import type { ModelKind, ModelPreset, ModelProviderInfo, ModelsReply, ProviderBody } from 'protocol'
import { modelApiTitles } from 'protocol/model-apis'
import { useEffect, useId, useState } from 'react'
import { chooseModel, readPresets, saveModel } from '../../api/models.ts'
import { keyPlaceholder } from './key-words.ts'
import { useAttempt } from './use-attempt.ts'
import { problemOf, Verdict, verdictOf } from './verdict.tsx'

/** The default API. */
const usualKind: ModelKind = 'openai-chat'

/** A form that creates a provider, on request from a preset, or changes an existing one. */
export function ProviderForm({
  info,
  taken,
  isFixed,
  onSaved,
}: {
  info?: ModelProviderInfo
  /** Names of the existing providers. */
  taken: readonly string[]
  /** True if the environment sets the model that answers, so that the model cannot be chosen here. */
  isFixed: boolean
  onSaved: (models: ModelsReply, isUsed: boolean) => void
}) {
  const [presets, setPresets] = useState<readonly ModelPreset[]>([])
  const [preset, setPreset] = useState<ModelPreset>()
  const { said, setSaid, isBusy, models, setModels, attempt } = useAttempt()
  useEffect(() => {
    if (info !== undefined) return
    void readPresets().then(
      ({ presets: found }) => setPresets(found),
      (error) => setSaid(problemOf(error)),
    )
  }, [info, setSaid])
  const begin = (form: HTMLFormElement, chosen: ModelPreset | undefined) => {
    setPreset(chosen)
    setSaid(undefined)
    setModels([])
    if (chosen === undefined) return
    const set = (name: string, value: string) => {
      const field = form.elements.namedItem(name)
      if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = value
    }
    set('name', freeName(chosen.id, taken))
    set('kind', chosen.kind)
    set('baseUrl', chosen.baseUrl)
    set('models', '')
  }
  const test = (form: HTMLFormElement) =>
    attempt(() => {
      const { name, body } = read(form)
      const { models: [model] = [], ...server } = body
      return verdictOf(name, { ...server, model })
    })
  const save = (form: HTMLFormElement, isUsed: boolean) =>
    attempt(async () => {
      const { name, body } = read(form)
      const saved = await saveModel(name, body)
      onSaved(isUsed ? await chooseModel(`${name}/${body.models[0]}`) : saved, isUsed)
      return undefined
    })
  const read = (form: HTMLFormElement) => formOf(form, info)
  return (
    <form
      className="form-row model-form"
      aria-label={info === undefined ? 'Add a provider' : `Change ${info.provider}`}
      onSubmit={(event) => {
        event.preventDefault()
        const { submitter } = event.nativeEvent as SubmitEvent
        void save(event.currentTarget, submitter?.getAttribute('value') === 'use')
      }}
    >
      {info === undefined && <Service presets={presets} onChosen={begin} />}
      <Server info={info} preset={preset} models={models} />
      <KeyAndHeaders info={info} preset={preset} />
      {preset?.note !== undefined && <p className="wide">{preset.note}</p>}
      <button
        type="button"
        className="button"
        aria-disabled={isBusy}
        onClick={({ currentTarget: { form } }) => form && void test(form)}
      >
        {isBusy ? 'Asking it' : 'Test the model'}
      </button>
      <button type="submit" className="button" value="save" aria-disabled={isBusy}>
        Save it
      </button>
      {!isFixed && (
        <button type="submit" className="button" value="use" aria-disabled={isBusy}>
          Save and use it
        </button>
      )}
      {said !== undefined && <Verdict said={said} />}
    </form>
  )
}

function Service({
  presets,
  onChosen,
}: {
  presets: readonly ModelPreset[]
  onChosen: (form: HTMLFormElement, preset: ModelPreset | undefined) => void
}) {
  return (
    <>
      <label className="flex-1">
        Service
        <select
          className="field"
          name="preset"
          onChange={({ currentTarget: { form, value } }) =>
            form &&
            onChosen(
              form,
              presets.find(({ id }) => id === value),
            )
          }
        >
          <option value="">Another one</option>
          {presets.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label className="flex-1">
        Name
        <input
          className="field"
          name="name"
          required
          pattern="[a-z][a-z0-9\-]{0,31}"
          title="small letters, digits and dashes; it begins with a letter"
          autoComplete="off"
          placeholder="such as gpu"
        />
      </label>
    </>
  )
}

type Shown = { info: ModelProviderInfo | undefined; preset: ModelPreset | undefined }

/** The fields of the API, the URL and the models. */
function Server({ info, preset, models }: Shown & { models: readonly string[] }) {
  const names = useId()
  return (
    <>
      <label className="flex-1">
        API
        <select className="field" name="kind" defaultValue={info?.kind ?? usualKind}>
          {Object.entries(modelApiTitles).map(([kind, title]) => (
            <option key={kind} value={kind}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label className="wide">
        Address
        <input
          className="field"
          name="baseUrl"
          required
          inputMode="url"
          autoComplete="off"
          placeholder="http://127.0.0.1:11434/v1"
          defaultValue={info?.baseUrl}
        />
      </label>
      <label className="flex-1">
        Models
        <input
          className="field"
          name="models"
          required
          list={names}
          autoComplete="off"
          placeholder={preset === undefined ? 'as the server names them, with commas' : `such as ${preset.example}`}
          defaultValue={info?.models?.join(', ')}
        />
        <datalist id={names}>
          {models.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
    </>
  )
}

function KeyAndHeaders({ info, preset }: Shown) {
  const help = useId()
  return (
    <>
      <label className="flex-1">
        Key
        <input
          className="field"
          name="apiKey"
          type="password"
          autoComplete="new-password"
          aria-describedby={help}
          placeholder={keyPlaceholder(
            info ?? {},
            preset?.key === 'needed' ? 'needed' : 'none needed for a server of your own',
          )}
        />
      </label>
      <small className="wide" id={help}>
        Also taken: an access key of AWS as <code>ID:SECRET</code>, the JSON of a Google service account, or{' '}
        <code>${'{NAME}'}</code> for a variable.
      </small>
      <details className="wide" open={info?.headers !== undefined}>
        <summary>Headers of each request</summary>
        <textarea
          className="field"
          name="headers"
          aria-label="Headers"
          rows={2}
          spellCheck={false}
          placeholder={info?.headers === undefined ? 'Name: value, a line each' : `kept: ${info.headers.join(', ')}`}
        />
      </details>
    </>
  )
}

function freeName(id: string, taken: readonly string[]): string {
  // The names `openai` and `anthropic` are reserved for providers from the environment variables.
  const wanted = id === 'openai' ? 'openai-own' : id
  for (let at = 1; ; at++) {
    const name = at === 1 ? wanted : `${wanted}-${at}`
    if (!taken.includes(name)) return name
  }
}

/** @throws Error for a line of the headers that is not `Name: value` */
function formOf(form: HTMLFormElement, info: ModelProviderInfo | undefined): { name: string; body: ProviderBody } {
  const given = new FormData(form)
  const read = (name: string) => String(given.get(name) ?? '').trim()
  const headers = read('headers')
    .split('\n')
    .flatMap((line) => {
      const at = line.indexOf(':')
      return line.trim() === ''
        ? []
        : [[line.slice(0, at < 0 ? undefined : at).trim(), at < 0 ? '' : line.slice(at + 1).trim()]]
    })
  return {
    name: info?.provider ?? read('name'),
    body: {
      kind: read('kind') as ModelKind,
      baseUrl: read('baseUrl').replace(/(?<!\/)\/+$/, ''),
      models: read('models')
        .split(',')
        .map((model) => model.trim())
        .filter((model) => model !== ''),
      ...(read('apiKey') !== '' && { apiKey: read('apiKey') }),
      ...(headers.length > 0 && { headers: Object.fromEntries(headers) as Record<string, string> }),
    },
  }
}
