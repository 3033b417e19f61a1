import type { ChannelInfo, ChannelRules } from 'protocol'
import { saveRules } from '../../../api/channels.ts'
import { Visible } from '../../../ui/boxed.tsx'
import { FormProblem } from '../form-problem.tsx'
import { TwoStep } from '../people/two-step.tsx'
import { useAttempt } from '../people/use-attempt.ts'
import { hearersOf, hoursPattern, leasts, matters, type Route, routeWords } from './words.ts'

/** The routes, one row each, and a form for a new one. A route says which kinds of messages a channel sends. */
export function Routes({
  rules,
  channels,
  isResting,
  onChanged,
}: {
  rules: ChannelRules
  channels: readonly ChannelInfo[]
  isResting: boolean
  onChanged: () => void
}) {
  const { problem, isBusy, attempt } = useAttempt()
  const set = channels.filter(({ state }) => state !== 'off')
  const people = hearersOf(set)
  const save = async (routes: Route[]) => {
    const isDone = await attempt(() => saveRules({ ...rules, routes }))
    if (isDone) onChanged()
    return isDone
  }
  return (
    <>
      <h3>
        Routes <small>a channel without one hears of everything but jobs that are done</small>
      </h3>
      {rules.routes.length > 0 && (
        <ul className="fact-list routes" aria-label="Routes">
          {rules.routes.map((route, index) => (
            <li key={JSON.stringify([index, route])}>
              <span className="recipient-name">
                <Visible text={routeWords(route, channels)} />
              </span>
              <TwoStep
                act="Remove"
                object={`route ${index + 1}`}
                label="Remove"
                isResting={isResting || isBusy}
                onDo={() => void save(rules.routes.filter((_, at) => at !== index))}
              />
            </li>
          ))}
        </ul>
      )}
      <form
        className="form-row channel-rules route-form"
        aria-label="Another route"
        onSubmit={(event) => {
          event.preventDefault()
          const form = event.currentTarget
          const given = new FormData(form)
          const person = String(given.get('person') ?? '')
          const hours = String(given.get('hours') ?? '').trim()
          const route: Route = {
            channel: String(given.get('channel')),
            kinds: matters.map(([kind]) => kind).filter((kind) => given.has(kind)),
            least: leasts.map(([least]) => least).find((least) => least === given.get('least')) ?? 'info',
            ...(person !== '' && { person }),
            ...(hours !== '' && { hours }),
          }
          void save([...rules.routes, route]).then((isDone) => isDone && form.reset())
        }}
      >
        <div className="route-fields">
          <label>
            Channel
            <select className="field" name="channel">
              {set.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          {people.length > 1 && (
            <label>
              For
              <select className="field" name="person">
                <option value="">everybody there</option>
                {people.map(([id, name]) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
          )}
          <label>
            At least
            <select className="field" name="least">
              {leasts.map(([least, words]) => (
                <option key={least} value={least}>
                  {words}
                </option>
              ))}
            </select>
          </label>
          <label>
            In these hours
            <input className="field" name="hours" pattern={hoursPattern} placeholder="always" />
          </label>
        </div>
        <fieldset className="route-kinds">
          <legend>About; none ticked means everything</legend>
          {matters.map(([kind, words]) => (
            <label key={kind}>
              <input type="checkbox" name={kind} /> {words}
            </label>
          ))}
        </fieldset>
        <button type="submit" className="button" disabled={isResting || isBusy}>
          Add the route
        </button>
        <FormProblem text={problem} />
      </form>
    </>
  )
}
