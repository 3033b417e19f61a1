import type { ModelFacts, ModelProviderInfo, ModelsReply } from 'protocol'
import { modelWords } from 'protocol/facts'
import { useState } from 'react'
import { chooseModel, forgetModel, readModels } from '../../api/models.ts'
import { useStatus } from '../../api/status.ts'
import { useLoad } from '../../api/use-load.ts'
import { say } from '../../app/announce.tsx'
import { later } from '../../app/later.tsx'
import { Problem, Resting, Skeletons } from '../../app/load-state.tsx'
import { keyWords } from '../../features/settings/key-words.ts'
import { ModelForm } from '../../features/settings/model-form.tsx'
import { useAttempt } from '../../features/settings/use-attempt.ts'
import { problemOf, type Said, Verdict, verdictOf } from '../../features/settings/verdict.tsx'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Section, useRights } from './section.tsx'

const ProviderForm = later(() => import('../../features/settings/provider-form.tsx').then((part) => part.ProviderForm))
const Fallbacks = later(() => import('../../features/settings/fallbacks.tsx').then((part) => part.Fallbacks))
const names: Readonly<Record<string, string>> = { anthropic: 'Anthropic', openai: 'OpenAI-compatible' }

const nameOf = ({ provider }: ModelProviderInfo) => names[provider] ?? provider

export function Models() {
  const { isOperator, isLive, isResting } = useRights()
  const status = useStatus()
  const part = status?.parts?.find(({ name }) => name === 'Model')
  const { data, problem, again, put } = useLoad('models', isOperator ? readModels : undefined, ['connect', 'settings'])
  const used = (models: ModelsReply) => {
    put(models)
    say(`${models.inUse} answers from here on.`)
  }
  const isDemo = data?.inUse === 'demo'
  return (
    <Section id="models" title="Models">
      <p>
        What answers you. A key is kept on the machine JARVIS runs on and never shown again; what you save counts from
        the next message on.
      </p>
      {isOperator && <Problem error={problem} onAgain={again} kept={data !== undefined} />}
      {data?.isFixed === true && (
        <p>
          <code>JARVIS_MODEL</code> is set in the environment or <code>.env</code>: another can be chosen only there.
        </p>
      )}
      {isOperator && data === undefined ? (
        problem === undefined && <Skeletons rows={3} height={46} />
      ) : (
        <ul className="fact-list models" aria-label="Models">
          {data?.providers.map((info) => (
            <Provider
              key={info.provider}
              info={info}
              isInUse={data.inUse.startsWith(`${info.provider}/`)}
              inUse={data.inUse}
              known={data.facts}
              isFixed={data.isFixed}
              isResting={isResting}
              seen={part?.text}
              onUsed={used}
              onSaved={put}
            />
          ))}
          {data === undefined && status !== undefined && (
            <li>
              <Mark kind={part?.health ?? 'unknown'} size={11} label={part?.health ?? 'not known'} />
              <span>
                {status.isDemoModel ? 'demo' : status.model.split('/')[0]}
                <small>in use</small>
              </span>
              <span className="text-soft">
                <Visible text={status.model} />
                <small>{part?.text}</small>
              </span>
            </li>
          )}
          {data !== undefined && (
            <Demo isInUse={isDemo} canUse={!isDemo && !data.isFixed && !isResting} onUsed={used} />
          )}
        </ul>
      )}
      {data !== undefined && (
        <More models={data} all={status?.models ?? []} isResting={isResting} onSaved={put} onUsed={used} />
      )}
      <Resting who="owner" isOperator={isOperator} isLive={isLive} />
    </Section>
  )
}

/** Settings that few people need: further providers, and the models that answer if a model fails. */
function More({
  models,
  all,
  isResting,
  onSaved,
  onUsed,
}: {
  models: ModelsReply
  all: readonly string[]
  isResting: boolean
  onSaved: (models: ModelsReply) => void
  onUsed: (models: ModelsReply) => void
}) {
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <button
        type="button"
        className="button small add-provider"
        aria-expanded={isAdding}
        aria-disabled={isResting}
        onClick={() => setAdding(!isAdding && !isResting)}
      >
        Add a provider…
      </button>
      {isAdding && (
        <ProviderForm
          taken={models.providers.map(({ provider }) => provider)}
          isFixed={models.isFixed}
          onSaved={(saved, isUsed) => {
            setAdding(false)
            if (isUsed) onUsed(saved)
            else onSaved(saved)
          }}
        />
      )}
      <Fallbacks fallbacks={models.fallbacks} models={all} isResting={isResting} onSaved={onSaved} />
      <p>
        Plans of Claude and GitHub Copilot cannot be used: Anthropic lets no other program sign in with its plans, and
        Copilot’s SDK runs tools of its own past JARVIS’s gate. Use a key.
      </p>
    </>
  )
}

function Demo({
  isInUse,
  canUse,
  onUsed,
}: {
  isInUse: boolean
  canUse: boolean
  onUsed: (models: ModelsReply) => void
}) {
  const [said, setSaid] = useState<Said>()
  return (
    <li>
      <Mark kind={isInUse ? 'running' : 'stopped'} size={11} label={isInUse ? 'in use:' : 'not in use:'} />
      <span>
        Demo
        <small>{isInUse ? 'in use' : 'built in'}</small>
      </span>
      <span className="text-soft">scripted, works without a key</span>
      {canUse && (
        <button
          type="button"
          className="button small quiet"
          aria-label="Use the demo"
          onClick={() => void chooseModel('demo').then(onUsed, (error) => setSaid(problemOf(error)))}
        >
          Use
        </button>
      )}
      {said !== undefined && <Verdict said={said} />}
    </li>
  )
}

type Row = {
  info: ModelProviderInfo
  isInUse: boolean
  /** The id of the model that answers. */
  inUse: string
  known: Readonly<Record<string, ModelFacts>>
  isFixed: boolean
  isResting: boolean
  seen: string | undefined
  onUsed: (models: ModelsReply) => void
  onSaved: (models: ModelsReply) => void
}

function Provider(row: Row) {
  const { info, isInUse, inUse, isFixed, isResting, onUsed, onSaved } = row
  const { provider, source, models = [] } = info
  const [chosen, setChosen] = useState<string>()
  // Show the model in use first. The person can choose another one.
  const usual = models.find((one) => `${provider}/${one}` === inUse) ?? info.model
  const model = chosen !== undefined && models.includes(chosen) ? chosen : usual
  const [isOpen, setOpen] = useState(false)
  const { said, isBusy, attempt } = useAttempt(isResting)
  const isThere = source !== 'none'
  const isNamed = info.models !== undefined
  return (
    <li>
      <Mark
        kind={isInUse ? 'running' : isThere ? 'stopped' : 'none'}
        size={11}
        label={isInUse ? 'in use:' : isThere ? 'not in use:' : 'not connected:'}
      />
      <span>
        {nameOf(info)}
        <small>{isInUse ? 'in use' : isThere ? 'connected' : 'not connected'}</small>
      </span>
      <span className="text-soft">
        {isThere ? (
          <Facts row={row} model={model} onChosen={setChosen} />
        ) : provider === 'anthropic' ? (
          'Claude, with a key from console.anthropic.com'
        ) : (
          'OpenAI, or Ollama, llama.cpp, vLLM, OpenRouter: whatever speaks Chat Completions'
        )}
      </span>
      <span className="two-acts">
        <Acts
          row={row}
          model={model}
          isBusy={isBusy}
          attempt={attempt}
          isOpen={isOpen}
          onToggle={() => setOpen(!isOpen && !isResting)}
        />
      </span>
      {said !== undefined && <Verdict said={said} />}
      {isOpen && isNamed && (
        <ProviderForm
          info={info}
          taken={[]}
          isFixed={isFixed}
          onSaved={(saved, isUsedNow) => {
            setOpen(false)
            if (isUsedNow) onUsed(saved)
            else onSaved(saved)
          }}
        />
      )}
      {isOpen && !isNamed && (
        <ModelForm
          info={info}
          onSaved={(models) => {
            setOpen(false)
            onUsed(models)
          }}
        />
      )}
    </li>
  )
}

/** The model of a provider that is connected, or the choice between its models, and what is known of both. */
function Facts({
  row: { info, isInUse, known, seen },
  model,
  onChosen,
}: {
  row: Row
  model: string
  onChosen: (model: string) => void
}) {
  const { provider, source, baseUrl, models = [], headers = [], leftOut = [] } = info
  const name = nameOf(info)
  const facts = [
    ...(baseUrl === undefined ? [] : [baseUrl]),
    keyWords(info),
    ...(headers.length > 0 ? [`headers ${headers.join(', ')}`] : []),
    ...(source === 'environment' ? ['set in the environment'] : []),
  ]
  return (
    <>
      {models.length > 1 ? (
        <select
          className="field"
          aria-label={`Model of ${name}`}
          value={model}
          onChange={({ currentTarget }) => onChosen(currentTarget.value)}
        >
          {models.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      ) : (
        <Visible text={model} />
      )}
      <small>
        <Visible text={facts.join(', ')} />
      </small>
      {leftOut.map(({ tool, why }) => (
        <small key={tool}>
          <Visible text={`Without ${tool}: ${why}`} />
        </small>
      ))}
      <small>{modelWords(known[`${provider}/${model}`] ?? {})}</small>
      {isInUse && seen !== undefined && (
        <small>
          <Visible text={seen} />
        </small>
      )}
    </>
  )
}

/** The buttons of a provider. `Forget` asks once more before it acts. */
function Acts({
  row: { info, isInUse, inUse, isFixed, isResting, onUsed },
  model,
  isBusy,
  attempt,
  isOpen,
  onToggle,
}: {
  row: Row
  model: string
  isBusy: boolean
  attempt: ReturnType<typeof useAttempt>['attempt']
  isOpen: boolean
  onToggle: () => void
}) {
  const { provider, kind, source, baseUrl, models = [] } = info
  const isUsed = models.length > 1 ? inUse === `${provider}/${model}` : isInUse
  const [isAsking, setAsking] = useState(false)
  const name = nameOf(info)
  const isThere = source !== 'none'
  const isNamed = info.models !== undefined
  const act = (words: string, label: string, work: () => void) => (
    <button
      type="button"
      className="button small quiet"
      aria-label={label}
      aria-disabled={isBusy || isResting}
      onClick={work}
    >
      {words}
    </button>
  )
  return isAsking ? (
    <>
      {act(
        isNamed ? 'Remove it' : 'Forget its key',
        isNamed ? `Remove ${name} with its key` : `Forget the key of ${name}`,
        () =>
          void attempt(async () => {
            onUsed(await forgetModel(provider))
            setAsking(false)
            return undefined
          }),
      )}
      {act('Keep', `Keep ${name}`, () => setAsking(false))}
    </>
  ) : (
    <>
      {isThere && act('Test', `Test ${name}`, () => void attempt(() => verdictOf(provider, { kind, model, baseUrl })))}
      {isThere &&
        !isUsed &&
        !isFixed &&
        act(
          'Use',
          `Use ${name}`,
          () =>
            void attempt(async () => {
              onUsed(await chooseModel(`${provider}/${model}`))
              return undefined
            }),
        )}
      {(!isFixed || isNamed) && (
        <button
          type="button"
          className="button small quiet"
          aria-label={`${isThere ? 'Change' : 'Connect'} ${name}…`}
          aria-expanded={isOpen}
          aria-disabled={isResting}
          onClick={onToggle}
        >
          {isThere ? 'Change…' : 'Connect…'}
        </button>
      )}
      {source === 'settings' &&
        act(isNamed ? 'Remove…' : 'Forget…', `${isNamed ? 'Remove' : 'Forget'} ${name}…`, () => setAsking(true))}
    </>
  )
}
