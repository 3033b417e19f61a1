import type { PageData } from 'protocol'
import { useState } from 'react'
import { plural } from '../../../lib/format.ts'
import { Visible } from '../../../ui/boxed.tsx'
import { Plain } from '../plain.tsx'
import type { Call } from '../runs.ts'
import { Exact } from './exact.tsx'
import { linesOf, sized, withoutScheme } from './texts.ts'

const shownLines = 4

/** A web page as the text that the model received. It has no links, no pictures and no markup. */
export function PageView({ call, page }: { call: Call; page: PageData }) {
  const [isWhole, setWhole] = useState(false)
  const { url, asked, title, text, from, next, chars, wireBytes, isKept, hidden } = page
  const lines = linesOf(text).filter((line) => line.trim() !== '')
  const isLong = lines.length > shownLines || text.length > 600
  return (
    <div className="view-box">
      <h3>
        Page as text <span>written by strangers: fenced, links inert</span>
      </h3>
      <p className="view-place">
        {title !== '' && (
          <b>
            <Visible text={title} />
          </b>
        )}
        <code>
          <Visible text={withoutScheme(url)} />
        </code>
      </p>
      {asked !== url && (
        <p className="view-note">
          Asked for <code>{<Visible text={asked} />}</code>, which led here.
        </p>
      )}
      {text === '' ? (
        <p className="view-note">It holds no text.</p>
      ) : (
        <pre className={isWhole ? 'whole' : 'begin'} {...(isWhole && { tabIndex: 0 })}>
          <Plain text={isWhole ? text : lines.slice(0, shownLines).join('\n').slice(0, 1_200)} />
        </pre>
      )}
      {hidden.count > 0 && (
        <p className="view-note">
          {plural(hidden.count, 'hidden passage')} left out (<Visible text={hidden.reasons.join(', ')} />)
        </p>
      )}
      <Exact call={call}>
        <span>
          {sized(wireBytes)}, {isKept ? 'read up to 15 min before' : 'read now'}
          {(from > 0 || typeof next === 'number') &&
            `, characters ${from + 1} to ${typeof next === 'number' ? next : chars} of ${chars}`}
        </span>
        {isLong && (
          <button type="button" className="view-more" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Show the beginning' : 'Show all of the text'}
          </button>
        )}
      </Exact>
    </div>
  )
}
