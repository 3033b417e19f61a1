import { useGrants } from '../../api/grants.ts'
import { Link } from '../../ui/link.tsx'

const planPrefix = 'plan:'

/** Says which grant or approved plan allowed a call to run, with a link. @param id of the grant, or `plan:` and the plan's id */
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
