import type { HitsData } from 'protocol'
import { useState } from 'react'
import { plural } from '../../../lib/format.ts'
import { Visible } from '../../../ui/boxed.tsx'
import type { Call } from '../runs.ts'
import { Exact } from './exact.tsx'
import { webAddress } from './texts.ts'

const shownHits = 5

/** The hits of a search: each a title with a link, its host, and a passage as plain text. */
export function HitsView({ call, found: { hits, silent } }: { call: Call; found: HitsData }) {
  const [isWhole, setWhole] = useState(false)
  return (
    <div className="view-box">
      <h3>
        {plural(hits.length, 'result')} <span>written by strangers</span>
      </h3>
      {hits.length > 0 && (
        <ol className="view-hits">
          {(isWhole ? hits : hits.slice(0, shownHits)).map((hit, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: results have no identity but their place
            <li key={at}>
              <HitTitle title={hit.title} url={hit.url} />
              {hit.snippet !== '' && (
                <span className="view-snippet">
                  <Visible text={hit.snippet} />
                </span>
              )}
            </li>
          ))}
        </ol>
      )}
      {silent.length > 0 && (
        <p className="view-note">
          Did not answer: <Visible text={silent.join(', ')} />. Their results are missing.
        </p>
      )}
      <Exact call={call}>
        {hits.length > shownHits && (
          <button type="button" className="view-more" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? `Show ${shownHits} results` : `Show all ${hits.length} results`}
          </button>
        )}
      </Exact>
    </div>
  )
}

function HitTitle({ title, url }: { title: string; url: string }) {
  const address = webAddress(url)
  const words = <bdi>{title.trim() === '' ? 'No title' : <Visible text={title.trim()} />}</bdi>
  return (
    <span className="view-title">
      {address === undefined ? (
        words
      ) : (
        <a href={address.href} target="_blank" rel="noopener noreferrer">
          {words}
        </a>
      )}
      <small>
        <Visible text={address?.host ?? url} />
      </small>
    </span>
  )
}
