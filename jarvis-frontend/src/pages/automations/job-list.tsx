import type { Job, JobSlot } from 'protocol'
import { costOf, instant, slotMark, slotWord, stateOf, summaryOf, zoneOf } from '../../features/jobs/words.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark, type MarkKind } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { Tier } from '../../ui/tier.tsx'

type Props = { jobs: readonly Job[]; now: number; zone: string }

export function JobMark({
  mark,
  size = 11,
  label,
}: {
  mark: MarkKind | 'ask' | 'pause'
  size?: number
  label: string
}) {
  if (mark !== 'ask' && mark !== 'pause') return <Mark kind={mark} size={size} label={label} />
  return (
    <>
      {mark === 'ask' ? <Tier tier="red" size={size} /> : <Icon name="pause" />}
      <span className="vh">{label}</span>
    </>
  )
}

/** Each job with its schedule in words, its next time, its last outcome and its last ten runs, newest right. */
export function JobList({ jobs, chosen, now, zone }: Props & { chosen: string | undefined }) {
  return (
    <ul className="job-list" aria-label="Jobs">
      <li className="job-columns" aria-hidden="true">
        <span />
        <span>Job</span>
        <span>When</span>
        <span>Next</span>
        <span>Last run</span>
        <span>Last 10</span>
      </li>
      {jobs.map((job) => {
        const { mark, tag } = stateOf(job)
        const last = job.last.at(-1)
        const own = zoneOf(job, zone)
        const next = job.next[0]
        return (
          <li key={job.id}>
            <Link
              to={`/automations?job=${encodeURIComponent(job.id)}`}
              data-row={job.id}
              aria-current={job.id === chosen ? 'true' : undefined}
            >
              <span className="job-mark">
                <JobMark mark={mark} label={tag ?? 'well'} />
              </span>
              <span className="job-name">
                <b>
                  <Visible text={job.name} />
                </b>
                {/* The column of the last run says that there was no run. */}
                {tag !== undefined && last !== undefined && <span className="job-tag">{tag}</span>}
              </span>
              <span className="text-soft cut">{job.words.replace(`, ${zone}`, '')}</span>
              <span className="num">{next === undefined ? job.state : instant(next, now, own)}</span>
              <span className="job-last text-soft cut">
                {last === undefined ? 'none yet' : <Visible text={summaryOf(last, own)} />}{' '}
                {last !== undefined && <small>{costOf(last, false)}</small>}
              </span>
              <LastTen slots={job.last} />
            </Link>
          </li>
        )
      })}
    </ul>
  )
}

function LastTen({ slots }: { slots: readonly JobSlot[] }) {
  const words = slots.map(({ state }) => slotWord[state])
  return (
    <span className="last-ten">
      <span aria-hidden="true">
        {slots.map(({ slot, state }) => {
          const mark = slotMark[state]
          return mark === 'ask' ? <Tier key={slot} tier="red" size={9} /> : <Mark key={slot} kind={mark} size={9} />
        })}
      </span>
      <span className="vh">Last runs, oldest first: {words.join(', ') || 'none'}</span>
    </span>
  )
}

const dayMs = 86_400_000
/** The most starts of a job in a day that are drawn. A job that starts more often is only named. */
const mostADay = 8

/** The next 24 hours as a line of starts. */
export function NextDay({ jobs, now, zone }: Props) {
  const active = jobs.filter(({ state }) => state === 'active')
  const isOften = ({ next: [first, second] }: Job) =>
    first !== undefined && second !== undefined && second - first < dayMs / mostADay
  const often = active.filter(isOften)
  const starts = active
    .filter((job) => !isOften(job))
    .flatMap(({ id, name, next }) =>
      next.filter((at) => at < now + dayMs).map((at) => ({ key: `${id} ${at}`, name, at })),
    )
    .sort((a, b) => a.at - b.at)
  const ticks = [0, 0.25, 0.5, 0.75, 1]
  return (
    <section className="next-day" aria-label="Next 24 hours">
      <PanelHead title="Next 24 hours">{zone}</PanelHead>
      <ol style={{ height: Math.max(3, Math.min(starts.length, 6)) * 20 + 6 }}>
        {ticks.map((share) => (
          <li key={share} className="tick" aria-hidden="true" style={{ left: `${share * 100}%` }} />
        ))}
        {starts.map(({ key, name, at }, index) => {
          const share = (at - now) / dayMs
          const isLate = share > 0.7
          return (
            <li
              key={key}
              className={isLate ? 'start late' : 'start'}
              style={{
                ...(isLate ? { right: `${(1 - share) * 100}%` } : { left: `${share * 100}%` }),
                top: (index % 6) * 20 + 3,
              }}
            >
              <Mark kind="running" size={9} />
              <span>
                <Visible text={name} />, {instant(at, now, zone)}
              </span>
            </li>
          )
        })}
      </ol>
      <p className="num" aria-hidden="true">
        {ticks.map((share) => (
          <span key={share}>{instant(now + share * dayMs, now, zone)}</span>
        ))}
      </p>
      {often.length > 0 && (
        <p className="text-dim">
          Not drawn, because they start often: <Visible text={often.map(({ name }) => name).join(', ')} />.
        </p>
      )}
    </section>
  )
}
