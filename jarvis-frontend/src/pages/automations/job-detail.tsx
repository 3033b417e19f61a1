import type { Job } from 'protocol'
import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { allowDrills, changeJob, readHeartbeat, removeJob, runJob } from '../../api/jobs.ts'
import { useLoad } from '../../api/use-load.ts'
import { say } from '../../app/announce.tsx'
import { Problem } from '../../app/load-state.tsx'
import { moveFocus, usePageKeys } from '../../app/use-page-keys.ts'
import { when } from '../../features/alerts/words.ts'
import { workWord, zoneOf } from '../../features/jobs/words.ts'
import { argumentText } from '../../lib/argument-text.ts'
import { capital, dollars, exactTime, size, thousands } from '../../lib/format.ts'
import { useEscape } from '../../lib/use-escape.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Link } from '../../ui/link.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { JobForm } from './job-form.tsx'
import { NextFive } from './next-five.tsx'
import { Runs } from './runs.tsx'

type WorkOf<K extends Job['work']['kind']> = Extract<Job['work'], { kind: K }>

type Props = {
  job: Job
  now: number
  /** The server's time zone. */
  zone: string
  /** The slot whose trace is open; undefined: the newest. */
  slot: number | undefined
  isEditing: boolean
  mayAct: boolean
  set: (changes: Record<string, string | undefined>) => void
  onChanged: () => void
}

/** One job: its next five times, the trace of one run step by step, and the earlier runs. */
export function JobDetail({ job, now, zone, slot, isEditing, mayAct, set, onChanged }: Props) {
  const own = zoneOf(job, zone)
  const [problem, setProblem] = useState<ApiError>()
  const [isRemoving, setRemoving] = useState(false)
  useEscape(isRemoving ? () => setRemoving(false) : undefined)
  const act = async (work: Promise<unknown>, done: string) => {
    try {
      const reply = await work
      setProblem(undefined)
      say(done)
      onChanged()
      return reply
    } catch (error) {
      if (error instanceof ApiError) setProblem(error)
    }
    return undefined
  }
  const isPaused = job.state === 'paused'
  const pause = () => void act(changeJob(job.id, { isPaused: !isPaused }), isPaused ? 'It goes on.' : 'It is paused.')
  const run = () => void act(runJob(job.id), `${job.name} was started.`)
  usePageKeys({
    j: () => moveFocus('[data-row]', 1),
    k: () => moveFocus('[data-row]', -1),
    ...(mayAct && !isEditing && { r: run, ...(job.state !== 'ended' && { p: pause }) }),
  })
  if (isEditing) return <JobForm job={job} zone={zone} onDone={() => set({ edit: undefined })} />
  return (
    <>
      <header className="job-head">
        <div>
          <h2>
            <Visible text={job.name} />
          </h2>
          <span className="job-tag">{workWord[job.work.kind]}</span>
          {mayAct && (
            <span className="job-acts">
              <button type="button" className="button small" onClick={run}>
                Run now…
              </button>
              <button type="button" className="button small" onClick={() => set({ edit: '1' })}>
                Edit
              </button>
              {job.state !== 'ended' && (
                <button type="button" className="button small" onClick={pause}>
                  {isPaused ? 'Go on' : 'Pause'}
                </button>
              )}
            </span>
          )}
        </div>
        <p className="text-soft">
          {capital(job.words)}.{' '}
          {job.isShipped ? (
            'Came with JARVIS.'
          ) : (
            <Visible text={`Made by ${job.by}, ${exactTime(job.createdAt, now)}.`} />
          )}
        </p>
        <Work job={job} />
        {job.approvedUntil !== undefined && (
          <p className="job-work">
            {job.approvedUntil === null
              ? 'Each drill waits for a card. '
              : `Its drills are approved until ${exactTime(job.approvedUntil, now)}. `}
            {mayAct && (
              <button
                type="button"
                className="text-link"
                onClick={() => {
                  const isAllowed = job.approvedUntil === null
                  void act(
                    allowDrills(job.id, isAllowed),
                    isAllowed ? 'Its drills are approved.' : 'Each drill asks again.',
                  )
                }}
              >
                {job.approvedUntil === null ? 'Approve its drills beforehand…' : 'Let each one ask'}
              </button>
            )}
          </p>
        )}
        <Problem error={problem} />
        {job.paused !== undefined && (
          <p className="strip" role="note">
            <span>
              Paused by <Visible text={job.paused.by} />, {when(job.paused.at, now)}: <Visible text={job.paused.why} />
            </span>
          </p>
        )}
      </header>
      <PanelHead title="Next five">{own}</PanelHead>
      {job.next.length === 0 ? (
        <p className="job-none">{isPaused ? 'None while it is paused.' : 'None: it is over.'}</p>
      ) : (
        <NextFive next={job.next} now={now} zone={own} clockChange={job.clockChange} />
      )}
      <Runs job={job} slot={slot} zone={own} now={now} />
      {mayAct && job.isShipped !== true && (
        <p className="job-remove">
          {isRemoving ? (
            <>
              Its runs stay in the journal.{' '}
              <button
                type="button"
                className="button small"
                onClick={() =>
                  void act(removeJob(job.id), `${job.name} is deleted.`).then(() => set({ job: undefined }))
                }
              >
                Delete the job
              </button>{' '}
              <button type="button" className="button small quiet" onClick={() => setRemoving(false)}>
                Keep it
              </button>
            </>
          ) : (
            <button type="button" className="button small faint" onClick={() => setRemoving(true)}>
              Delete…
            </button>
          )}
        </p>
      )}
    </>
  )
}

/** The job's work, as the person wrote it. */
function Work({ job: { work, budget } }: { job: Job }) {
  const most = [
    budget.tokensPerRun !== undefined && `${thousands(budget.tokensPerRun)} tokens a run`,
    budget.tokensPerDay !== undefined && `${thousands(budget.tokensPerDay)} tokens a day`,
  ].filter(Boolean)
  return (
    <p className="job-work">
      {work.kind === 'prompt' && <Visible text={work.text} />}
      {work.kind === 'call' && (
        <code>
          <Visible text={`${work.toolName} ${argumentText(work.toolInput)}`} />
        </code>
      )}
      {work.kind === 'runbook' && (
        <>
          <Link className="text-link" to={`/automations/runbooks/${encodeURIComponent(work.name)}`}>
            <Visible text={work.name} />
          </Link>{' '}
          <code>
            <Visible text={argumentText(work.inputs)} />
          </code>
        </>
      )}
      {work.kind === 'heartbeat' && <Heartbeat work={work} />}
      {work.kind === 'drill' && drillWords(work)}
      {most.length > 0 && <small> At most {most.join(', ')}.</small>}
    </p>
  )
}

function drillWords({ window, bwlimitKiBps }: WorkOf<'drill'>): string {
  const within = window === undefined ? '' : `, between ${window.replace('-', ' and ')}`
  const limit = bwlimitKiBps === undefined ? '' : `, with at most ${size(bwlimitKiBps * 1024)}/s of disk traffic`
  return `Proves the backup of the guest whose proof is oldest${within}${limit}.`
}

function Heartbeat({ work: { activeHours, digestAt } }: { work: WorkOf<'heartbeat'> }) {
  const beat = useLoad('heartbeat', readHeartbeat, ['connect', 'jobs']).data
  const hours = activeHours === undefined ? '' : `, between ${activeHours.replace('-', ' and ')}`
  const digest = digestAt === undefined ? '' : `, and once a day at ${digestAt}`
  const does = `All checks, without a model; a model only where findings changed${hours}${digest}.`
  if (beat === undefined) return does
  const cost = beat.cost_today_usd === null ? 'price not known' : dollars(beat.cost_today_usd)
  return (
    <>
      {does} Today {thousands(beat.tokens_today)} of {thousands(beat.tokens_per_day)} tokens,{' '}
      {beat.tokens_today === 0 ? 'no cost' : cost}.{!beat.has_heartbeat_file && ` There is no ${beat.heartbeat_file}.`}
    </>
  )
}
