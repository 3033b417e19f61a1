import type { Guest, Node, SampleRange } from 'protocol'
import { isUnread, storageSeries } from 'protocol/facts'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { useNow } from '../../ui/use-now.ts'
import { GuestTable } from './guest-table.tsx'
import { concernedOf, guestMark, nodeMark } from './health.ts'
import { IssueList } from './issue-list.tsx'
import { NodeCard } from './node-card.tsx'
import { type Ghosts, StorageList, TaskList } from './parts.tsx'
import { isWanted, type Narrowing, rowsOf, type Sort } from './rows.ts'
import { useCluster } from './store.ts'
import { unreadLines } from './unknown.ts'
import { VitalRow } from './vital-row.tsx'

export type GuestFilter = 'all' | 'running' | 'stopped' | 'attention'

/** The part of the page's state that its URL holds. `detail`: name of an object, such as `guest/123`. */
export type ClusterView = {
  show: GuestFilter
  sort: Sort
  isGrouped: boolean
  narrowing: Narrowing
  detail: string | undefined
  range: SampleRange
}
export type ViewChange = {
  show?: GuestFilter
  sort?: string
  group?: boolean
  narrow?: Partial<Narrowing>
  detail?: string | undefined
  range?: SampleRange
}

type Props = {
  view: ClusterView
  linkTo: (change: ViewChange) => string
  /** The details of the object that the URL names. */
  detail: React.ReactNode
  ghosts: Ghosts
  tray: React.ReactNode
  /** Above the guests. */
  narrow: React.ReactNode
  /** Content at the bottom of the right column. */
  foot?: React.ReactNode
  onAsk: ((question: string) => void) | undefined
}

/** The cluster page: vitals, node cards, the guest table and the list of issues. If the URL names an object, also shows its details. */
export function ClusterOverview({ view, linkTo, detail, ghosts, tray, narrow, foot, onAsk }: Props) {
  const { state, isLive, issues } = useCluster()
  const now = useNow(60_000)
  if (state === undefined) return <div className="panel-skeleton" aria-busy="true" />
  const isConcerned = concernedOf(state, issues, now)
  const guests = state.guests.filter((guest) => {
    if (!isWanted(guest, view.narrowing)) return false
    if (view.show === 'all') return true
    return view.show === 'attention' ? isConcerned(guest) : guest.status === view.show && !guest.isTemplate
  })
  const away = new Set(state.nodes.flatMap(({ name, status }) => (status === 'online' ? [] : [name])))
  const markOf = (guest: Guest) => guestMark(guest, issues, isLive && !away.has(guest.node))
  // Many nodes scroll in their own box, so the ill ones come first.
  const rank = (node: Node) => ['bad', 'warn', 'unknown', 'ok'].indexOf(nodeMark(node, issues, isLive))
  const nodes = state.nodes.length > fewNodes ? state.nodes.toSorted((a, b) => rank(a) - rank(b)) : state.nodes
  const busy = new Set(issues.flatMap(({ check, vmid }) => (check === 'guest-cpu' && vmid !== undefined ? [vmid] : [])))
  return (
    <>
      {state.isQuorate === null && (
        <p className="strip wash-warn">
          <Mark kind="unknown" /> <span>Quorum unknown: {unreadLines(state)[0] ?? 'it could not be read'}.</span>
        </p>
      )}
      {state.isQuorate === false && (
        <p className="strip wash-bad">
          <Mark kind="bad" /> <span>No quorum: guests cannot be started.</span>
        </p>
      )}
      <VitalRow state={state} isLive={isLive} now={now} />
      <div className="node-cards">
        {nodes.map((node) => (
          <NodeCard
            key={node.name}
            node={node}
            mark={nodeMark(node, issues, isLive)}
            to={linkTo({ detail: `node/${node.name}` })}
          />
        ))}
      </div>
      <div className="split">
        <div className="scroll">
          {narrow}
          <GuestTable
            rows={rowsOf(state, guests, { ...view, markOf })}
            markOf={markOf}
            isBusy={(guest) => busy.has(guest.vmid)}
            ghosts={ghosts}
            now={now}
            sort={view.sort}
            chosen={view.detail?.startsWith('guest/') ? view.detail.slice(6) : undefined}
            linkTo={linkTo}
          />
          {guests.length === 0 && (
            <p className="none">
              {isUnread(state, 'guests')
                ? 'Guests are unknown.'
                : state.guests.some((guest) => !isWanted(guest, view.narrowing))
                  ? 'No guest is like that.'
                  : view.show === 'attention' && issues.length === 0
                    ? 'Nothing needs attention.'
                    : noGuests[view.show]}
            </p>
          )}
        </div>
        <div className="aside scroll">
          {detail}
          {tray}
          <IssueList issues={issues} onAsk={onAsk} />
          <PanelHead title="Storage" />
          {isUnread(state, 'storages') && <p className="none">Storages are unknown.</p>}
          <StorageList storages={state.storages} to={(storage) => linkTo({ detail: storageSeries(storage) })} />
          <PanelHead title="Tasks" />
          {isUnread(state, 'tasks') ? (
            <p className="none">Tasks are unknown.</p>
          ) : state.tasks.length === 0 ? (
            <p className="none">No task is known.</p>
          ) : (
            <TaskList tasks={state.tasks} />
          )}
          {state.missing.length > 0 && (
            <>
              <PanelHead title="Not readable" />
              <ul className="missing">
                {state.missing.map((line) => (
                  <li key={line}>
                    <Mark kind="unknown" /> <Visible text={line} />
                  </li>
                ))}
              </ul>
            </>
          )}
          {foot}
        </div>
      </div>
    </>
  )
}

/** More nodes than this are ordered by their state. */
const fewNodes = 8

const noGuests: Record<GuestFilter, string> = {
  all: 'The cluster has no guests, or the token may not see them.',
  running: 'No guest runs.',
  stopped: 'No guest is stopped.',
  attention: 'What needs attention is about no guest.',
}
