import { useGrants } from '../../api/grants.ts'
import { Link } from '../../ui/link.tsx'

/** Says that a grant let a call run, with a link to the grant. @param id the grant's */
export function GrantLink({ id }: { id: string }) {
  const left = useGrants()?.find((grant) => grant.id === id)?.usesLeft
  return (
    <Link to={`/waiting?grant=${encodeURIComponent(id)}`} className="grant-link">
      ran under a grant{left !== undefined && `, ${left} left`}
    </Link>
  )
}
