import type { Effort } from 'protocol'
import { useState } from 'react'
import { setSessionEffort, setSessionModel } from '../../api/session-acts.ts'
import { sessions } from '../../api/sessions.ts'
import { useEscape } from '../../lib/use-escape.ts'
import './model-choice.css'

type Props = {
  /** Undefined: a new chat. The model is then sent with its first message. */
  sessionId: string | undefined
  /** The configured models. The model in use is first. */
  models: readonly string[]
  chosen: string | undefined
  /** The effort of the session; undefined: the effort of the settings. */
  effort: Effort | undefined
  onChosen: (model: string | undefined) => void
  onClose: () => void
}

/** Chooses the model that answers in this session. */
export function ModelChoice({ sessionId, models, chosen, effort, onChosen, onClose }: Props) {
  const [problem, setProblem] = useState<string>()
  const close = () => {
    onClose()
    document.getElementById('composer')?.focus()
  }
  useEscape(close)
  const choose = (model: string | undefined) =>
    done(async () => {
      if (sessionId !== undefined) await setSessionModel(sessionId, model)
      onChosen(model)
    })
  const done = async (work: () => Promise<unknown>) => {
    try {
      await work()
      sessions.renew()
      close()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'It could not be chosen.')
    }
  }
  return (
    <fieldset className="strip model-choice">
      <legend>
        {problem ?? (models.length > 1 ? 'From the next message on this session is answered by' : onlyOne)}
      </legend>
      {models.map((id, at) => {
        const isChosen = id === (chosen ?? models[0])
        return (
          <button
            key={id}
            type="button"
            className="button small"
            aria-pressed={isChosen}
            // biome-ignore lint/a11y/noAutofocus: the person asked for the choice
            autoFocus={isChosen}
            onClick={() => void choose(at === 0 ? undefined : id)}
          >
            {id}
          </button>
        )
      })}
      {sessionId !== undefined && (
        <fieldset className="efforts">
          <legend>It thinks</legend>
          {efforts.map(([value, label]) => (
            <button
              key={label}
              type="button"
              className="button small"
              aria-pressed={value === effort}
              onClick={() => void done(() => setSessionEffort(sessionId, value))}
            >
              {label}
            </button>
          ))}
        </fieldset>
      )}
      <button type="button" className="button small quiet" onClick={onClose}>
        Leave it
      </button>
    </fieldset>
  )
}

const efforts = [
  [undefined, 'As set'],
  ['off', 'Not at all'],
  ['low', 'A little'],
  ['medium', 'More'],
  ['high', 'At length'],
] as const

const onlyOne = 'One model is configured. JARVIS_MODELS in .env, or another provider in the settings, adds more.'
