import { shareOf } from 'protocol/facts'
import { useEffect, useRef } from 'react'
import { ago, celsius, longSpan, percent, share } from '../../lib/format.ts'
import { Boxed } from '../../ui/boxed.tsx'
import { Link } from '../../ui/link.tsx'
import { Spark } from '../../ui/spark.tsx'
import { Acts, actsOfGuest, actsOfNode } from './acts.tsx'
import { nodeRam } from './health.ts'
import type { Noun } from './nouns.ts'
import { lineOf, usePast } from './past.ts'
import { nodePath } from './paths.ts'
import { useCluster } from './store.ts'

type PeekProps = { noun: Noun; anchor: DOMRect; onClose: () => void; onAsk?: ((question: string) => void) | undefined }

/** The live state of a guest or node, shown beside its name in a text. */
export function Peek({ noun, anchor, onClose, onAsk }: PeekProps) {
  const { state } = useCluster()
  const box = useRef<HTMLDivElement>(null)
  useClosed(box, onClose)
  const guest = noun.kind === 'guest' ? state?.guests.find((known) => known.vmid === noun.vmid) : undefined
  const node = noun.kind === 'node' ? state?.nodes.find((known) => known.name === noun.name) : undefined
  const isLow = anchor.bottom + 380 > innerHeight
  const place = {
    left: Math.max(8, Math.min(anchor.left, innerWidth - 288)),
    ...(isLow ? { bottom: innerHeight - anchor.top + 6 } : { top: anchor.bottom + 6 }),
  }
  const facts = guest === undefined ? factsOfNode(node) : factsOfGuest(guest)
  const open = state?.tasks.filter(
    (task) => task.status === 'running' && (noun.kind === 'guest' ? task.vmid === noun.vmid : task.node === noun.name),
  )
  const series = noun.kind === 'guest' ? `guest/${noun.vmid}` : `node/${noun.name}`
  const { reply } = usePast([series], '1h')
  const samples = lineOf(reply, series, 'cpuRatio')?.values ?? []
  const ask =
    onAsk &&
    ((command: string) => {
      onClose()
      onAsk(command)
    })
  const name = noun.kind === 'guest' ? String(noun.vmid) : noun.name
  return (
    <div ref={box} className="peek" role="dialog" aria-label={`About ${name}`} style={place}>
      <h2>
        {guest !== undefined ? (
          <>
            <span className="num">{guest.vmid}</span> <Boxed text={guest.name} />
          </>
        ) : (
          name
        )}
      </h2>
      <Spark values={samples} height={30} label="CPU over 1 h" />
      <dl>
        {facts.map(([key, value]) =>
          value === undefined ? null : (
            <div key={key} className="contents">
              <dt>{key}</dt>
              <dd className="num">{value}</dd>
            </div>
          ),
        )}
        {open?.map((task) => (
          <div key={task.upid} className="contents">
            <dt>Task</dt>
            <dd>{task.type}, running</dd>
          </div>
        ))}
      </dl>
      {guest !== undefined && <Acts acts={actsOfGuest(guest)} onAsk={ask} />}
      {node !== undefined && <Acts acts={actsOfNode(node)} onAsk={ask} />}
      <Link to={node === undefined ? `/guest/${name}` : nodePath(name)} onClick={onClose}>
        Open its page
      </Link>
      {onAsk !== undefined && (
        <button
          type="button"
          className="button small"
          onClick={() => {
            onClose()
            onAsk(guest === undefined ? `How is node ${name}?` : `How is guest ${guest.vmid}?`)
          }}
        >
          Ask about this
        </button>
      )}
    </div>
  )
}

/** Closes the part when a pointer goes down outside of it, and on Escape. */
function useClosed(box: React.RefObject<HTMLElement | null>, onClose: () => void) {
  useEffect(() => {
    const onDown = (event: PointerEvent) => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) onClose()
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      onClose()
    }
    addEventListener('pointerdown', onDown, true)
    addEventListener('keydown', onKey, true)
    return () => {
      removeEventListener('pointerdown', onDown, true)
      removeEventListener('keydown', onKey, true)
    }
  }, [box, onClose])
}

type Facts = readonly (readonly [string, string | undefined])[]
type State = NonNullable<ReturnType<typeof useCluster>['state']>

const factsOfGuest = (guest: State['guests'][number]): Facts => [
  ['State', guest.isTemplate ? 'template' : guest.status],
  ['Node', guest.node],
  ['Up', guest.status === 'running' ? longSpan((guest.uptimeS ?? 0) * 1_000) : undefined],
  ['CPU', guest.status === 'running' ? share(guest.cpuRatio) : undefined],
  ['Memory', guest.status === 'running' ? share(shareOf(guest.ramBytes, guest.ramTotalBytes)) : undefined],
  [
    'Backup',
    guest.backupAt === undefined ? 'none' : guest.backupAt === null ? 'unknown' : ago(guest.backupAt, Date.now()),
  ],
]

const factsOfNode = (node: State['nodes'][number] | undefined): Facts => [
  ['State', node?.status],
  ['CPU', node?.cpuRatio === undefined ? undefined : percent(node.cpuRatio)],
  ['Memory', node === undefined ? undefined : share(nodeRam(node))],
  [
    'Heat',
    node?.temperatureC === null ? 'unknown' : node?.temperatureC === undefined ? undefined : celsius(node.temperatureC),
  ],
]
