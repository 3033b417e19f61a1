import { Link, useSearchParams } from 'react-router'
import { useConfirmations } from '../api/confirmations.ts'
import { ClusterOverview, type GuestFilter, needsLook } from '../features/cluster/page.tsx'
import { ClusterColumn } from '../features/cluster/panel.tsx'
import { Age, Quorum } from '../features/cluster/parts.tsx'
import { useCluster } from '../features/cluster/store.ts'
import { Tray } from '../features/confirmations/tray.tsx'
import { capital } from '../lib/format.ts'
import { Mark } from '../ui/mark.tsx'
import { PanelHead } from '../ui/panel-head.tsx'
import { phone, useMedia } from '../ui/use-media.ts'
import { useNow } from '../ui/use-now.ts'
import './cluster-page.css'
import { PageHead } from './page-head.tsx'
import { useAskNew } from './use-ask.ts'
import { useGhosts, useTitleOf } from './waiting.tsx'

const filters: readonly GuestFilter[] = ['all', 'running', 'stopped', 'attention']

export function ClusterPage() {
  const { state, heardAt, isLive, issues } = useCluster()
  const isPhone = useMedia(phone)
  const ghosts = useGhosts()
  const waiting = useConfirmations()?.pending ?? []
  const titleOf = useTitleOf()
  const onAsk = useAskNew()
  const now = useNow(60_000)
  const [params] = useSearchParams()
  const filter = filters.find((known) => known === params.get('show')) ?? 'all'
  const guests = state?.guests ?? []
  const counts: Record<GuestFilter, number> = {
    all: guests.length,
    running: guests.filter((guest) => guest.status === 'running').length,
    stopped: guests.filter((guest) => guest.status === 'stopped').length,
    attention: guests.filter((guest) => needsLook(guest, issues, now)).length,
  }
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
                  · <Age heardAt={heardAt} isLive={isLive} />
                </span>
              </span>
            )
          }
        />
        <div className="page scroll">
          <ClusterColumn ghosts={ghosts} onAsk={onAsk} />
        </div>
      </>
    )
  }
  return (
    <>
      <PageHead title="Cluster" detail={state?.name}>
        <nav className="filters" aria-label="Guests shown">
          {filters.map((name) => (
            <Link
              key={name}
              to={name === 'all' ? '/cluster' : `/cluster?show=${name}`}
              aria-current={name === filter ? 'true' : undefined}
            >
              {name === 'attention' && counts.attention > 0 && <Mark kind="warn" size={10} />}
              {capital(name)} <span className="num">{counts[name]}</span>
            </Link>
          ))}
        </nav>
        <span className="flex-1" />
        <span className="age">
          <Age heardAt={heardAt} isLive={isLive} />
        </span>
      </PageHead>
      <div className="page overview">
        <ClusterOverview
          filter={filter}
          ghosts={ghosts}
          onAsk={onAsk}
          tray={
            waiting.length > 0 && (
              <>
                <PanelHead title="Waiting for you">
                  <span className="num">{waiting.length}</span>
                </PanelHead>
                <Tray rows={waiting} titleOf={titleOf} />
              </>
            )
          }
        />
      </div>
    </>
  )
}
