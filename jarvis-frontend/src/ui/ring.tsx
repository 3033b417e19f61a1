import { arcPath } from './arc.ts'

export type RingArc = 'well' | 'warn' | 'bad' | 'away'
export type RingCore = 'quiet' | 'working' | 'waiting' | 'lost'

const arcClass: Record<RingArc, string> = { well: 'arc', warn: 'arc arc-warn', bad: 'arc arc-bad', away: 'arc away' }

/** The presence ring: one arc for each node (four arcs if there are more than twelve nodes). The core in the middle shows what JARVIS does. */
export function Ring({ size, arcs, core }: { size: number; arcs: readonly RingArc[]; core: RingCore }) {
  const drawn = inParts(arcs).map(worst)
  const span = 360 / drawn.length
  const gap = drawn.length === 1 ? 0.1 : Math.min(22, span / 3)
  return (
    <svg className="presence-ring" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      {drawn.length === 0 && <circle className="arc" cx="16" cy="16" r="13.4" />}
      {drawn.map((arc, at) => (
        <path
          // biome-ignore lint/suspicious/noArrayIndexKey: an arc is its place in the ring
          key={at}
          className={arcClass[arc]}
          d={arcPath({ c: 16, r: 13.4 }, at * span + gap / 2, (at + 1) * span - gap / 2)}
        />
      ))}
      <Core core={core} />
    </svg>
  )
}

/** The core of the ring, drawn in a 32 by 32 square: shows what JARVIS does. */
export function Core({ core }: { core: RingCore }) {
  switch (core) {
    case 'quiet':
      return <circle className="core breathe" cx="16" cy="16" r="3" />
    case 'working':
      return (
        <>
          <path className="turning spin" d={arcPath({ c: 16, r: 7.5 }, 0, 110)} />
          <circle className="core" cx="16" cy="16" r="2.6" />
        </>
      )
    case 'waiting':
      return <path className="ring-wait" d="M16 9.6 22.4 16 16 22.4 9.6 16z" />
    case 'lost':
      return <path className="dash" d="M12.5 16h7" />
  }
}

const worse: readonly RingArc[] = ['well', 'away', 'warn', 'bad']

const mostArcs = 12

/** Groups the nodes into arcs: one arc for each node. With more than twelve nodes, returns four groups that keep the order. */
export function inParts<T>(items: readonly T[]): T[][] {
  if (items.length <= mostArcs) return items.map((item) => [item])
  return [0, 1, 2, 3].map((quarter) =>
    items.slice(Math.floor((quarter * items.length) / 4), Math.floor(((quarter + 1) * items.length) / 4)),
  )
}

export const worst = (arcs: readonly RingArc[]): RingArc =>
  arcs.reduce((most, arc) => (worse.indexOf(arc) > worse.indexOf(most) ? arc : most), 'well')
