import type { Guest, Node, Storage, Task } from 'jarvis-backend/protocol'
import { memo } from 'react'
import { Link } from 'react-router'
import { percent, sizeOf, timeOfDay } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Mark, type MarkKind } from '../../ui/mark.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Tier } from '../../ui/tier.tsx'
import { useNow } from '../../ui/use-now.ts'
import { ratio, storageTone } from './health.ts'
import { StateMark } from './state-mark.tsx'
import { groupTasks } from './task-groups.ts'

/** What waits to be done to a guest: `restart`. */
export type Ghosts = ReadonlyMap<number, string>

export const Lock = () => (
  <span className="lock" title="Protected: nothing may change it">
    <Icon name="lock" />
    <span className="vh">protected</span>
  </span>
)

export const GuestRow = memo(function GuestRow({
  guest,
  mark,
  ghost,
  to,
}: {
  guest: Guest
  mark: MarkKind
  ghost?: string | undefined
  /** Where its name leads. */
  to?: string | undefined
}) {
  const isOff = guest.status === 'stopped' && ghost === undefined
  return (
    <li className={`guest${isOff ? ' off' : ''}${ghost === undefined ? '' : ' hit'}`}>
      <StateMark kind={mark} />
      <span className="num id">{guest.vmid}</span>
      <span className="cut name">
        {to === undefined ? (
          <bdi>
            <Visible text={guest.name} />
          </bdi>
        ) : (
          <Link to={to}>
            <bdi>
              <Visible text={guest.name} />
            </bdi>
          </Link>
        )}
        {guest.isProtected && <Lock />}
        {guest.lock !== undefined && <span className="note">{guest.lock}</span>}
      </span>
      {ghost === undefined ? (
        <span className="pair num">
          <span>{isOff ? '–' : percent(guest.cpuRatio)}</span>
          <span>{isOff ? '' : percent(ratio(guest.ramBytes, guest.ramTotalBytes) ?? 0)}</span>
        </span>
      ) : (
        <span className="ghost">
          {guest.status} <Icon name="arrow" /> {ghost} <Tier tier="red" size={11} />
        </span>
      )}
    </li>
  )
})

export function StorageList({ storages, to }: { storages: readonly Storage[]; to?: (storage: Storage) => string }) {
  return (
    <ul className="storages">
      {storages.map((storage) => {
        const tone = storageTone(storage)
        const full = ratio(storage.usedBytes, storage.totalBytes) ?? 0
        return (
          <li key={`${storage.node ?? ''}/${storage.name}`}>
            <span className="cut" title={storage.node === undefined ? 'shared' : `on ${storage.node}`}>
              {to === undefined ? storage.name : <Link to={to(storage)}>{storage.name}</Link>}
              {storage.node !== undefined && isOneOf(storage, storages) && <small> {storage.node}</small>}
            </span>
            <Meter ratio={full} tone={tone} />
            <span className={`num ${tone === undefined ? '' : `tone-${tone}`}`}>{percent(full)}</span>
            {storage.isActive ? (
              <span className="num of">{sizeOf(storage.usedBytes, storage.totalBytes)}</span>
            ) : (
              <span className="of away">
                <Mark kind="warn" size={10} /> not reachable
              </span>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** Whether others of that name stand on other nodes. */
const isOneOf = ({ name }: Storage, storages: readonly Storage[]) =>
  storages.filter((other) => other.name === name).length > 1

const taskMark = { running: 'unknown', ok: 'ok', warnings: 'warn', failed: 'bad' } as const

export function TaskList({ tasks }: { tasks: readonly Task[] }) {
  return (
    <ul className="tasks">
      {groupTasks(tasks).map(({ first: task, count, isOneNode }) => (
        <li key={task.upid}>
          <Mark kind={taskMark[task.status]} size={10} label={task.status} />
          <span className="cut">
            {task.type}
            {count > 1 ? (
              <>
                , <span className="num">{count}</span> {task.vmid === undefined ? 'times' : 'guests'}
              </>
            ) : (
              task.vmid !== undefined && <span className="num"> {task.vmid}</span>
            )}{' '}
            <span className="text-dim">
              {task.status === 'running' || task.exitStatus === undefined || task.exitStatus === 'OK' ? (
                isOneNode && `on ${task.node}`
              ) : (
                <Visible text={task.exitStatus} />
              )}
            </span>
          </span>
          <time>{timeOfDay(task.startedAt)}</time>
        </li>
      ))}
    </ul>
  )
}

/** `live, 1 s ago`, or how long ago the cluster was last heard of. */
export function Age({ heardAt, isLive, isInline = false }: { heardAt: number; isLive: boolean; isInline?: boolean }) {
  const now = useNow(1_000)
  const seconds = Math.max(0, Math.floor((now - heardAt) / 1_000))
  if (heardAt === 0) return null
  return (
    <span className="text-dim">
      {isLive ? (isInline ? 'live ' : 'live, ') : 'seen '}
      <span className="num">{seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`}</span> ago
    </span>
  )
}

export function Quorum({ nodes, isQuorate, isLive }: { nodes: readonly Node[]; isQuorate: boolean; isLive: boolean }) {
  const online = nodes.filter((node) => node.status === 'online').length
  return (
    <>
      <Mark kind={!isLive ? 'unknown' : isQuorate ? 'ok' : 'bad'} size={10} />
      <span>
        {isQuorate ? 'quorate ' : 'no quorum '}
        <span className="num">
          {online} of {nodes.length}
        </span>
      </span>
    </>
  )
}
