import type { ClusterState, Guest } from 'jarvis-backend/protocol'
import { percent, rate, span } from '../../lib/format.ts'
import type { MarkKind } from '../../ui/mark.tsx'
import { Spark } from '../../ui/spark.tsx'
import { backupsOf, ratio, sharedAge, storageTone } from './health.ts'
import { StateMark } from './state-mark.tsx'
import { totalsOf, useClusterStore } from './store.ts'

/** The whole cluster in six numbers. */
export function VitalRow({ state, isLive, now }: { state: ClusterState; isLive: boolean; now: number }) {
  const store = useClusterStore()
  const totals = totalsOf(state)
  const net = rate(totals.netBps)
  const nets = store.samples('net')
  const most = nets.reduce<number>((top, bps) => Math.max(top, bps ?? 0), 1)
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
          {stale.length > 0 ? staleText(stale, now) : oldestMs === undefined ? 'none' : `oldest ${span(oldestMs)}`}
        </small>
      </Vital>
      <Vital name="Net" value={net.value}>
        <Spark values={nets.map((bps) => (bps === undefined ? undefined : bps / most))} height={24} />
        <small>{net.unit}bit/s</small>
      </Vital>
    </dl>
  )
}

/** `9 are 31 h old`, where they are alike. */
function staleText(stale: readonly Guest[], now: number): string {
  const age = sharedAge(stale, now)
  return age === undefined
    ? `${stale.length} not fresh`
    : `${stale.length} ${stale.length === 1 ? 'is' : 'are'} ${age} old`
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
