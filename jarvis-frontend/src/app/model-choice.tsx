import { useState } from 'react'
import { setSessionModel } from '../api/session-acts.ts'
import { sessions } from '../api/sessions.ts'
import './model-choice.css'

type Props = {
  /** Undefined: a new chat, which takes the model with its first message. */
  sessionId: string | undefined
  /** The one in use first. */
  models: readonly string[]
  chosen: string | undefined
  onChosen: (model: string | undefined) => void
  onClose: () => void
}

/** Which of the configured models answers in this session. */
export function ModelChoice({ sessionId, models, chosen, onChosen, onClose }: Props) {
  const [problem, setProblem] = useState<string>()
  const choose = async (model: string | undefined) => {
    try {
      if (sessionId !== undefined) await setSessionModel(sessionId, model)
      sessions.renew()
      onChosen(model)
      onClose()
      document.getElementById('composer')?.focus()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'It could not be chosen.')
    }
  }
  return (
    <fieldset
      className="strip model-choice"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        event.nativeEvent.stopImmediatePropagation()
        onClose()
        document.getElementById('composer')?.focus()
      }}
    >
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
      <button type="button" className="button small quiet" onClick={onClose}>
        Leave it
      </button>
    </fieldset>
  )
}

const onlyOne = 'One model is configured. JARVIS_MODELS in .env, or another provider in the settings, adds more.'
