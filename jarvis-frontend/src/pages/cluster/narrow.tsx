import type { ClusterState } from 'protocol'
import { useState } from 'react'
import { SearchField } from '../../app/search-field.tsx'
import { guestMark } from '../../features/cluster/health.ts'
import { type Ghosts, GuestRow } from '../../features/cluster/parts.tsx'
import { isWanted, type Narrowing, tagsOf } from '../../features/cluster/rows.ts'
import { useCluster } from '../../features/cluster/store.ts'
import { plural } from '../../lib/format.ts'
import { visibleText } from '../../ui/visible.ts'

type Props = { state: ClusterState; narrowing: Narrowing; onNarrow: (change: Partial<Narrowing>) => void }

/** Filters of the guests: words, node and tag. */
export function Narrow({ state: { guests, nodes }, narrowing, onNarrow }: Props) {
  const { text, node, tag } = narrowing
  const tags = tagsOf(guests)
  const found = guests.filter((guest) => isWanted(guest, narrowing)).length
  return (
    <div className="guest-narrow">
      <SearchField
        className="guest-search"
        label="Filter guests"
        placeholder="Number, name, tag or state"
        maxLength={100}
        query={text}
        onSearch={(words) => onNarrow({ text: words })}
      />
      <select
        className="field"
        aria-label="Node"
        value={node}
        onChange={({ currentTarget }) => onNarrow({ node: currentTarget.value })}
      >
        <option value="">All {plural(nodes.length, 'node')}</option>
        {nodes.map(({ name, status }) => (
          <option key={name} value={name}>
            {name}
            {status !== 'online' && `, ${status}`}
          </option>
        ))}
      </select>
      {(tags.length > 0 || tag !== '') && (
        <select
          className="field"
          aria-label="Tag"
          value={tag}
          onChange={({ currentTarget }) => onNarrow({ tag: currentTarget.value })}
        >
          <option value="">All tags</option>
          {tag !== '' && tags.every(([known]) => known !== tag) && <option>{visibleText(tag)}</option>}
          {tags.map(([name, count]) => (
            <option key={name} value={name}>
              {visibleText(name)}, {count}
            </option>
          ))}
        </select>
      )}
      {isNarrowed(narrowing) && (
        <>
          <span className="num text-dim" role="status">
            {found} of {guests.length}
          </span>
          <button
            type="button"
            className="button small quiet"
            onClick={() => onNarrow({ text: '', node: '', tag: '' })}
          >
            Show all
          </button>
        </>
      )}
    </div>
  )
}

export const isNarrowed = ({ text, node, tag }: Narrowing): boolean => text !== '' || node !== '' || tag !== ''

const mostRows = 60

/** The guests that pass the filters, on a phone. */
export function Found({ state, narrowing, ghosts }: Pick<Props, 'state' | 'narrowing'> & { ghosts: Ghosts }) {
  const { issues, isLive } = useCluster()
  const [most, setMost] = useState(mostRows)
  const away = new Set(state.nodes.flatMap(({ name, status }) => (status === 'online' ? [] : [name])))
  const found = state.guests.filter((guest) => isWanted(guest, narrowing)).sort((a, b) => a.vmid - b.vmid)
  return (
    <div className="column">
      <div className="nodes">
        <ul>
          {found.slice(0, most).map((guest) => (
            <GuestRow
              key={guest.vmid}
              guest={guest}
              mark={guestMark(guest, issues, isLive && !away.has(guest.node))}
              ghost={ghosts.get(guest.vmid)}
              to={`/guest/${guest.vmid}`}
            />
          ))}
        </ul>
      </div>
      {found.length === 0 && <p className="rest-note">No guest is like that.</p>}
      {found.length > most && (
        <button type="button" className="button small quiet" onClick={() => setMost(most + mostRows)}>
          {Math.min(mostRows, found.length - most)} more of {found.length - most}
        </button>
      )}
    </div>
  )
}
