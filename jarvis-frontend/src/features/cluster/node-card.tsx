import type { Node } from 'protocol'
import { heldRam } from 'protocol/facts'
import { memo } from 'react'
import { ago, celsius, exactTime, gibOf, share, shortSpan } from '../../lib/format.ts'
import { Link } from '../../ui/link.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Spark } from '../../ui/spark.tsx'
import { useNow } from '../../ui/use-now.ts'
import { nodeRam, nodeRamTone, temperatureTone } from './health.ts'
import { Lock } from './parts.tsx'
import { StateMark } from './state-mark.tsx'
import { useClusterStore } from './store.ts'

export const NodeCard = memo(function NodeCard({
  node,
  mark,
  to,
}: {
  node: Node
  mark: 'ok' | 'warn' | 'bad' | 'unknown'
  to: string
}) {
  const now = useNow(60_000)
  const store = useClusterStore()
  const ram = nodeRam(node)
  const heat = temperatureTone(node)
  const isUp = node.status === 'online'
  return (
    <section className="node-card">
      <h2>
        <StateMark kind={mark} size={11} />
        <Link to={to}>{node.name}</Link>
        {node.isProtected && <Lock />}
        {node.role !== undefined && <small className="cut">{node.role}</small>}
        <span className="up" title={isUp || node.lastSeenAt === undefined ? undefined : exactTime(node.lastSeenAt)}>
          {isUp && node.uptimeS !== undefined
            ? `up ${shortSpan(node.uptimeS * 1_000)}`
            : !isUp && node.lastSeenAt !== undefined
              ? `last seen ${ago(node.lastSeenAt, now)}`
              : node.status}
        </span>
      </h2>
      <Spark values={store.samples(`node/${node.name}`)} height={38} label="CPU" />
      <dl>
        <dt>CPU</dt>
        <dd>
          <Meter ratio={node.cpuRatio ?? 0} />
        </dd>
        <dd className="num">{share(node.cpuRatio)}</dd>
        <dt>Mem</dt>
        <dd>
          <Meter ratio={ram ?? 0} tone={nodeRamTone(node)} />
        </dd>
        <dd className="num">{share(ram)}</dd>
      </dl>
      <p>
        {node.temperatureC === null && <span>heat unknown</span>}
        {typeof node.temperatureC === 'number' && (
          <span className={`num ${heat === undefined ? '' : `tone-${heat}`}`}>{celsius(node.temperatureC)}</span>
        )}
        <span>
          load {node.load1 === undefined ? 'unknown' : <span className="num text-soft">{node.load1.toFixed(1)}</span>}
        </span>
        {node.ramBytes !== undefined && node.ramTotalBytes !== undefined && (
          <span className="num">{gibOf(heldRam(node) ?? null, node.ramTotalBytes)} GiB</span>
        )}
      </p>
    </section>
  )
})
