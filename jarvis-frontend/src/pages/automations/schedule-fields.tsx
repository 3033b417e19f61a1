import type { Job } from 'protocol'
import { useId, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { allWeek, cronOf, daysIn, type Picked, pickedOf, weekdayNames, withTime } from './cron.ts'

type Schedule = Job['schedule']
type FieldsProps = {
  schedule: Schedule
  zone: string
  /** A cron schedule with an empty line: no day is picked. */
  onChange: (schedule: Schedule) => void
}

const kinds = {
  week: 'Days of the week',
  month: 'Days of the month',
  interval: 'Every so often',
  once: 'Once',
  cron: 'By a cron line',
} as const
type Kind = keyof typeof kinds

const localOf = (at: number) => new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

/** Fields for a job's times: days and times to pick, an interval, one instant, or a cron line for all others. */
export function ScheduleFields({ schedule, zone, onChange }: FieldsProps) {
  const id = useId()
  const [isLine, setLine] = useState(false)
  const [picked, setPicked] = useState(() => (schedule.kind === 'cron' ? pickedOf(schedule.line) : undefined))
  const cron = schedule.kind === 'cron' ? schedule : undefined
  const shown = cron === undefined || isLine ? undefined : picked
  const kind: Kind = shown?.every ?? (schedule.kind as Kind)
  const pick = (next: Picked) => {
    setPicked(next)
    onChange({ kind: 'cron', zone: cron?.zone ?? zone, line: cronOf(next) ?? '' })
  }
  const choose = (next: Kind) => {
    const times = picked?.times ?? ['20:11']
    setLine(next === 'cron')
    if (next === 'once') onChange({ kind: next, at: Math.ceil((Date.now() + 3_600_000) / 60_000) * 60_000 })
    else if (next === 'interval') onChange({ kind: next, minutes: 60 })
    else if (next === 'week') pick({ every: next, weekdays: allWeek, times })
    else if (next === 'month') pick({ every: next, days: [1], times })
    else onChange({ kind: next, line: cron?.line || '11 20 * * *', zone: cron?.zone ?? zone })
  }
  return (
    <>
      <div className="pair-fields">
        <label>
          When
          <select className="field" value={kind} onChange={(event) => choose(event.currentTarget.value as Kind)}>
            {Object.entries(kinds).map(([known, words]) => (
              <option key={known} value={known}>
                {words}
              </option>
            ))}
          </select>
        </label>
        {kind === 'cron' && cron !== undefined && (
          <label>
            Minute, hour, day, month, weekday
            <input
              className="field mono"
              value={cron.line}
              maxLength={200}
              spellCheck={false}
              onChange={(event) => onChange({ ...cron, line: event.currentTarget.value })}
            />
          </label>
        )}
        {cron !== undefined && (
          <label>
            Time zone
            <input
              className="field"
              value={cron.zone}
              maxLength={100}
              spellCheck={false}
              list={`${id}-zones`}
              onChange={(event) => onChange({ ...cron, zone: event.currentTarget.value })}
            />
          </label>
        )}
        <Other schedule={schedule} onChange={onChange} />
      </div>
      {cron !== undefined && (
        <datalist id={`${id}-zones`}>
          {Intl.supportedValuesOf('timeZone').map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
      {shown !== undefined && <Picker key={shown.every} picked={shown} onChange={pick} />}
    </>
  )
}

/** The field of an interval or of one instant. */
function Other({ schedule, onChange }: Omit<FieldsProps, 'zone'>) {
  return (
    <>
      {schedule.kind === 'interval' && (
        <label>
          Minutes between
          <input
            className="field"
            type="number"
            min={1}
            max={60 * 24 * 31}
            value={schedule.minutes}
            onChange={(event) => onChange({ ...schedule, minutes: Number(event.currentTarget.value) })}
          />
        </label>
      )}
      {schedule.kind === 'once' && (
        <label>
          At, in this browser’s time
          <input
            className="field"
            type="datetime-local"
            value={localOf(schedule.at)}
            onChange={(event) => {
              const at = new Date(event.currentTarget.value).getTime()
              if (!Number.isNaN(at)) onChange({ ...schedule, at })
            }}
          />
        </label>
      )}
    </>
  )
}

/** Days and times to pick. */
function Picker({ picked, onChange }: { picked: Picked; onChange: (picked: Picked) => void }) {
  const { times } = picked
  const [days, setDays] = useState(picked.every === 'month' ? picked.days.join(', ') : '1')
  return (
    <>
      {picked.every === 'week' ? (
        <fieldset className="filters">
          <legend className="vh">Days</legend>
          {weekdayNames.map((name, at) => {
            const { weekdays } = picked
            const isOn = weekdays.includes(at + 1)
            const next = isOn ? weekdays.filter((day) => day !== at + 1) : [...weekdays, at + 1]
            return (
              <button
                key={name}
                type="button"
                aria-pressed={isOn}
                onClick={() => onChange({ ...picked, weekdays: next })}
              >
                {name}
              </button>
            )
          })}
        </fieldset>
      ) : (
        <label>
          Days of the month, such as 1, 15
          <input
            className="field num"
            value={days}
            spellCheck={false}
            aria-invalid={daysIn(days) === undefined}
            onChange={(event) => {
              setDays(event.currentTarget.value)
              onChange({ ...picked, days: daysIn(event.currentTarget.value) ?? [] })
            }}
          />
        </label>
      )}
      <div className="picked-times">
        {times.map((time, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a time keeps its place while it is typed
          <span key={at}>
            <input
              className="field num"
              type="time"
              aria-label={times.length === 1 ? 'At' : `Time ${at + 1}`}
              value={time}
              onChange={({ currentTarget: { value } }) =>
                value !== '' && onChange({ ...picked, times: withTime(times, at, value.slice(0, 5)) })
              }
            />
            {times.length > 1 && (
              <button
                type="button"
                className="icon-button"
                aria-label={`Leave out ${time}`}
                onClick={() => onChange({ ...picked, times: times.filter((_, other) => other !== at) })}
              >
                <Icon name="close" />
              </button>
            )}
          </span>
        ))}
        {times.length < 24 && (
          <button
            type="button"
            className="button small faint"
            onClick={() => onChange({ ...picked, times: [...times, nextTime(times)] })}
          >
            <Icon name="plus" /> Another time
          </button>
        )}
      </div>
      {times.length > 1 && <p className="text-dim">All times of a job have the same minutes.</p>}
    </>
  )
}

/** A time that is not picked yet, an hour or more after the last one. */
function nextTime(times: readonly string[]): string {
  const last = times.at(-1) ?? '19:00'
  for (let hour = Number(last.slice(0, 2)) + 1; ; hour += 1) {
    const time = `${String(hour % 24).padStart(2, '0')}${last.slice(2)}`
    if (!times.includes(time)) return time
  }
}
