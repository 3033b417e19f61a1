import type { Alert, AlertDetail, OfferedRunbook, SampleField, SampleRange } from 'protocol'
import { Suspense, useRef, useState } from 'react'
import { listRunbooks } from '../../api/runbooks.ts'
import { useLoad } from '../../api/use-load.ts'
import { later } from '../../app/later.tsx'
import { TierCounts } from '../../app/tier-counts.tsx'
import { usePageKeys } from '../../app/use-page-keys.ts'
import { AlertMark, nameOf } from '../../features/alerts/list.tsx'
import { clockOf, detailOf, endingOf, headOf, markOf, when } from '../../features/alerts/words.ts'
import { ranges, rangeWord } from '../../features/cluster/past.ts'
import { objectPath } from '../../features/cluster/paths.ts'
import { capital, duration, longSpan, plural, span } from '../../lib/format.ts'
import { grouped } from '../../lib/grouped.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { AlertActs } from './acts.tsx'

const Charts = later(() => import('../../features/cluster/charts.tsx').then((part) => part.Charts))
const rangeMs: Record<SampleRange, number> = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000 }
const fields = ['cpuRatio', 'ramRatio', 'diskRatio', 'storageRatio', 'usedRatio', 'load1', 'temperatureC', 'netBps']
const isField = (field: string): field is SampleField => fields.includes(field)

/** One alert: its measured value, its chart with changes marked, its evidence, the changes before it, and the possible actions. */
export function AlertDetailPane({ alert, now, onChanged }: { alert: AlertDetail; now: number; onChanged: () => void }) {
  const { evidence, chart, changes } = alert
  const [range, setRange] = useState<SampleRange>('24h')
  const proof = useRef<HTMLDivElement>(null)
  usePageKeys({
    x: () => {
      proof.current?.focus({ preventScroll: true })
      proof.current?.scrollIntoView({ block: 'nearest' })
    },
  })
  // Number the changes from the oldest, as on the chart's axis.
  const drawn = changes.filter(({ at }) => at > now - rangeMs[range]).toReversed()
  const numberOf = (change: (typeof changes)[number]) => {
    const at = drawn.indexOf(change)
    return chart === undefined || at < 0 ? undefined : at + 1
  }
  const [ended, lasted] = endingOf(alert, now)
  const page = objectPath(alert.object)
  return (
    <>
      <header className="alert-head">
        {alert.state === 'resolved' ? (
          <Mark kind="ok" size={14} label="ended" />
        ) : (
          <AlertMark {...{ alert, now }} isLive />
        )}
        <div>
          <h2>
            <Visible text={headOf(alert)} />
          </h2>
          <p className="text-soft">
            <Visible text={alert.state === 'resolved' ? `Ended ${ended}, after ${lasted}.` : stateWords(alert, now)} />
            {alert.limit !== undefined && (
              <>
                {' '}
                <Visible text={alert.limit} />
              </>
            )}
          </p>
        </div>
      </header>
      {alert.state !== 'resolved' && <AlertActs key={alert.id} alert={alert} now={now} onChanged={onChanged} />}
      {chart !== undefined && isField(chart.field) && (
        <section className="alert-chart" aria-label="Its past">
          <div className="sub-head">
            <h3>Past of {nameOf(alert)}</h3>
            <fieldset className="ranges">
              <legend className="vh">Time shown</legend>
              {ranges.map((known) => (
                <button key={known} type="button" aria-pressed={known === range} onClick={() => setRange(known)}>
                  {rangeWord[known]}
                </button>
              ))}
            </fieldset>
          </div>
          <Suspense fallback={<div className="charts" aria-busy="true" />}>
            <Charts
              name={chart.series}
              range={range}
              fields={[chart.field]}
              marks={drawn.map(({ at }, index) => ({ number: index + 1, at }))}
              limit={chart.limit}
            />
          </Suspense>
        </section>
      )}
      <div className="alert-pair">
        <div>
          <div className="sub-head" ref={proof} tabIndex={-1}>
            <h3>Evidence</h3>
          </div>
          <dl className="evidence">
            {page !== undefined && (
              <Fact name="About">
                <Link className="text-link" to={page}>
                  <Visible text={nameOf(alert)} />
                </Link>
              </Fact>
            )}
            <Fact name="Read">
              <code>
                <Visible text={evidence.read} />
              </code>{' '}
              <small>
                {clockOf(evidence.at)}
                {evidence.durationMs !== undefined && `, ${duration(evidence.durationMs)}`}
              </small>
            </Fact>
            {evidence.values.length > 0 && (
              <Fact name="Values">
                <span className="num">
                  <Visible text={evidence.values.join(', ')} />
                </span>
              </Fact>
            )}
            {evidence.usual !== undefined && (
              <Fact name="Usual">
                <Visible text={evidence.usual} />
              </Fact>
            )}
            <Fact name="Before">{beforeWords(evidence.before, now)}</Fact>
            <Fact name="Told">
              {alert.told.length === 0
                ? 'nobody'
                : alert.told.map(({ at, what, words }) => (
                    <span key={`${at} ${what}`} className="told">
                      <Visible text={words} />{' '}
                      <small>
                        {when(at, now)}, {what === 'fired' ? 'as it fired' : 'as it ended'}
                      </small>
                    </span>
                  ))}
            </Fact>
            {alert.missing.map((line) => (
              <Fact key={line} name="Not read">
                <Visible text={line} />
              </Fact>
            ))}
          </dl>
          <Runbooks offered={alert.runbooks} />
          {alert.hidden.length > 0 && (
            <Others title={`Hidden by it: ${alert.hidden.length}`} items={alert.hidden} now={now} />
          )}
        </div>
        <div>
          <div className="sub-head">
            <h3>Changed before it</h3>
            <small>journal and tasks, 24 h</small>
          </div>
          {changes.length === 0 && <p className="text-dim">Nothing known.</p>}
          <ol className="alert-changes">
            {changes.map((change) => (
              <li key={`${change.at} ${change.sentence}`}>
                <Icon name={change.isOurs ? 'journal' : 'terminal'} />
                <span>
                  <Visible text={change.sentence} />
                  <small>
                    {when(change.at, now)}, <Visible text={change.by} />
                    {change.isOurs ? '' : ' · not by JARVIS'}
                    {change.entry !== undefined && (
                      <>
                        {', '}
                        <Link className="text-link" to={`/journal?entry=${change.entry}`}>
                          entry {grouped(change.entry)}
                        </Link>
                      </>
                    )}
                  </small>
                </span>
                <span className="num text-dim">
                  {numberOf(change) !== undefined && <span className="vh">number on the chart </span>}
                  {numberOf(change)}
                </span>
              </li>
            ))}
          </ol>
          {alert.also.length > 0 && (
            <Others title={`Also at ${when(alert.firedAt ?? alert.since, now)}`} items={alert.also} now={now} />
          )}
        </div>
      </div>
    </>
  )
}

const Fact = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

function stateWords(alert: Alert, now: number): string {
  const { state, firedAt, since } = alert
  if (state === 'firing' && alert.silenced === undefined && alert.acknowledged === undefined) {
    return `Firing since ${when(firedAt ?? since, now)}, for ${longSpan(now - (firedAt ?? since))}.`
  }
  return `${capital(detailOf(alert, undefined, now))}.`
}

function beforeWords({ count, longestMs, lastAt }: AlertDetail['evidence']['before'], now: number): string {
  if (count === 0) return 'not in 30 d'
  const longest = longestMs === undefined ? '' : `, longest ${span(longestMs)}`
  return `${plural(count, 'time')} in 30 d${longest}${lastAt === undefined ? '' : `, last ${when(lastAt, now)}`}`
}

/** Links to other alerts. They are not merged, and no alert is called the cause. */
function Others({ title, items, now }: { title: string; items: readonly Alert[]; now: number }) {
  const [most, setMost] = useState(12)
  return (
    <>
      <div className="sub-head">
        <h3>{title}</h3>
      </div>
      <ul className="alert-others">
        {items.slice(0, most).map((alert) => (
          <li key={alert.id}>
            <Mark kind={alert.state === 'resolved' ? 'ok' : markOf(alert)} size={11} label={alert.state} />
            <Link to={`/alerts?alert=${encodeURIComponent(alert.id)}`}>
              <Visible text={alert.sentence} />
            </Link>{' '}
            <small>{when(alert.firedAt ?? alert.since, now)}</small>
          </li>
        ))}
      </ul>
      {items.length > most && (
        <button type="button" className="button small" onClick={() => setMost(most + 60)}>
          {Math.min(60, items.length - most)} more
        </button>
      )}
    </>
  )
}

/** The runbooks for the alert, with their steps by tier and the outcome of the last run. */
function Runbooks({ offered }: { offered: readonly OfferedRunbook[] }) {
  const known = useLoad('runbooks', listRunbooks, ['connect', 'runbooks']).data?.items
  if (offered.length === 0) return null
  return (
    <>
      <div className="sub-head">
        <h3>{offered.length === 1 ? 'Runbook' : 'Runbooks'}</h3>
      </div>
      {offered.map(({ name, title }) => {
        const runbook = known?.find((one) => one.name === name)
        return (
          <div key={name} className="offered">
            <Link to={`/automations/runbooks/${encodeURIComponent(name)}`}>
              <b>
                <Visible text={title} />
              </b>
            </Link>
            {runbook !== undefined && (
              <>
                <TierCounts steps={runbook.steps} />
                <small>
                  {runbook.lastRun === undefined
                    ? 'never run'
                    : `${when(runbook.lastRun.at, Date.now())}, ${runbook.lastRun.state}`}
                </small>
                <p className="text-soft">
                  <Visible text={runbook.about} />
                </p>
              </>
            )}
          </div>
        )
      })}
    </>
  )
}
