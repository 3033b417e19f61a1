import type { MemoryHit, MemoryPassage } from 'protocol'
import { ago, exactTime, plural } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Highlighted } from '../../ui/highlight.tsx'
import { Link } from '../../ui/link.tsx'
import { useNow } from '../../ui/use-now.ts'

const sources = { file: 'File', session: 'Session', journal: 'Journal' } as const

/** Returns the path of the page that shows a passage's source. */
export function placeOf(
  { kind, name, firstLine }: Pick<MemoryPassage, 'kind' | 'name' | 'firstLine'>,
  query = '',
): string {
  const q = query === '' ? '' : `&q=${encodeURIComponent(query)}`
  if (kind === 'file') return `/agents/memory?file=${encodeURIComponent(name)}&line=${firstLine}${q}`
  return kind === 'session' ? `/agents/memory?session=${encodeURIComponent(name)}${q}` : '/journal'
}

/** The passages found, best first, each with the reason. `others`: synonyms that were searched too. */
export function Hits({
  hits,
  query,
  others,
  ignored,
}: {
  hits: readonly MemoryHit[]
  query: string
  others: readonly string[]
  /** Words of the query that the search ignored. */
  ignored: readonly string[]
}) {
  return (
    <ol className="hits">
      {hits.map((hit) => (
        <li key={hit.id}>
          <Link to={placeOf(hit, query)}>
            <b>
              <Visible text={hit.heading === '' ? hit.title : `${hit.title}: ${hit.heading}`} />
            </b>
          </Link>
          <p className="passage">
            <Highlighted text={hit.text} query={[query, ...others].join(' ')} ignored={ignored} />
          </p>
          <Why hit={hit} />
        </li>
      ))}
    </ol>
  )
}

/** A hit's ranks in the keyword list and the vector list, its age and its source. */
function Why({ hit }: { hit: MemoryHit }) {
  const now = useNow(60_000)
  const { kind, keywordRank, vectorRank, changedAt, isFromTools, folded, firstLine, lastLine, name } = hit
  return (
    <p className="why">
      <span>
        {sources[kind]} <Visible text={name} />,{' '}
        {firstLine === lastLine ? `line ${firstLine}` : `lines ${firstLine}–${lastLine}`}
      </span>
      <time title={exactTime(changedAt)}>{ago(changedAt, now)}</time>
      <span>{keywordRank === undefined ? 'not by words' : `by words no. ${keywordRank}`}</span>
      <span>{vectorRank === undefined ? 'not by meaning' : `by meaning no. ${vectorRank}`}</span>
      {isFromTools && <span className="tag">from a tool</span>}
      {folded > 0 && <span>{plural(folded, 'other')} nearly the same</span>}
    </p>
  )
}

/** Passages exactly as the memory stores them. */
export function Passages({ items }: { items: readonly MemoryPassage[] }) {
  return (
    <ol className="hits">
      {items.map((item) => (
        <li key={item.id}>
          <p className="passage whole">
            <Highlighted text={item.text} query="" />
          </p>
          <p className="why">
            <time>{exactTime(item.changedAt)}</time>
            {item.isFromTools && <span className="tag">from a tool</span>}
          </p>
        </li>
      ))}
    </ol>
  )
}
