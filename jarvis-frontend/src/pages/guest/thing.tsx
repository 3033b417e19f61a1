import type { Alert, SampleField } from 'protocol'
import { Suspense } from 'react'
import { useAlerts } from '../../api/alerts.ts'
import { later } from '../../app/later.tsx'
import { Skeletons } from '../../app/load-state.tsx'
import { PageHead } from '../../app/page-head.tsx'
import { severityMark } from '../../features/alerts/worst.ts'
import { ranges, rangeWord } from '../../features/cluster/past.ts'
import { useCluster } from '../../features/cluster/store.ts'
import { exactTime } from '../../lib/format.ts'
import { useLocation, useSearchParams } from '../../lib/location.tsx'
import { Visible } from '../../ui/boxed.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { ChangeList } from './change-list.tsx'
import './page.css'
import { useBounded } from './more.tsx'
import { useChanges } from './use-changes.ts'

const Charts = later(() => import('../../features/cluster/charts.tsx').then((part) => part.Charts))

type Props = {
  title: string
  phoneDetail?: string | undefined
  /** The object with its kind, `node pve`, if the cluster does not have it; undefined while it is there, or not known. */
  gone: string | undefined
  /** The name of its samples and of its changes' target: `node/pve`. */
  id: string
  fields: readonly SampleField[]
  isAbout: (alert: Alert) => boolean
  /** Its facts, and what may be done. */
  facts: React.ReactNode
  /** The guests or volumes on it. */
  children: React.ReactNode
}

/** The page of a node or a storage: facts, charts, what stands on it, its alerts, and what JARVIS changed. */
export function Thing({ title, phoneDetail, gone, id, fields, isAbout, facts, children }: Props) {
  const { state } = useCluster()
  const { pathname } = useLocation()
  const [params] = useSearchParams()
  const range = ranges.find((known) => known === params.get('range')) ?? '24h'
  const changes = useChanges([id])
  const times = (
    <nav className="filters" aria-label="Time shown">
      {ranges.map((known) => (
        <Link
          key={known}
          to={`${pathname}?${new URLSearchParams({ ...Object.fromEntries(params), range: known })}`}
          replace
          aria-current={known === range ? 'true' : undefined}
        >
          {rangeWord[known]}
        </Link>
      ))}
    </nav>
  )
  return (
    <>
      <PageHead title={title} name={title} phoneDetail={phoneDetail}>
        <span className="flex-1" />
        {times}
      </PageHead>
      {state === undefined ? (
        <Skeletons rows={10} height={30} />
      ) : (
        <div className="page scroll guest-page thing-page">
          {gone !== undefined && (
            <section className="empty">
              <h2>The cluster has no {gone} now.</h2>
            </section>
          )}
          <div className="guest-split">
            <div className="guest-main">
              <Suspense fallback={<div className="charts" aria-busy="true" />}>
                <Charts name={id} range={range} fields={fields} saysUnknown />
              </Suspense>
              {children}
              <PanelHead title="Changed" />
              <ChangeList changes={changes} marks={[]} />
            </div>
            <div className="guest-aside">
              <section className="thing-facts">{facts}</section>
              <AlertsOn isAbout={isAbout} />
            </div>
          </div>
        </div>
      )}
    </>
  )
}

/** The alerts about one object that have not ended, gravest first. */
function AlertsOn({ isAbout }: Pick<Props, 'isAbout'>) {
  const reply = useAlerts()
  const items = reply?.items.filter(isAbout)
  const [shown, more] = useBounded(items ?? [], 10)
  return (
    <section>
      <PanelHead title="Alerts">{items !== undefined && items.length > 0 && items.length}</PanelHead>
      {items?.length === 0 && <p className="guest-note">No alert is about it.</p>}
      <ul className="guest-rows">
        {shown.map(({ id, sentence, severity, since }) => (
          <li key={id}>
            <Mark kind={severityMark[severity]} size={10} />
            <span>
              <Link to={`/alerts?alert=${encodeURIComponent(id)}`}>
                <Visible text={sentence.replace(/\.$/, '')} />
              </Link>
              <small>since {exactTime(since, Date.now())}</small>
            </span>
          </li>
        ))}
      </ul>
      {more}
    </section>
  )
}
