import type { Guest, Node, Storage, Task } from 'protocol'
import { shareOf } from 'protocol/facts'
import { memo } from 'react'
import { share, sizeOf, timeOfDay } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark, type MarkKind } from '../../ui/mark.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Tier } from '../../ui/tier.tsx'
import { useNow } from '../../ui/use-now.ts'
import { storageTone } from './health.ts'
import { StateMark } from './state-mark.tsx'
import { groupTasks } from './task-groups.ts'
import { onlineWords } from './unknown.ts'

/** By vmid: the change that a waiting card would make, such as `restart`. */
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
  /** Path of the page that the name links to. */
  to?: string | undefined
}) {
  const isOff = guest.status !== 'running' && ghost === undefined
  const word = guest.isTemplate ? 'template' : guest.status === 'running' ? undefined : guest.status
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
        {word !== undefined && word !== 'stopped' && <span className="note">{word}</span>}
        {guest.lock !== undefined && <span className="note">{guest.lock}</span>}
      </span>
      {ghost === undefined ? (
        <span className="pair num">
          <span>{isOff ? '–' : share(guest.cpuRatio)}</span>
          <span>{isOff ? '' : share(shareOf(guest.ramBytes, guest.ramTotalBytes))}</span>
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
        const full = shareOf(storage.usedBytes, storage.totalBytes)
        return (
          <li key={`${storage.node ?? ''}/${storage.name}`}>
            <span className="cut" title={storage.node === undefined ? 'shared' : `on ${storage.node}`}>
              {to === undefined ? storage.name : <Link to={to(storage)}>{storage.name}</Link>}
              {storage.node !== undefined && isOneOf(storage, storages) && <small> {storage.node}</small>}
            </span>
            <Meter ratio={full ?? 0} tone={tone} />
            <span className={`num ${tone === undefined ? '' : `tone-${tone}`}`}>{share(full)}</span>
            {storage.isActive === null || storage.usedBytes === null ? (
              <span className="of away">
                <Mark kind="unknown" size={10} /> unknown
              </span>
            ) : storage.isActive ? (
              <span className="num of">{sizeOf(storage.usedBytes, storage.totalBytes ?? 0)}</span>
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

/** True if other nodes have a storage of the same name. */
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

type QuorumProps = { nodes: readonly Node[]; isQuorate: boolean | null; isLive: boolean }

export function Quorum({ nodes, isQuorate, isLive }: QuorumProps) {
  return (
    <>
      <Mark kind={!isLive || isQuorate === null ? 'unknown' : isQuorate ? 'ok' : 'bad'} size={10} />
      <span>
        {isQuorate === null ? 'quorum unknown, nodes ' : isQuorate ? 'quorate ' : 'no quorum '}
        <span className="num">{onlineWords({ nodes })}</span>
      </span>
    </>
  )
}
