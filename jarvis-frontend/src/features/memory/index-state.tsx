import type { MemoryStatus } from 'protocol'
import { type ReactNode, useEffect, useState } from 'react'
import { memoryStatus, reindex } from '../../api/memory.ts'
import { useLoad } from '../../api/use-load.ts'
import { exactTime, percent, timeOfDay } from '../../lib/format.ts'
import { grouped } from '../../lib/grouped.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Meter } from '../../ui/meter.tsx'

const lookEveryMs = 1_500

const isAtWork = (status: MemoryStatus) => status.state !== 'ready'
/** The share of embeddable passages that already have an embedding, 0..1. */
const shareOf = ({ embeddable, embedded }: MemoryStatus) => (embeddable === 0 ? 1 : embedded / embeddable)

/** The progress of the index, and a button that rebuilds it. */
export function IndexState({ isResting }: { isResting: boolean }) {
  const { data, problem, again } = useLoad('memory status', memoryStatus, ['memory', 'connect'])
  const [said, setSaid] = useState<string>()
  const atWork = data !== undefined && isAtWork(data)
  useEffect(() => {
    if (!atWork) return
    const timer = setInterval(again, lookEveryMs)
    return () => clearInterval(timer)
  }, [atWork, again])
  const start = () =>
    reindex().then(
      () => {
        setSaid('All is read again; search goes on meanwhile.')
        again()
      },
      (error: Error) => setSaid(error.message),
    )
  return (
    <section className="index-state" aria-label="The index">
      <p>
        <Mark
          kind={data === undefined ? 'unknown' : data.problem !== undefined || data.problems.length > 0 ? 'warn' : 'ok'}
          size={11}
        />
        {data === undefined ? (
          <span>{problem?.message ?? 'Not known yet.'}</span>
        ) : (
          <span>
            <span className="num">{grouped(data.chunks)}</span> passages of{' '}
            <span className="num">{grouped(data.sources)}</span> sources
            <small>
              {data.state === 'ready' ? 'all read' : data.state === 'loading' ? 'being loaded' : 'being read'}
              {data.model !== undefined && `, meaning by ${data.model}`}
              {data.model !== undefined &&
                (data.waiting ?? 0) > 0 &&
                `; ${grouped(data.waiting ?? 0)} of conversations are read by meaning when you search`}
            </small>
          </span>
        )}
      </p>
      {data?.share !== undefined && <Progress name={data.state === 'loading' ? 'Loaded' : 'Read'} ratio={data.share} />}
      {data !== undefined && data.model !== undefined && shareOf(data) < 1 && (
        <Progress name="Read by meaning" ratio={shareOf(data)}>
          {grouped(data.embedded)} of {grouped(data.embeddable)} can be found by meaning
        </Progress>
      )}
      {data?.problem !== undefined && (
        <small>
          <Visible text={data.problem} />
        </small>
      )}
      {data?.remade !== undefined && (
        <small>
          <time title={exactTime(data.remade.at)}>{timeOfDay(data.remade.at)}</time> {data.remade.why} It was made again
          from its sources.
        </small>
      )}
      {data !== undefined && data.problems.length > 0 && (
        <details>
          <summary>{data.problems.length} not whole</summary>
          {data.problems.map(({ name, problem: why }) => (
            <small key={name}>
              <Visible text={`${name}: ${why}`} />
            </small>
          ))}
        </details>
      )}
      {!isResting && (
        <button type="button" className="button small" aria-disabled={atWork} onClick={() => !atWork && void start()}>
          {atWork ? 'Reading' : 'Read all again'}
        </button>
      )}
      {said !== undefined && <small role="status">{said}</small>}
    </section>
  )
}

function Progress({ name, ratio, children }: { name: string; ratio: number; children?: ReactNode }) {
  const value = Math.round(ratio * 100)
  return (
    <div role="progressbar" aria-label={name} aria-valuemin={0} aria-valuemax={100} aria-valuenow={value}>
      <Meter ratio={ratio} />
      <small>{children ?? `${name}: ${percent(ratio)}`}</small>
    </div>
  )
}
