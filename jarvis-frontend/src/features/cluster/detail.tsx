import type { ClusterState, SampleField, SampleRange } from 'protocol'
import { storageSeries } from 'protocol/facts'
import { type ComponentType, Suspense, useEffect, useRef } from 'react'
import { useEscape } from '../../lib/use-escape.ts'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import type { ChartsProps } from './charts.tsx'
import { GuestFacts, NodeFacts, StorageFacts } from './detail-facts.tsx'
import { ranges, rangeWord } from './past.ts'
import { useCluster } from './store.ts'

/** The object that the page shows in detail. `name`: the name of its samples, such as `guest/123`, `node/pve`, `storage/tank`. */
export type DetailProps = {
  name: string
  /** The component that draws the charts; its code is loaded on first use. */
  Charts: ComponentType<ChartsProps>
  range: SampleRange
  linkTo: (change: { range?: SampleRange; detail?: string | undefined }) => string
  onClose: () => void
  onAsk: ((question: string) => void) | undefined
}

export function Detail({ name, Charts, range, linkTo, onClose, onAsk }: DetailProps) {
  const { state } = useCluster()
  const box = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another thing is read from its beginning
  useEffect(() => box.current?.focus(), [name])
  useEscape(onClose)
  const seen = state && seenOf(name, state)
  return (
    <section className="thing-detail scroll" ref={box} tabIndex={-1} aria-label={`Detail: ${name.replace('/', ' ')}`}>
      <button type="button" className="icon-button detail-close" aria-label="Close the detail" onClick={onClose}>
        <Icon name="close" />
      </button>
      {state !== undefined && seen === undefined && (
        <p className="detail-none">There is no {name.replace('/', ' ')} now.</p>
      )}
      {seen?.guest && <GuestFacts guest={seen.guest} state={state as ClusterState} onAsk={onAsk} linkTo={linkTo} />}
      {seen?.node && <NodeFacts node={seen.node} state={state as ClusterState} onAsk={onAsk} />}
      {seen?.storage && <StorageFacts storage={seen.storage} onAsk={onAsk} />}
      {seen !== undefined && (
        <>
          <nav className="ranges" aria-label="Time shown">
            {ranges.map((known) => (
              <Link
                key={known}
                to={linkTo({ range: known })}
                replace
                aria-current={known === range ? 'true' : undefined}
              >
                {rangeWord[known]}
              </Link>
            ))}
          </nav>
          <Suspense fallback={<div className="charts" aria-busy="true" />}>
            <Charts name={name} range={range} fields={seen.fields} />
          </Suspense>
        </>
      )}
    </section>
  )
}

function seenOf(name: string, { guests, nodes, storages }: ClusterState) {
  const id = name.slice(name.indexOf('/') + 1)
  const guest = name.startsWith('guest/') ? guests.find(({ vmid }) => String(vmid) === id) : undefined
  const node = name.startsWith('node/') ? nodes.find((known) => known.name === id) : undefined
  const storage = storages.find((known) => storageSeries(known) === name)
  if (guest === undefined && node === undefined && storage === undefined) return undefined
  const fields: readonly SampleField[] =
    guest !== undefined
      ? ['cpuRatio', 'ramRatio', 'netBps', 'diskRatio']
      : node !== undefined
        ? ['cpuRatio', 'ramRatio', 'load1', 'temperatureC', 'netBps']
        : ['usedRatio']
  return { guest, node, storage, fields }
}
