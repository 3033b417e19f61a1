import type { ChannelInfo, ChannelRules } from 'protocol'
import { saveRules } from '../../../api/channels.ts'
import { FormProblem } from '../form-problem.tsx'
import { useAttempt } from '../people/use-attempt.ts'
import { hoursPattern, peopleOf } from './words.ts'

/** Quiet hours, and the delay after which each channel and person is told of an unanswered card. Saving keeps the routes. */
export function RulesForm({
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
  const people = peopleOf(set)
  const waiting = [
    ...set.map(({ id, name }) => ({ id, name })),
    ...(people.length > 1 ? people.map(([id, name]) => ({ id, name })) : []),
  ]
  return (
    <form
      className="form-row channel-rules"
      aria-label="Quiet hours and escalation"
      onSubmit={(event) => {
        event.preventDefault()
        const given = new FormData(event.currentTarget)
        const quiet = String(given.get('quiet') ?? '').trim()
        const waits = waiting.flatMap(({ id }) => {
          const seconds = Math.round(Number(given.get(id) ?? 0) * 60)
          return seconds > 0 ? [[id, seconds] as const] : []
        })
        const { quiet: _, ...rest } = rules
        const next = { ...rest, ...(quiet !== '' && { quiet }), escalation: Object.fromEntries(waits) }
        void attempt(() => saveRules(next)).then((isDone) => isDone && onChanged())
      }}
    >
      <label>
        Quiet hours
        <input
          className="field"
          name="quiet"
          pattern={hoursPattern}
          placeholder="23:00-07:00"
          defaultValue={rules.quiet ?? ''}
        />
        <small>
          Warnings wait for one digest at their end. What failed passes, and so does a card that a person asked for.
        </small>
      </label>
      {waiting.map(({ id, name }) => (
        <label key={id}>
          {name} hears of a card after
          <span>
            <input
              className="field short"
              name={id}
              type="number"
              min={0}
              max={60}
              step="any"
              defaultValue={(rules.escalation[id] ?? 0) / 60}
            />{' '}
            min without an answer
          </span>
        </label>
      ))}
      <button type="submit" className="button" disabled={isResting || isBusy}>
        Save
      </button>
      <FormProblem text={problem} />
    </form>
  )
}
