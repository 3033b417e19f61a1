import type { Recalled } from 'protocol'
import { placeOf } from '../../features/memory/hits.tsx'
import { ago } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Link } from '../../ui/link.tsx'
import { useNow } from '../../ui/use-now.ts'
import { visibleText } from '../../ui/visible.ts'
import './recalled.css'

/** The passages of memory that the model received, each with its source. */
export function RecalledPassages({ items }: { items: readonly Recalled[] }) {
  const now = useNow(60_000)
  return (
    <ul className="recalled">
      {items.map((item) => (
        <li key={`${item.name} ${item.firstLine}`}>
          <p>
            <Link to={item.kind === 'session' ? `/chat/${encodeURIComponent(item.name)}` : placeOf(item)}>
              <Visible text={item.title} />
            </Link>{' '}
            {item.kind === 'session' && 'a conversation, '}
            {item.kind === 'file' && `lines ${item.firstLine}–${item.lastLine}, `}
            {ago(item.changedAt, now)}
            {item.isFromTools && item.kind !== 'session' && ', from a tool'}
            {item.why !== undefined && (
              <>
                {', '}
                <Visible text={item.why} />
              </>
            )}
          </p>
          <pre>{item.text.split('\n').map(visibleText).join('\n')}</pre>
        </li>
      ))}
    </ul>
  )
}
