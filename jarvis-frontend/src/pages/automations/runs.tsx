import type { Job, JobSlot, JobTrace } from 'protocol'
import { useState } from 'react'
import { readSlots, readTrace } from '../../api/jobs.ts'
import { useLoad } from '../../api/use-load.ts'
import { Problem, Skeletons } from '../../app/load-state.tsx'
import { costOf, instant, slotMark, slotWord, summaryOf } from '../../features/jobs/words.ts'
import { argumentText } from '../../lib/argument-text.ts'
import { duration, plural } from '../../lib/format.ts'
import { grouped } from '../../lib/grouped.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { Tier, type TierName } from '../../ui/tier.tsx'
import { JobMark } from './job-list.tsx'

/** The trace of one run, and the list of earlier runs by slot. */
export function Runs({ job, slot, zone, now }: { job: Job; slot: number | undefined; zone: string; now: number }) {
  const newest = useLoad(`slots ${job.id}`, () => readSlots(job.id), ['connect', 'jobs'])
  const [older, setOlder] = useState<{ items: JobSlot[]; next: string | undefined }>()
  const next = older === undefined ? newest.data?.next : older.next
  const read = newest.data?.items ?? []
  const seen = new Set(read.map((one) => one.slot))
  const slots = [...read, ...(older?.items ?? []).filter((one) => !seen.has(one.slot))]
  const open = slots.find((one) => one.slot === slot) ?? slots[0]
  const more = async () => {
    const page = await readSlots(job.id, next).catch(() => undefined)
    if (page !== undefined) setOlder({ items: [...(older?.items ?? []), ...page.items], next: page.next })
  }
  return (
    <>
      <Problem error={newest.problem} onAgain={newest.again} kept={newest.data !== undefined} />
      {newest.data === undefined && newest.problem === undefined && <Skeletons rows={4} height={38} />}
      {newest.data !== undefined && open === undefined && (
        <>
          <PanelHead title="Last run" />
          <p className="job-none">It has not run yet.</p>
        </>
      )}
      {open !== undefined && <Trace key={open.slot} job={job} slot={open} now={now} zone={zone} />}
      {slots.length > 1 && (
        <>
          <PanelHead title="Runs">
            {plural(slots.length, 'run')}
            {next !== undefined && ' and more'}
          </PanelHead>
          <ul className="slots">
            {slots.map((one) => (
              <li key={one.slot}>
                <Link
                  to={`/automations?job=${encodeURIComponent(job.id)}&slot=${one.slot}`}
                  replace
                  aria-current={one.slot === open?.slot ? 'true' : undefined}
                >
                  <span className="job-mark">
                    <JobMark mark={slotMark[one.state]} label={slotWord[one.state]} />
                  </span>
                  <span>{instant(one.slot, now, zone)}</span>
                  <span className="num text-soft">{costOf(one)}</span>
                  <small>
                    <Visible text={summaryOf(one, zone)} />
                  </small>
                </Link>
              </li>
            ))}
          </ul>
          {next !== undefined && (
            <p className="job-none">
              <button type="button" className="button small" onClick={() => void more()}>
                Earlier
              </button>
            </p>
          )}
        </>
      )}
    </>
  )
}

const stepMark = { done: 'ok', failed: 'bad', unknown: 'unknown', refused: 'none', waits: 'step' } as const
const tierOf = (tier: string): TierName => (tier === 'green' || tier === 'yellow' || tier === 'red' ? tier : 'black')

function Trace({ job, slot, now, zone }: { job: Job; slot: JobSlot; now: number; zone: string }) {
  const { data, problem, again } = useLoad<JobTrace>(
    `trace ${job.id} ${slot.slot} ${slot.state}`,
    () => readTrace(job.id, slot.slot),
    ['connect', 'jobs'],
  )
  return (
    <section aria-label="The run">
      <PanelHead title={instant(slot.slot, now, zone)}>{costOf(slot)}</PanelHead>
      <p className="job-none">
        <JobMark mark={slotMark[slot.state]} label={slotWord[slot.state]} /> <Visible text={summaryOf(slot, zone)} />{' '}
        {slot.sessionId !== undefined && (
          <Link className="text-link" to={`/chat/${slot.sessionId}`}>
            Its chat
          </Link>
        )}
      </p>
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      <ol className="trace">
        {data?.steps.map((step) => (
          <li key={`${step.at} ${step.toolName}`}>
            <Tier tier={tierOf(step.tier)} size={12} />
            <span className="cut">
              <code>{step.toolName}</code>{' '}
              <code className="text-dim">
                <Visible text={argumentText(step.toolInput)} />
              </code>
            </span>
            <span className="num text-dim">{step.durationMs !== undefined && duration(step.durationMs)}</span>
            <small>
              <Mark kind={stepMark[step.state]} size={9} label={step.state} /> <Visible text={step.summary} />
              {step.entry !== undefined && (
                <>
                  {'; '}
                  <Link className="text-link" to={`/journal?entry=${step.entry}`}>
                    entry {grouped(step.entry)}
                  </Link>
                </>
              )}
            </small>
          </li>
        ))}
      </ol>
      {data?.said !== undefined && (
        <p className="job-said">
          <Visible text={data.said} />
        </p>
      )}
    </section>
  )
}
