import type { ClusterState, Node } from 'protocol'
import { isUnread, storageSeries, withoutTemplates } from 'protocol/facts'
import { memo, useState } from 'react'
import { celsius, percent, plural, share, shortSpan, span } from '../../lib/format.ts'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { Spark } from '../../ui/spark.tsx'
import { useNow } from '../../ui/use-now.ts'
import { backupsOf, guestMark, type Issue, nodeMark, nodeRam, sharedAge, temperatureTone } from './health.ts'
import { type Ghosts, GuestRow, Lock, Quorum, StorageList } from './parts.tsx'
import { nodePath, storagePath } from './paths.ts'
import { StateMark } from './state-mark.tsx'
import { totalsOf, useCluster, useClusterStore } from './store.ts'

export type PanelProps = {
  /** Waiting cards and questions, docked above the nodes. */
  tray?: React.ReactNode
  ghosts: Ghosts
}

/** The whole cluster in one column beside the chat. */
export function ClusterPanel({ tray, ghosts }: PanelProps) {
  const { state, isLive, issues } = useCluster()
  if (state === undefined) return <PanelSkeleton />
  return (
    <>
      <header className="panel-bar">
        <h2 className="cut">{state.name}</h2>
        <span className="cut text-dim">
          {isUnread(state, 'nodes')
            ? 'unknown'
            : `${plural(state.nodes.length, 'node')}, ${plural(withoutTemplates(state.guests).length, 'guest')}`}
        </span>
        <span className="panel-aside">
          <Quorum nodes={state.nodes} isQuorate={state.isQuorate} isLive={isLive} />
        </span>
      </header>
      <Vitals state={state} />
      {tray}
      <Nodes state={state} issues={issues} isLive={isLive} ghosts={ghosts} />
      <Storages state={state} />
    </>
  )
}

const wholePercent = (share: number | undefined) => (share === undefined ? undefined : Math.round(share * 100))

export function Vitals({ state }: { state: ClusterState }) {
  const totals = totalsOf(state)
  const figures = [
    ['CPU', wholePercent(totals.cpuRatio), '%'],
    ['Memory', wholePercent(totals.ramRatio), '%'],
    ['Storage', wholePercent(totals.storageRatio), '%'],
    ['Running', totals.running, `/${totals.guests}`],
  ] as const
  return (
    <dl className="vitals">
      {figures.map(([name, value, unit]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value === undefined ? (
              <small>unknown</small>
            ) : (
              <>
                {value}
                <small>{unit}</small>
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

export function Storages({ state, linkTo }: { state: ClusterState; linkTo?: (detail: string) => string }) {
  const now = useNow(60_000)
  const { stale, oldestMs, expected, unknown } = backupsOf(state.guests, now)
  const age = sharedAge(stale, now)
  return (
    <>
      <PanelHead title="Storage">
        {expected > 0 && oldestMs !== undefined && (
          <>
            <Mark kind={stale.length > 0 ? 'warn' : unknown > 0 ? 'unknown' : 'ok'} size={10} />
            <span>
              {stale.length === 0 && unknown > 0
                ? `backups of ${plural(unknown, 'guest')} unknown`
                : stale.length === 0
                  ? `all guests backed up, oldest ${span(oldestMs)}`
                  : age === undefined
                    ? `${plural(stale.length, 'guest')} without a fresh backup`
                    : `${plural(stale.length, 'guest')} without a backup for ${age}`}
            </span>
          </>
        )}
      </PanelHead>
      <StorageList
        storages={state.storages}
        to={(storage) => linkTo?.(storageSeries(storage)) ?? storagePath(storage)}
      />
    </>
  )
}

type NodesProps = {
  state: ClusterState
  issues: readonly Issue[]
  isLive: boolean
  ghosts: Ghosts
  /** True: each node is a line that opens. */
  opens?: boolean
  linkTo?: (detail: string) => string
}

/** With more guests than this, nodes are closed and a long list is cut. */
const mostGuests = 60

export function Nodes({ state, issues, isLive, ghosts, linkTo, ...given }: NodesProps) {
  const opens = given.opens === true || state.guests.length > mostGuests
  const [whole, setWhole] = useState<ReadonlySet<string>>(new Set())
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map())
  const ill = (node: Node) => nodeMark(node, issues, isLive) !== 'ok'
  const nodes = opens ? [...state.nodes].sort((a, b) => Number(ill(b)) - Number(ill(a))) : state.nodes
  const isOpen = (node: Node) =>
    !opens || (toggled.get(node.name) ?? (ill(node) || guestsOf(state, node).some((guest) => ghosts.has(guest.vmid))))
  return (
    <>
      <PanelHead title="Nodes and guests">
        <span className="pair">
          <span>cpu</span>
          <span>mem</span>
        </span>
      </PanelHead>
      <div className="nodes">
        {nodes.map((node) => {
          const head = <NodeHead node={node} mark={nodeMark(node, issues, isLive)} isLink={!opens} />
          return (
            <section key={node.name} aria-label={node.name}>
              {opens ? (
                <button
                  type="button"
                  className="node"
                  aria-expanded={isOpen(node)}
                  onClick={() => setToggled(new Map(toggled).set(node.name, !isOpen(node)))}
                >
                  {head}
                </button>
              ) : (
                <div className="node">{head}</div>
              )}
              {isOpen(node) && (
                <ul>
                  {guestsOf(state, node)
                    .slice(0, whole.has(node.name) ? undefined : mostGuests)
                    .map((guest) => (
                      <GuestRow
                        key={guest.vmid}
                        guest={guest}
                        mark={guestMark(guest, issues, isLive && node.status === 'online')}
                        ghost={ghosts.get(guest.vmid)}
                        to={linkTo?.(`guest/${guest.vmid}`)}
                      />
                    ))}
                  {guestsOf(state, node).length > mostGuests && !whole.has(node.name) && (
                    <li className="more">
                      <button type="button" onClick={() => setWhole(new Set([...whole, node.name]))}>
                        Show all {guestsOf(state, node).length}
                      </button>
                    </li>
                  )}
                  {linkTo !== undefined && (
                    <li className="more">
                      <Link to={linkTo(`node/${node.name}`)}>{node.name}: charts and more</Link>
                    </li>
                  )}
                </ul>
              )}
            </section>
          )
        })}
      </div>
    </>
  )
}

const guestsOf = (state: ClusterState, node: Node) =>
  state.guests.filter((guest) => guest.node === node.name).sort((a, b) => a.vmid - b.vmid)

type NodeHeadProps = { node: Node; mark: 'ok' | 'warn' | 'bad' | 'unknown'; isLink: boolean }

const NodeHead = memo(function NodeHead({ node, mark, isLink }: NodeHeadProps) {
  const store = useClusterStore()
  const heat = temperatureTone(node)
  const isFresh = node.uptimeS !== undefined && node.uptimeS < 3_600
  const ram = nodeRam(node)
  return (
    <>
      <StateMark kind={mark} size={11} />
      <span className="cut">
        <b>{isLink ? <Link to={nodePath(node.name)}>{node.name}</Link> : node.name}</b>
        {typeof node.temperatureC === 'number' && (
          <span className={`num heat ${heat === undefined ? '' : `tone-${heat}`}`}>{celsius(node.temperatureC)}</span>
        )}
        {node.isProtected && <Lock />}
        {isFresh && <span className="note">up {shortSpan((node.uptimeS ?? 0) * 1_000)}</span>}
        {node.status !== 'online' && <span className="note">{node.status}</span>}
      </span>
      <Spark values={store.samples(`node/${node.name}`)} label={`${node.name} CPU`} />
      <span className="num">{share(node.cpuRatio)}</span>
      <span className="num">{ram === undefined ? '' : percent(ram)}</span>
    </>
  )
})

export function PanelSkeleton() {
  return (
    <div className="panel-skeleton" aria-busy="true">
      <span className="vh">The cluster is being read.</span>
      {[44, 54, 200, 260, 120].map((height) => (
        <div key={height} className="skeleton" style={{ height }} />
      ))}
    </div>
  )
}
