import type { BudgetState, BudgetsReply } from 'protocol'
import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { call } from '../../api/http.ts'
import { useNewest } from '../../api/use-load.ts'
import { say } from '../../app/announce.tsx'
import { Problem, Resting, Skeletons } from '../../app/load-state.tsx'
import { Visible } from '../../ui/boxed.tsx'
import { Meter } from '../../ui/meter.tsx'
import { type Edits, type Part, typed, withEdits } from './budget-edits.ts'
import { Section, useRights } from './section.tsx'
import './budgets.css'

const units = [
  ['usd', 'US dollars', '0.01'],
  ['tokens', 'tokens', '1'],
  ['calls', 'model calls', '1'],
  ['minutes', 'minutes', '1'],
] as const

/** Today's use of models, and the limits. */
export function Budgets() {
  const { isOperator, isLive, isResting } = useRights()
  const { data, problem, again, put } = useNewest('budgets', () => call('GET /api/budgets'), [
    'connect',
    'settings',
    'sessions',
  ])
  return (
    <Section id="budgets" title="Budgets">
      <p>
        Before each call of a model, what was used and the most that the call could cost must fit. At a limit there is
        one last answer without tools, then JARVIS stops and says so. Jobs stop first.
      </p>
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      {data === undefined ? (
        problem === undefined && <Skeletons rows={4} height={34} />
      ) : (
        <>
          <Spent data={data} />
          <Form data={data} isResting={isResting} onChanged={put} />
        </>
      )}
      <Resting who="owner" isOperator={isOperator} isLive={isLive} />
    </Section>
  )
}

function Spent({ data }: { data: BudgetsReply }) {
  const rows: (readonly [string, string, BudgetState])[] = [
    ...data.running.map((run) => [`run ${run.runId}`, 'A run that goes on', run] as const),
    ...data.agents.map((agent) => [`agent ${agent.id}`, `${agent.id}, today`, agent] as const),
    ['day', 'Everything, today', data.day],
    ['jobs', 'Jobs, today', data.jobs],
    ...data.eachJob.map((job) => [`job ${job.id}`, `Job ${job.name}, today`, job] as const),
  ]
  return (
    <>
      <ul className="fact-list budgets" aria-label="Used today">
        {rows.map(([key, name, state]) => (
          <li key={key}>
            <span>
              <Visible text={name} />
            </span>
            <Bar state={state} />
            <span className="num text-soft">{wordsOf(state)}</span>
          </li>
        ))}
      </ul>
      {data.unpriced.length > 0 && (
        <p>
          Price not known: <Visible text={data.unpriced.join(', ')} />. Of these models tokens count alone; prices.json
          in the data dir can name a price.
        </p>
      )}
    </>
  )
}

/** The used share of the limit that is nearest. Renders nothing if there is no limit. */
function Bar({ state: { limits, spent } }: { state: BudgetState }) {
  const shares = units.flatMap(([unit]) => {
    const most = limits[unit]
    return most === undefined ? [] : [spent[unit] / most]
  })
  if (shares.length === 0) return <span />
  const share = Math.min(1, Math.max(...shares))
  return (
    <span aria-hidden="true">
      <Meter ratio={share} tone={share >= 0.9 ? 'warn' : undefined} />
    </span>
  )
}

const count = (value: number) => Math.round(value).toLocaleString('en-US')

export function wordsOf({ limits, spent }: BudgetState): string {
  const about = spent.isPartial ? 'about ' : ''
  const tokens = `${about}${count(spent.tokens)}${limits.tokens === undefined ? '' : ` of ${count(limits.tokens)}`} tokens`
  const of = limits.usd === undefined ? '' : ` of $${limits.usd.toFixed(2)}`
  if (spent.calls === 0) return `nothing${of}`
  if (spent.unpriced === spent.calls) return `price not known, ${tokens}`
  const price = `${about}$${spent.usd.toFixed(2)}${of}, ${tokens}`
  return spent.unpriced === 0 ? price : `${price}, and ${spent.unpriced} calls whose price is not known`
}

const parts: readonly (readonly [Part, string])[] = [
  ['run', 'A run, with its helpers'],
  ['day', 'Everything, a day'],
  ['jobs', 'All jobs, a day'],
]

function Form({
  data,
  isResting,
  onChanged,
}: {
  data: BudgetsReply
  isResting: boolean
  onChanged: (data: BudgetsReply) => void
}) {
  const [edits, setEdits] = useState<Edits>({})
  const limits = withEdits({ run: data.run, day: data.day.limits, jobs: data.jobs.limits }, edits)
  const [problem, setProblem] = useState<string>()
  const save = async () => {
    setProblem(undefined)
    try {
      onChanged(await call('PUT /api/budgets', { body: limits }))
      // A field that was typed into while the request ran keeps its text.
      setEdits((now) => (now === edits ? {} : now))
      say('The limits are kept.')
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : 'The limits could not be kept.')
    }
  }
  return (
    <form
      className="budget-form"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      {parts.map(([part, name]) => (
        <fieldset key={part} disabled={isResting}>
          <legend>{name}</legend>
          {units.map(([unit, unitName, step]) => (
            <label key={unit}>
              <input
                className="field num"
                type="number"
                min={step}
                step={step}
                placeholder="no limit"
                value={limits[part][unit] ?? ''}
                onChange={(event) => setEdits(typed(edits, [part, unit, event.currentTarget.value]))}
              />
              <span className="text-dim">{unitName}</span>
            </label>
          ))}
        </fieldset>
      ))}
      <p className="text-dim">
        A run makes at most {data.callsPerRun} model calls of its own (CHAT_MAX_LOOP). A day begins at midnight,{' '}
        {data.zone}. Limits of an agent stand on its page, those of a job in its form.
      </p>
      {problem !== undefined && <p role="alert">Not kept: {problem}</p>}
      <button type="submit" className="button small" disabled={isResting}>
        Keep these limits
      </button>
    </form>
  )
}
