import { withoutTemplates } from 'protocol/facts'
import { Suspense } from 'react'
import { useWaiting } from '../../api/waiting.ts'
import { ClusterColumn } from '../../features/cluster/column.tsx'
import { type Issue, lookWords } from '../../features/cluster/health.ts'
import { LimitsForm } from '../../features/cluster/limits-form.tsx'
import { ClusterOverview, type GuestFilter } from '../../features/cluster/page.tsx'
import { Age, Quorum } from '../../features/cluster/parts.tsx'
import { useCluster } from '../../features/cluster/store.ts'
import { capital } from '../../lib/format.ts'
import { navigate } from '../../lib/location.tsx'
import { Visible } from '../../ui/boxed.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { phone, useMedia } from '../../ui/use-media.ts'
import './page.css'
import { useGhosts } from '../../app/ghosts.ts'
import { later } from '../../app/later.tsx'
import { PageHead } from '../../app/page-head.tsx'
import { Tray } from '../../app/tray.tsx'
import { useAskNew } from '../../app/use-ask.ts'
import { useTitleOf } from '../../app/waiting.tsx'
import { filters, useClusterView } from './cluster-view.ts'
import { Found, isNarrowed, Narrow } from './narrow.tsx'

const Detail = later(() => import('../../features/cluster/detail.tsx').then((part) => part.Detail))
const Charts = later(() => import('../../features/cluster/charts.tsx').then((part) => part.Charts))

/** The things that need a look, for a wall display. */
function LookLine({ issues }: { issues: readonly Issue[] }) {
  const [worst] = issues
  if (worst === undefined) return null
  return (
    <p className="cut">
      <Mark kind={worst.tone} size={12} /> <span className="num">{lookWords(issues.length)}</span>:{' '}
      <Visible text={issues.map(({ fact }) => fact).join(' · ')} />
    </p>
  )
}

export function ClusterPage() {
  const { state, heardAt, isLive, issues } = useCluster()
  const { view, linkTo, onClose, isKiosk } = useClusterView()
  const narrow = state !== undefined && !isKiosk && (
    <Narrow
      state={state}
      narrowing={view.narrowing}
      onNarrow={(change) => navigate(linkTo({ narrow: change }), { replace: true })}
    />
  )
  const isPhone = useMedia(phone)
  const ghosts = useGhosts()
  const waiting = useWaiting()
  const titleOf = useTitleOf()
  const onAsk = useAskNew()
  const guests = withoutTemplates(state?.guests ?? [])
  const counts: Record<GuestFilter, number> = {
    all: state?.guests.length ?? 0,
    running: guests.filter((guest) => guest.status === 'running').length,
    stopped: guests.filter((guest) => guest.status === 'stopped').length,
    attention: issues.length,
  }
  const detail = view.detail !== undefined && (
    <Suspense fallback={<div className="thing-detail" aria-busy="true" />}>
      <Detail
        name={view.detail}
        Charts={Charts}
        range={view.range}
        linkTo={linkTo}
        onClose={onClose}
        onAsk={isKiosk ? undefined : onAsk}
      />
    </Suspense>
  )
  if (isPhone) {
    return (
      <>
        <PageHead
          title={state?.name ?? 'Cluster'}
          phoneDetail={
            state !== undefined && (
              <span className="phone-quorum">
                <Quorum nodes={state.nodes} isQuorate={state.isQuorate} isLive={isLive} />
                <span>
                  , <Age heardAt={heardAt} isLive={isLive} isInline />
                </span>
              </span>
            )
          }
        />
        <div className="page scroll">
          {view.detail === undefined ? (
            <>
              {narrow}
              {state !== undefined && isNarrowed(view.narrowing) ? (
                <Found state={state} narrowing={view.narrowing} ghosts={ghosts} />
              ) : (
                <ClusterColumn ghosts={ghosts} onAsk={onAsk} linkTo={(detail) => linkTo({ detail })} />
              )}
              <LimitsForm isOperator={onAsk !== undefined} />
            </>
          ) : (
            detail
          )}
        </div>
      </>
    )
  }
  const age = (
    <span className="age">
      <Age heardAt={heardAt} isLive={isLive} />
    </span>
  )
  return (
    <>
      {isKiosk ? (
        <header className="kiosk-head">
          <h1>{state?.name ?? 'Cluster'}</h1>
          <LookLine issues={issues} />
          {age}
        </header>
      ) : (
        <PageHead detail={state?.name}>
          <nav className="filters" aria-label="Guests shown">
            {filters.map((name) => (
              <Link key={name} to={linkTo({ show: name })} aria-current={name === view.show ? 'true' : undefined}>
                {name === 'attention' && counts.attention > 0 && <Mark kind={issues[0]?.tone ?? 'warn'} size={10} />}
                {capital(name)} <span className="num">{counts[name]}</span>
              </Link>
            ))}
            <Link to={linkTo({ group: !view.isGrouped })} replace aria-current={view.isGrouped ? 'true' : undefined}>
              By node
            </Link>
            <Link
              to={linkTo({ sort: view.sort.key === 'worst' ? 'node' : 'worst' })}
              replace
              aria-current={view.sort.key === 'worst' ? 'true' : undefined}
            >
              Worst first
            </Link>
          </nav>
          <span className="flex-1" />
          {age}
        </PageHead>
      )}
      <div className="page overview">
        <ClusterOverview
          view={view}
          linkTo={linkTo}
          detail={detail}
          ghosts={ghosts}
          narrow={narrow}
          onAsk={isKiosk ? undefined : onAsk}
          foot={!isKiosk && <LimitsForm isOperator={onAsk !== undefined} />}
          tray={
            waiting.count > 0 && (
              <>
                <PanelHead title="Waiting for you">
                  <span className="num">{waiting.count}</span>
                </PanelHead>
                <Tray {...waiting} titleOf={titleOf} />
              </>
            )
          }
        />
      </div>
    </>
  )
}
