import type { Node } from 'protocol'
import { cpuOf } from 'protocol/facts'
import { usePresence } from '../../app/presence.tsx'
import { useCluster } from '../../features/cluster/store.ts'
import { dayOf, percent, plural, timeOfDay } from '../../lib/format.ts'
import { arcPath } from '../../ui/arc.ts'
import { Core, inParts, type RingArc, worst } from '../../ui/ring.tsx'
import { useNow } from '../../ui/use-now.ts'

const size = 248
const centre = size / 2
const ticks = Array.from({ length: 120 }, (_, at) => {
  const angle = (at * 3 * Math.PI) / 180
  const kind = at % 30 === 0 ? 'quarter' : at % 5 === 0 ? 'hour' : 'minute'
  const inner = { quarter: 109, hour: 113, minute: 114.5 }[kind]
  const point = (r: number) => [centre + r * Math.sin(angle), centre - r * Math.cos(angle)].map((v) => v.toFixed(1))
  const [x1, y1] = point(117)
  const [x2, y2] = point(inner)
  return { key: at, kind, x1, y1, x2, y2 }
})

/** The cluster as a clock face: one arc for each node (or for a quarter of many nodes), filled by its CPU use. */
export function BigRing() {
  const { state, isLive } = useCluster()
  const { arcs, core } = usePresence()
  const now = useNow(1_000)
  const nodes = state?.nodes ?? []
  const tones = inParts(arcs).map(worst)
  const parts = inParts(nodes).map((part, at) => partOf(part, tones[at] ?? 'well'))
  const span = 360 / Math.max(1, parts.length)
  const gap = parts.length > 1 ? 10 : 0.1
  return (
    <div className="big-ring">
      <svg className="presence-ring" width={size} height={size} viewBox={`0 0 ${size} ${size}`} aria-hidden="true">
        {ticks.map(({ key, kind, ...line }) => (
          <line key={key} className={`tick ${kind}`} {...line} />
        ))}
        {parts.map(({ key, cpuRatio, tone }, at) => {
          const from = at * span + gap / 2
          const to = (at + 1) * span - gap / 2
          const load = from + (to - from) * Math.max(0.03, cpuRatio ?? 0)
          return (
            <g key={key}>
              <path className="whole" d={arcPath({ c: centre, r: 98 }, from, to)} />
              {isLive && cpuRatio !== undefined && (
                <path className="load" d={arcPath({ c: centre, r: 98 }, from, load)} />
              )}
              <path className={`thin ${tone}`} d={arcPath({ c: centre, r: 89 }, from, to)} />
            </g>
          )
        })}
        <svg x={centre - 14} y={170 - 14} width="28" height="28" viewBox="0 0 32 32" aria-hidden="true">
          <Core core={core} />
        </svg>
      </svg>
      {parts.map(({ key, name, cpuRatio, word }, at) => (
        <span key={key} className="big-ring-label" title={key} style={place((at + 0.5) * span)}>
          {name} <span className="num">{cpuRatio === undefined ? word : percent(cpuRatio)}</span>
        </span>
      ))}
      <div className="big-ring-clock">
        <time className="clock">{timeOfDay(now)}</time>
        <span>{dayOf(now)}</span>
      </div>
    </div>
  )
}

function partOf(nodes: readonly Node[], arc: RingArc) {
  const [first] = nodes
  return {
    key: nodes.map(({ name }) => name).join(', '),
    word: nodes.every(({ status }) => status === 'unknown')
      ? 'unknown'
      : nodes.some(({ status }) => status === 'offline')
        ? 'offline'
        : '–',
    name: nodes.length === 1 ? first?.name : plural(nodes.length, 'node'),
    cpuRatio: cpuOf(nodes),
    tone: arc === 'well' ? '' : arc === 'away' ? 'away' : `arc-${arc}`,
  }
}

/** Returns the position beside the ring at an angle, in degrees from the top. */
function place(degrees: number): React.CSSProperties {
  const radians = (degrees * Math.PI) / 180
  const x = centre + 142 * Math.sin(radians)
  const top = centre - 142 * Math.cos(radians) - 8
  return Math.sin(radians) >= 0 ? { left: x - 8, top } : { right: size - x - 8, top }
}
