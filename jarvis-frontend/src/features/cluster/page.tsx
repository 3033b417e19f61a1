import type { ClusterState, Guest, Node } from 'jarvis-backend/protocol'
import { memo } from 'react'
import { celsius, gibOf, percent, rate, span } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Mark, type MarkKind } from '../../ui/mark.tsx'
import { Meter } from '../../ui/meter.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { Spark } from '../../ui/spark.tsx'
import { Tier } from '../../ui/tier.tsx'
import { useNow } from '../../ui/use-now.ts'
import {
  backupsOf,
  backupTone,
  guestMark,
  type Issue,
  limits,
  nodeMark,
  nodeRamTone,
  ratio,
  storageTone,
  temperatureTone,
} from './health.ts'
import { type Ghosts, IssueList, Lock, StateMark, StorageList, TaskList } from './parts.tsx'
import { totalsOf, useCluster, useClusterStore } from './store.ts'

export type GuestFilter = 'all' | 'running' | 'stopped' | 'attention'

export const needsLook = (guest: Guest, issues: readonly Issue[], now: number) =>
  backupTone(guest, now) !== undefined || issues.some((issue) => issue.vmid === guest.vmid)

type Props = {
  filter: GuestFilter
  ghosts: Ghosts
  tray: React.ReactNode
  onAsk: ((question: string) => void) | undefined
}

/** Vitals, node cards, the guest table, and what needs a look. */
export function ClusterOverview({ filter, ghosts, tray, onAsk }: Props) {
  const { state, isLive, issues } = useCluster()
  const now = useNow(60_000)
  if (state === undefined) return <div className="panel-skeleton" aria-busy="true" />
  const guests = state.guests.filter((guest) => {
    if (filter === 'all') return true
    return filter === 'attention' ? needsLook(guest, issues, now) : guest.status === filter
  })
  return (
    <>
      {!state.isQuorate && (
        <p className="strip wash-bad">
          <Mark kind="bad" /> <span>No quorum: guests cannot be started.</span>
        </p>
      )}
      <VitalRow state={state} isLive={isLive} now={now} />
      <div className="node-cards">
        {state.nodes.map((node) => (
          <NodeCard key={node.name} node={node} mark={nodeMark(node, issues, isLive)} />
        ))}
      </div>
      <div className="split">
        <div className="scroll">
          <GuestTable state={state} guests={guests} issues={issues} isLive={isLive} ghosts={ghosts} now={now} />
        </div>
        <div className="aside scroll">
          {tray}
          {issues.length > 0 && (
            <>
              <PanelHead title="Needs attention">
                <span className="num">{issues.length}</span>
              </PanelHead>
              <IssueList issues={issues} onAsk={onAsk} />
            </>
          )}
          <PanelHead title="Storage" />
          <StorageList storages={state.storages} />
          <PanelHead title="Tasks" />
          <TaskList tasks={state.tasks} />
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
        </div>
      </div>
    </>
  )
}

function VitalRow({ state, isLive, now }: { state: ClusterState; isLive: boolean; now: number }) {
  const store = useClusterStore()
  const totals = totalsOf(state)
  const net = rate(totals.netBps)
  const nets = store.samples('net')
  const most = Math.max(1, ...nets)
  const { expected, stale, oldestMs } = backupsOf(state.guests, now)
  const fullest = state.storages.toSorted((a, b) => share(b) - share(a))[0]
  const storageMark = state.storages.map(storageTone).find((tone) => tone !== undefined)
  const majority = Math.floor(state.nodes.length / 2) + 1
  const spare = Math.max(0, totals.onlineCount - majority)
  return (
    <dl className="vital-row">
      <Vital name="CPU" value={`${Math.round(totals.cpuRatio * 100)}%`}>
        <Spark values={store.samples('cpu')} height={24} label="CPU" />
      </Vital>
      <Vital name="Memory" value={`${Math.round(totals.ramRatio * 100)}%`}>
        <Spark values={store.samples('ram')} height={24} label="Memory" />
      </Vital>
      <Vital name="Storage" value={`${Math.round(totals.storageRatio * 100)}%`} mark={storageMark}>
        {fullest !== undefined && (
          <small>
            {fullest.name} {percent(share(fullest))}
          </small>
        )}
      </Vital>
      <Vital
        name="Quorum"
        value={`${totals.onlineCount}/${state.nodes.length}`}
        mark={!isLive ? 'unknown' : state.isQuorate ? 'ok' : 'bad'}
      >
        <small>
          {!state.isQuorate
            ? 'lost'
            : spare === 0
              ? 'none may fail'
              : spare === 1
                ? 'one may fail'
                : `${spare} may fail`}
        </small>
      </Vital>
      <Vital
        name="Backups"
        value={`${expected - stale.length}/${expected}`}
        mark={expected === 0 ? undefined : stale.length > 0 ? 'warn' : 'ok'}
      >
        <small>
          {stale.length > 0 && oldestMs !== undefined
            ? `${stale.length} not fresh`
            : oldestMs === undefined
              ? 'none'
              : `oldest ${span(oldestMs)}`}
        </small>
      </Vital>
      <Vital name="Net" value={net.value}>
        <Spark values={nets.map((bps) => bps / most)} height={24} />
        <small>{net.unit}bit/s</small>
      </Vital>
    </dl>
  )
}

const share = (storage: { usedBytes: number; totalBytes: number }) => ratio(storage.usedBytes, storage.totalBytes) ?? 0

function Vital({
  name,
  value,
  mark,
  children,
}: {
  name: string
  value: string
  mark?: MarkKind | undefined
  children: React.ReactNode
}) {
  return (
    <div>
      <dt>
        {mark !== undefined && <StateMark kind={mark} />}
        {name}
      </dt>
      <dd>
        <span>{value}</span>
        {children}
      </dd>
    </div>
  )
}

const NodeCard = memo(function NodeCard({ node, mark }: { node: Node; mark: 'ok' | 'warn' | 'bad' | 'unknown' }) {
  const store = useClusterStore()
  const ram = ratio(node.ramBytes, node.ramTotalBytes)
  const heat = temperatureTone(node)
  return (
    <section className="node-card">
      <h2>
        <StateMark kind={mark} size={11} />
        {node.name}
        {node.isProtected && <Lock />}
        {node.role !== undefined && <small className="cut">{node.role}</small>}
        <span className="up">
          {node.status === 'online' && node.uptimeS !== undefined ? `up ${span(node.uptimeS * 1_000)}` : node.status}
        </span>
      </h2>
      <Spark values={store.samples(`node/${node.name}`)} height={38} label="CPU" />
      <dl>
        <dt>CPU</dt>
        <dd>
          <Meter ratio={node.cpuRatio ?? 0} />
        </dd>
        <dd className="num">{node.cpuRatio === undefined ? '–' : percent(node.cpuRatio)}</dd>
        <dt>Mem</dt>
        <dd>
          <Meter ratio={ram ?? 0} tone={nodeRamTone(node)} />
        </dd>
        <dd className="num">{ram === undefined ? '–' : percent(ram)}</dd>
      </dl>
      <p>
        {node.temperatureC !== undefined && (
          <span className={`num ${heat === undefined ? '' : `tone-${heat}`}`}>{celsius(node.temperatureC)}</span>
        )}
        {node.load1 !== undefined && (
          <span>
            load <span className="num text-soft">{node.load1.toFixed(1)}</span>
          </span>
        )}
        {node.ramBytes !== undefined && node.ramTotalBytes !== undefined && (
          <span className="num">{gibOf(node.ramBytes, node.ramTotalBytes)} GiB</span>
        )}
      </p>
    </section>
  )
})

type TableProps = {
  state: ClusterState
  guests: readonly Guest[]
  issues: readonly Issue[]
  isLive: boolean
  ghosts: Ghosts
  now: number
}

function GuestTable({ state, guests, issues, isLive, ghosts, now }: TableProps) {
  const order = new Map(state.nodes.map((node, at) => [node.name, at]))
  const sorted = guests.toSorted((a, b) => (order.get(a.node) ?? 99) - (order.get(b.node) ?? 99) || a.vmid - b.vmid)
  return (
    <table className="guests">
      <thead>
        <tr>
          <th>Guest</th>
          <th>Node</th>
          <th className="n">CPU</th>
          <th className="n">Memory</th>
          <th className="n wide">GiB</th>
          <th className="n">Disk</th>
          <th className="n wide">Net /s</th>
          <th className="n wide">Up</th>
          <th className="n">Backup</th>
        </tr>
      </thead>
      <tbody>
        {sorted.map((guest) => (
          <GuestTableRow
            key={guest.vmid}
            guest={guest}
            mark={guestMark(guest, issues, isLive)}
            isBusy={issues.some((issue) => issue.key === `cpu ${guest.vmid}`)}
            ghost={ghosts.get(guest.vmid)}
            now={now}
          />
        ))}
      </tbody>
    </table>
  )
}

type GuestRowProps = { guest: Guest; mark: MarkKind; isBusy: boolean; ghost: string | undefined; now: number }

const GuestTableRow = memo(function GuestTableRow({ guest, mark, isBusy, ghost, now }: GuestRowProps) {
  const isOff = guest.status === 'stopped'
  const ram = ratio(guest.ramBytes, guest.ramTotalBytes) ?? 0
  const disk = ratio(guest.diskBytes, guest.diskTotalBytes)
  const net = rate((guest.netInBps ?? 0) + (guest.netOutBps ?? 0))
  const backup = backupTone(guest, now)
  const cpuTone = isBusy && guest.cpuRatio >= limits.cpuRatio ? 'warn' : undefined
  return (
    <tr className={`${isOff ? 'off' : ''} ${ghost === undefined ? '' : 'hit'}`}>
      <td>
        <span className="who">
          <StateMark kind={mark} />
          <span className="num id">{guest.vmid}</span>
          <bdi className="cut">
            <Visible text={guest.name} />
          </bdi>
          <small>{guest.type === 'vm' ? 'VM' : 'CT'}</small>
          {guest.isProtected && <Lock />}
          {guest.lock !== undefined && <small>{guest.lock}</small>}
          {ghost !== undefined && (
            <span className="chip">
              <Tier tier="red" size={10} /> {ghost} waits
            </span>
          )}
        </span>
      </td>
      <td className="text-soft">{guest.node}</td>
      <td className="n">
        {!isOff && (
          <span className={`duo ${cpuTone === undefined ? '' : 'tone-warn'}`}>
            <Meter ratio={guest.cpuRatio} tone={cpuTone} />
            <span>{percent(guest.cpuRatio)}</span>
          </span>
        )}
      </td>
      <td className="n">
        {!isOff && (
          <span className="duo">
            <Meter ratio={ram} />
            <span>{percent(ram)}</span>
          </span>
        )}
      </td>
      <td className="n wide text-dim">
        {isOff ? `0 / ${gibOf(0, guest.ramTotalBytes).split('/ ')[1]}` : gibOf(guest.ramBytes, guest.ramTotalBytes)}
      </td>
      <td className="n">{isOff || disk === undefined || guest.diskBytes === 0 ? '' : percent(disk)}</td>
      <td className="n wide">{isOff || guest.netInBps === undefined ? '' : `${net.value} ${net.unit}`}</td>
      <td className="n wide">{isOff ? '' : span(guest.uptimeS * 1_000)}</td>
      <td className={`n ${backup === undefined ? '' : `tone-${backup}`}`}>
        {guest.backupAt === undefined ? <span className="text-dim">none</span> : span(now - guest.backupAt)}
      </td>
    </tr>
  )
})
