import type { ModelProviderInfo, ModelsReply } from 'jarvis-backend/protocol'
import { useState } from 'react'
import { chooseModel, forgetModel, readModels } from '../../api/models.ts'
import { useStatus } from '../../api/status.ts'
import { useLoad } from '../../api/use-load.ts'
import { say } from '../../app/announce.tsx'
import { Problem, Resting, Skeletons } from '../../app/load-state.tsx'
import { ModelForm } from '../../features/settings/model-form.tsx'
import { problemOf, type Said, Verdict, verdictOf } from '../../features/settings/verdict.tsx'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Section, useRights } from './section.tsx'

const names: Readonly<Record<string, string>> = { anthropic: 'Anthropic', openai: 'OpenAI-compatible' }

export function Models() {
  const { isOperator, isLive, isResting } = useRights()
  const status = useStatus()
  const part = status?.parts?.find(({ name }) => name === 'Model')
  const { data, problem, again, put } = useLoad(
    isOperator ? 'models' : 'none',
    () => (isOperator ? readModels() : Promise.resolve(undefined)),
    ['connect', 'settings'],
  )
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
          {data?.providers
            .filter(({ provider }) => Object.hasOwn(names, provider))
            .map((info) => (
              <Provider
                key={info.provider}
                info={info}
                isInUse={data.inUse.startsWith(`${info.provider}/`)}
                isFixed={data.isFixed}
                isResting={isResting}
                seen={part?.text}
                onUsed={used}
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
      <Resting isOperator={isOperator} isLive={isLive} />
    </Section>
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

function Provider({
  info,
  isInUse,
  isFixed,
  isResting,
  seen,
  onUsed,
}: {
  info: ModelProviderInfo
  isInUse: boolean
  isFixed: boolean
  isResting: boolean
  seen: string | undefined
  onUsed: (models: ModelsReply) => void
}) {
  const { provider, source, model, baseUrl, keyEnd } = info
  const [isOpen, setOpen] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const [said, setSaid] = useState<Said>()
  const [isBusy, setBusy] = useState(false)
  const name = names[provider] ?? provider
  const isThere = source !== 'none'
  const attempt = async (work: () => Promise<Said | undefined>) => {
    if (isBusy || isResting) return
    setBusy(true)
    setSaid(undefined)
    setSaid(await work().catch(problemOf))
    setBusy(false)
  }
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
  const facts = [
    ...(baseUrl === undefined ? [] : [baseUrl]),
    ...(keyEnd === undefined ? ['no key'] : [keyEnd === '' ? 'key kept' : `key ends in ${keyEnd}`]),
    ...(source === 'environment' ? ['set in the environment'] : []),
  ]
  return (
    <li>
      <Mark
        kind={isInUse ? 'running' : isThere ? 'stopped' : 'none'}
        size={11}
        label={isInUse ? 'in use:' : isThere ? 'not in use:' : 'not connected:'}
      />
      <span>
        {name}
        <small>{isInUse ? 'in use' : isThere ? 'connected' : 'not connected'}</small>
      </span>
      <span className="text-soft">
        {isThere ? (
          <>
            <Visible text={model} />
            <small>
              <Visible text={facts.join(', ')} />
            </small>
            {isInUse && seen !== undefined && (
              <small>
                <Visible text={seen} />
              </small>
            )}
          </>
        ) : provider === 'anthropic' ? (
          'Claude, with a key from console.anthropic.com'
        ) : (
          'OpenAI, or Ollama, llama.cpp, vLLM, OpenRouter: whatever speaks Chat Completions'
        )}
      </span>
      <span className="two-acts">
        {isAsking ? (
          <>
            {act(
              `Forget its key`,
              `Forget the key of ${name}`,
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
            {isThere &&
              act(
                'Test',
                `Test ${name}`,
                () => void attempt(() => verdictOf(provider, { model, ...(baseUrl !== undefined && { baseUrl }) })),
              )}
            {isThere &&
              !isInUse &&
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
            {!isFixed && (
              <button
                type="button"
                className="button small quiet"
                aria-label={`${isThere ? 'Change' : 'Connect'} ${name}…`}
                aria-expanded={isOpen}
                aria-disabled={isResting}
                onClick={() => setOpen(!isOpen && !isResting)}
              >
                {isThere ? 'Change…' : 'Connect…'}
              </button>
            )}
            {source === 'settings' && act('Forget…', `Forget ${name}…`, () => setAsking(true))}
          </>
        )}
      </span>
      {said !== undefined && <Verdict said={said} />}
      {isOpen && (
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
