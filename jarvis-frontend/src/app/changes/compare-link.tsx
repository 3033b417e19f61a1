import type { Change } from 'protocol'
import { Link } from '../../ui/link.tsx'
import { leftBy } from './left-by.ts'
import { useChange } from './use-change.ts'

/**
 * A link to the page that compares the guest's present configuration with the settings after the change. Renders nothing if the change set no
 * configuration.
 */
export function CompareLink({ change }: { change: Change }) {
  const { vmid } = change.target
  if (vmid === undefined || leftBy(change) === undefined) return null
  return (
    <Link className="text-link" to={`/guest/${vmid}?tab=config&against=${encodeURIComponent(`change:${change.id}`)}`}>
      Compare…
    </Link>
  )
}

/** A link like `CompareLink`, for a caller that has only the change's id. Renders nothing if the change is unknown or not loaded yet. */
export function CompareLinkOf({ id }: { id: string }) {
  const change = useChange(id)
  return change === undefined ? null : <CompareLink change={change} />
}
