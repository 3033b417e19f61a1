import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { readJobs, switchJobs } from '../../api/jobs.ts'
import { useNewest } from '../../api/use-load.ts'
import { say } from '../../app/announce.tsx'
import { Problem, Resting, Skeletons, useIsLive } from '../../app/load-state.tsx'
import { PageHead } from '../../app/page-head.tsx'
import { useNarrowing } from '../../app/use-narrowing.ts'
import { when } from '../../features/alerts/words.ts'
import { timeIn } from '../../features/jobs/words.ts'
import { useEscape } from '../../lib/use-escape.ts'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { phone, useMedia } from '../../ui/use-media.ts'
import { useNow } from '../../ui/use-now.ts'
import { useCounts } from './counts.ts'
import { JobDetail } from './job-detail.tsx'
import { JobForm } from './job-form.tsx'
import { JobList, NextDay } from './job-list.tsx'
import './page.css'

/** The jobs, which run without a person: their times, outcomes, and a trace of each run. */
export function AutomationsPage() {
  const jobs = useNewest('jobs', readJobs, ['connect', 'jobs'])
  const [params, set] = useNarrowing()
  const isPhone = useMedia(phone)
  const isLive = useIsLive()
  const isOperator = useValue(signedIn)?.role === 'operator'
  const [isAsking, setAsking] = useState(false)
  const [refused, setRefused] = useState<ApiError>()
  const { data } = jobs
  const counts = useCounts('jobs', data?.items.length)
  const now = useNow(10_000)
  const mayAct = isOperator && isLive
  const wanted = params.get('job')
  const isNew = params.has('new')
  const chosen = data?.items.find(({ id }) => id === wanted) ?? (isPhone || isNew ? undefined : data?.items[0])
  useEscape(isAsking ? () => setAsking(false) : undefined)
  const turn = async (isOn: boolean) => {
    setAsking(false)
    try {
      await switchJobs(isOn)
      setRefused(undefined)
      say(isOn ? 'Jobs start again.' : 'No job starts until somebody starts them again.')
    } catch (error) {
      if (error instanceof ApiError) setRefused(error)
    }
    jobs.again()
  }
  const acts = mayAct && data !== undefined && (
    <>
      {data.stopped === null && (
        <button type="button" className="button small" aria-expanded={isAsking} onClick={() => setAsking(!isAsking)}>
          <Icon name="pause" /> Pause all…
        </button>
      )}
      <Link to="/automations?new=1" className="button small">
        <Icon name="plus" /> New job
      </Link>
    </>
  )
  const detail = isNew ? (
    <JobForm zone={data?.zone ?? 'UTC'} onDone={(id) => set({ new: undefined, job: id })} />
  ) : (
    chosen !== undefined &&
    data !== undefined && (
      <JobDetail
        key={chosen.id}
        job={chosen}
        now={now}
        zone={data.zone}
        slot={Number(params.get('slot')) || undefined}
        isEditing={params.has('edit')}
        mayAct={mayAct}
        set={set}
        onChanged={jobs.again}
      />
    )
  )
  return (
    <>
      <PageHead counts={counts}>
        <span className="flex-1" />
        {acts}
      </PageHead>
      {isPhone && !isNew && wanted === null && (acts || (isOperator && data === undefined)) && (
        <div className="act-bar">{acts}</div>
      )}
      {isAsking && (
        <p className="strip page-problem" role="note">
          <span>Nothing starts by itself until somebody starts the jobs again. What runs now runs on.</span>
          <button type="button" className="button small" onClick={() => void turn(false)}>
            Pause all jobs
          </button>
        </p>
      )}
      {data?.stopped != null && (
        <p className="strip page-problem" role="note">
          <Icon name="pause" />
          <span>
            All jobs are paused by <Visible text={data.stopped.by} />, since {when(data.stopped.at, now)}.
          </span>
          {mayAct && (
            <button type="button" className="button small" onClick={() => void turn(true)}>
              Start them again
            </button>
          )}
        </p>
      )}
      <Problem error={refused} isRefusal />
      <Problem error={jobs.problem} onAgain={jobs.again} kept={data !== undefined} />
      {isPhone && (chosen !== undefined || isNew) ? (
        <>
          <Link to="/automations" className="back">
            <Icon name="right" /> Jobs
          </Link>
          <div className="page scroll job-detail">{detail}</div>
        </>
      ) : (
        <div className="jobs-split">
          <div className="scroll">
            {data === undefined ? (
              jobs.problem === undefined && <Skeletons rows={8} height={32} />
            ) : data.items.length === 0 ? (
              <Empty title="Nothing runs by itself.">
                <p className="text-dim">A job asks, calls a tool or runs a runbook at its times.</p>
              </Empty>
            ) : (
              <>
                <JobList jobs={data.items} chosen={chosen?.id} now={now} zone={data.zone} />
                {!isPhone && <NextDay jobs={data.items} now={now} zone={data.zone} />}
              </>
            )}
            {data !== undefined && <Zones server={data.zone} now={now} />}
            <p className="jobs-note">
              A job has no rights of its own: reads and changes run as in chat, red waits for you. A missed change is
              never caught up; a missed read once.
            </p>
            {!mayAct && <Resting isOperator={isOperator} isLive={isLive} />}
          </div>
          {detail && <div className="scroll job-detail">{detail}</div>}
        </div>
      )}
    </>
  )
}

/** Says that the server's time zone differs from the browser's. Renders nothing if they agree. */
function Zones({ server, now }: { server: string; now: number }) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (timeIn(now, server) === timeIn(now, own)) return null
  return (
    <p className="jobs-note">
      JARVIS counts in {server}, where it is {timeIn(now, server)}; this browser in {own}. <code>TZ</code> in .env sets
      the zone of JARVIS.
    </p>
  )
}
