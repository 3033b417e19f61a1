import type { Job, SchedulePreview } from 'protocol'
import { ApiError } from 'protocol/client'
import { useEffect, useState } from 'react'
import { changeJob, makeJob, previewSchedule } from '../../api/jobs.ts'
import { say } from '../../app/announce.tsx'
import { Problem } from '../../app/load-state.tsx'
import { capital } from '../../lib/format.ts'
import { useEscape } from '../../lib/use-escape.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { NextFive } from './next-five.tsx'
import { ScheduleFields } from './schedule-fields.tsx'
import { madeKinds, WorkFields, type WorkKind, workIn } from './work-fields.tsx'

type Schedule = Job['schedule']
const kindWords = {
  prompt: 'Ask JARVIS something',
  runbook: 'Run a runbook',
  call: 'Call one tool, without a model',
} as const
/** Pause in typing, ms, after which the schedule is checked. */
const settleMs = 300
const reading = 'the schedule is being read'

/** A form for a job's name, work and schedule. Save stays disabled until the schedule's next five times are shown. */
export function JobForm({ job, zone, onDone }: { job?: Job; zone: string; onDone: (id: string | undefined) => void }) {
  const [kind, setKind] = useState<WorkKind>(job?.work.kind ?? 'prompt')
  const [schedule, setSchedule] = useState<Schedule>(job?.schedule ?? { kind: 'cron', line: '11 20 * * *', zone })
  const key = JSON.stringify(schedule)
  const [refused, setRefused] = useState<ApiError>()
  const [isTouched, setTouched] = useState(false)
  // Escape does not discard typed text; only Cancel does.
  useEscape(isTouched ? undefined : () => onDone(job?.id))
  const isEmpty = schedule.kind === 'cron' && schedule.line === ''
  const { preview, problem } = usePreview(key, isEmpty)
  const rest = isEmpty
    ? 'no day is picked'
    : problem !== undefined
      ? 'the schedule is wrong'
      : preview === undefined
        ? reading
        : undefined
  const save = async (form: HTMLFormElement) => {
    const given = new FormData(form)
    const read = (name: string) => String(given.get(name) ?? '').trim()
    const number = (name: string) => (read(name) === '' ? {} : { [name]: Number(read(name)) })
    try {
      const work = workIn(kind, read)
      const { tokensPerRun: _run, tokensPerDay: _day, ...others } = job?.budget ?? {}
      const budget = { ...others, ...number('tokensPerRun'), ...number('tokensPerDay') }
      const body = { name: read('name'), work, schedule, budget }
      const saved = await (job === undefined ? makeJob(body) : changeJob(job.id, body))
      say(`${saved.name} is saved.`)
      onDone(saved.id)
    } catch (error) {
      if (error instanceof ApiError) setRefused(error)
    }
  }
  const { work, budget } = job ?? {}
  return (
    <form
      className="job-form"
      aria-label={job === undefined ? 'New job' : `Edit ${job.name}`}
      onChange={() => {
        setTouched(true)
        setRefused(undefined)
      }}
      onSubmit={(event) => {
        event.preventDefault()
        if (rest === undefined) void save(event.currentTarget)
      }}
    >
      <h2>{job === undefined ? 'New job' : 'Edit the job'}</h2>
      <label>
        Name
        <input className="field" name="name" required maxLength={100} defaultValue={job?.name} spellCheck={false} />
      </label>
      {job?.isShipped !== true && (
        <label>
          Does
          <select className="field" value={kind} onChange={(event) => setKind(event.currentTarget.value as WorkKind)}>
            {madeKinds.map((known) => (
              <option key={known} value={known}>
                {kindWords[known]}
              </option>
            ))}
          </select>
        </label>
      )}
      <WorkFields key={kind} kind={kind} work={work} zone={zone} />
      <ScheduleFields
        schedule={schedule}
        zone={zone}
        onChange={(next) => {
          setTouched(true)
          setSchedule(next)
        }}
      />
      <div className="preview" role="status">
        {problem !== undefined && (
          <p>
            <Mark kind="bad" size={11} /> <Visible text={problem.message} />
          </p>
        )}
        {preview !== undefined && (
          <Previewed preview={preview} zone={schedule.kind === 'cron' ? schedule.zone : zone} />
        )}
        {isEmpty && <p className="text-dim">Pick a day.</p>}
        {!isEmpty && rest === reading && <p className="text-dim">The next five times are being worked out.</p>}
      </div>
      <div className="pair-fields">
        <label>
          Tokens a run, at most
          <input
            className="field"
            name="tokensPerRun"
            type="number"
            min={1}
            placeholder="no limit"
            defaultValue={budget?.tokensPerRun}
          />
        </label>
        <label>
          Tokens a day, at most
          <input
            className="field"
            name="tokensPerDay"
            type="number"
            min={1}
            placeholder="no limit"
            defaultValue={budget?.tokensPerDay}
          />
        </label>
      </div>
      <Problem error={refused} isRefusal />
      <p className="job-acts">
        <button type="submit" className="button solid" aria-disabled={rest !== undefined}>
          Save the job
        </button>
        <button type="button" className="button quiet" onClick={() => onDone(job?.id)}>
          Leave it
        </button>
        {rest !== undefined && <small>{rest}</small>}
      </p>
    </form>
  )
}

/** Checks a schedule once the person pauses. @param key the schedule as JSON */
function usePreview(key: string, isEmpty: boolean): { preview?: SchedulePreview; problem?: ApiError } {
  const [seen, setSeen] = useState<{ key: string; preview?: SchedulePreview; problem?: ApiError }>()
  useEffect(() => {
    if (isEmpty) return
    const timer = setTimeout(() => {
      previewSchedule(JSON.parse(key)).then(
        (preview) => setSeen({ key, preview }),
        (error) => error instanceof ApiError && setSeen({ key, problem: error }),
      )
    }, settleMs)
    return () => clearTimeout(timer)
  }, [key, isEmpty])
  return seen?.key === key ? seen : {}
}

/** A schedule in words, with its next five times. */
const Previewed = ({ preview, zone }: { preview: SchedulePreview; zone: string }) => (
  <>
    <p>
      <b>{capital(preview.words)}</b>
    </p>
    {preview.next.length === 0 ? (
      <p>It would never run.</p>
    ) : (
      <NextFive next={preview.next} now={Date.now()} zone={zone} clockChange={preview.clockChange} />
    )}
  </>
)
