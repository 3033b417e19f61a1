import type { ModelFallback, ModelsReply } from 'protocol'
import { useState } from 'react'
import { saveFallbacks } from '../../api/models.ts'
import { Visible } from '../../ui/boxed.tsx'
import { problemOf, type Said, Verdict } from './verdict.tsx'

/** The models that answer when the chosen one fails, in order. */
export function Fallbacks({
  fallbacks,
  models,
  isResting,
  onSaved,
}: {
  fallbacks: readonly ModelFallback[]
  /** Ids of all configured models. */
  models: readonly string[]
  isResting: boolean
  onSaved: (models: ModelsReply) => void
}) {
  const [said, setSaid] = useState<Said>()
  const save = async (next: ModelFallback[]) => {
    if (isResting) return false
    setSaid(undefined)
    try {
      onSaved(await saveFallbacks(next))
      return true
    } catch (error) {
      setSaid(problemOf(error))
      return false
    }
  }
  const add = async (form: HTMLFormElement) => {
    const given = new FormData(form)
    const [model, next] = [String(given.get('model')), String(given.get('next'))]
    const before = fallbacks.find((known) => known.model === model)
    const consented = [...(before?.consented ?? []), ...(given.get('consent') === 'on' ? [next] : [])]
    const own = { model, then: [...(before?.then ?? []), next], ...(consented.length > 0 && { consented }) }
    const isSaved = await save([...fallbacks.filter((known) => known.model !== model), own])
    if (isSaved) form.reset()
  }
  const choices = models.filter((id) => id !== 'demo')
  return (
    <div className="fallbacks">
      <h3>When a model fails</h3>
      <p>
        Another one answers after the usual attempts, as long as nothing of the answer was shown. A conversation with a
        model at home goes elsewhere only with your consent to exactly these two.
      </p>
      {fallbacks.length > 0 && (
        <ul className="fact-list" aria-label="Fallbacks">
          {fallbacks.map(({ model, then, consented = [] }) => (
            <li key={model}>
              <span>
                <Visible text={model} />
              </span>
              <span className="text-soft">
                <Visible text={`then ${then.join(', then ')}`} />
                {consented.length > 0 && (
                  <small>
                    <Visible text={`may leave home for ${consented.join(', ')}`} />
                  </small>
                )}
              </span>
              <button
                type="button"
                className="button small quiet"
                aria-label={`Remove the fallback of ${model}`}
                aria-disabled={isResting}
                onClick={() => void save(fallbacks.filter((known) => known.model !== model))}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
      {choices.length > 1 ? (
        <form
          className="form-row"
          aria-label="Add a fallback"
          onSubmit={(event) => {
            event.preventDefault()
            void add(event.currentTarget)
          }}
        >
          {(
            [
              ['model', 'Where this fails', 0],
              ['next', 'this one answers', 1],
            ] as const
          ).map(([name, label, at]) => (
            <label key={name} className="flex-1">
              {label}
              <select className="field" name={name} defaultValue={choices[at]}>
                {choices.map((id) => (
                  <option key={id} value={id}>
                    {id}
                  </option>
                ))}
              </select>
            </label>
          ))}
          <label className="check wide">
            <input type="checkbox" name="consent" /> What was said to the first may be sent to the second, also where
            that leaves my network
          </label>
          <button type="submit" className="button" aria-disabled={isResting}>
            Add
          </button>
        </form>
      ) : (
        <p>Connect a second model to name one.</p>
      )}
      {said !== undefined && <Verdict said={said} />}
    </div>
  )
}
