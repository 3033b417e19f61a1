import { useGrants } from '../../api/grants.ts'
import { Link } from '../../ui/link.tsx'

const planPrefix = 'plan:'

/** Says that a grant or an approved plan let a call run, with a link to it. @param id the grant's, or `plan:` and the plan's */
export function GrantLink({ id }: { id: string }) {
  const plan = id.startsWith(planPrefix) ? id.slice(planPrefix.length) : undefined
  const left = useGrants()?.find((grant) => grant.id === id)?.usesLeft
  if (plan !== undefined) {
    return (
      <Link to={`/waiting?card=${encodeURIComponent(plan)}`} className="grant-link">
        approved with its plan
      </Link>
    )
  }
  return (
    <Link to={`/waiting?grant=${encodeURIComponent(id)}`} className="grant-link">
      ran under a grant{left !== undefined && `, ${left} left`}
    </Link>
  )
}
