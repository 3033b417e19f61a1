import type { ClusterState, Guest, Storage } from 'protocol'
import { isBlind, isUnread, shareOf } from 'protocol/facts'
import { percent, rate, span } from '../../lib/format.ts'
import type { MarkKind } from '../../ui/mark.tsx'
import { Spark } from '../../ui/spark.tsx'
import { backupsOf, sharedAge, storageTone } from './health.ts'
import { StateMark } from './state-mark.tsx'
import { totalsOf, useClusterStore } from './store.ts'

/** The whole cluster in six numbers. */
export function VitalRow({ state, isLive, now }: { state: ClusterState; isLive: boolean; now: number }) {
  const store = useClusterStore()
  const totals = totalsOf(state)
  const net = rate(totals.netBps ?? 0)
  const nets = store.samples('net')
  const most = nets.reduce<number>((top, bps) => Math.max(top, bps ?? 0), 1)
  const { expected, stale, oldestMs, unknown } = backupsOf(state.guests, now)
  const fullest = state.storages.toSorted((a, b) => share(b) - share(a))[0]
  const storageMark = state.storages.map(storageTone).find((tone) => tone !== undefined)
  const majority = Math.floor(state.nodes.length / 2) + 1
  const spare = Math.max(0, totals.onlineCount - majority)
  return (
    <dl className="vital-row">
      <Vital name="CPU" value={percentWords(totals.cpuRatio)}>
        <Spark values={store.samples('cpu')} height={24} label="CPU" />
      </Vital>
      <Vital name="Memory" value={percentWords(totals.ramRatio)}>
        <Spark values={store.samples('ram')} height={24} label="Memory" />
      </Vital>
      <Vital name="Storage" value={percentWords(totals.storageRatio)} mark={storageMark}>
        {fullest !== undefined && (
          <small>
            {fullest.name} {percent(share(fullest))}
          </small>
        )}
      </Vital>
      <Vital
        name="Quorum"
        value={isBlind(state) ? 'unknown' : `${totals.onlineCount}/${state.nodes.length}`}
        mark={!isLive || state.isQuorate === null ? 'unknown' : state.isQuorate ? 'ok' : 'bad'}
      >
        <small>
          {state.isQuorate === null
            ? 'unknown'
            : !state.isQuorate
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
        value={
          isUnread(state, 'guests') || (expected > 0 && unknown === expected)
            ? 'unknown'
            : `${expected - stale.length - unknown}/${expected}`
        }
        mark={expected === 0 ? undefined : stale.length > 0 ? 'warn' : unknown > 0 ? 'unknown' : 'ok'}
      >
        <small>
          {stale.length > 0
            ? staleText(stale, now)
            : unknown > 0
              ? `${unknown} unknown`
              : oldestMs === undefined
                ? 'none'
                : `oldest ${span(oldestMs)}`}
        </small>
      </Vital>
      <Vital name="Net" value={totals.netBps === undefined ? 'unknown' : net.value}>
        <Spark values={nets.map((bps) => (bps === undefined ? undefined : bps / most))} height={24} />
        <small>{totals.netBps === undefined ? '' : `${net.unit}bit/s`}</small>
      </Vital>
    </dl>
  )
}

/** Sums up stale backups: `9 are 31 h old` if their ages are equal. */
function staleText(stale: readonly Guest[], now: number): string {
  const age = sharedAge(stale, now)
  return age === undefined
    ? `${stale.length} not fresh`
    : `${stale.length} ${stale.length === 1 ? 'is' : 'are'} ${age} old`
}

const percentWords = (share: number | undefined) => (share === undefined ? 'unknown' : `${Math.round(share * 100)}%`)

const share = (storage: Pick<Storage, 'usedBytes' | 'totalBytes'>) =>
  shareOf(storage.usedBytes, storage.totalBytes) ?? 0

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
