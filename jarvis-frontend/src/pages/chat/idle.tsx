import { useWaiting } from '../../api/waiting.ts'
import { live } from '../../app/live.ts'
import { useIsLive } from '../../app/load-state.tsx'
import { useCluster } from '../../features/cluster/store.ts'
import { useValue } from '../../lib/use-value.ts'
import { Icon } from '../../ui/icon.tsx'
import { Mark } from '../../ui/mark.tsx'
import { useNow } from '../../ui/use-now.ts'
import { BigRing } from './big-ring.tsx'
import { headline, prompts } from './prompts.ts'

/** The page of a new chat: the present state of the cluster, and suggested questions. */
export function Idle({ onAsk }: { onAsk?: ((question: string) => void) | undefined }) {
  const { state, issues } = useCluster()
  const waiting = useWaiting().count
  const feed = useValue(live.feed.items)
  const now = useNow(60_000)
  const isLive = useIsLive()
  const seen = { state, issues, feed, now }
  const { title, detail } = headline(seen, waiting)
  return (
    <section className="idle scroll" aria-label="New chat">
      <div>
        <BigRing />
        <h2>{title}</h2>
        <p>{detail}</p>
        {onAsk !== undefined && (
          <ul className="prompts">
            {prompts(seen).map(({ mark, question, detail: note }) => (
              <li key={question}>
                <button type="button" aria-disabled={!isLive} onClick={() => isLive && onAsk(question)}>
                  {mark === 'warn' || mark === 'bad' ? <Mark kind={mark} size={13} /> : <Icon name={mark} />}
                  <span>{question}</span>
                  <small>{note}</small>
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  )
}
