import type { Grant } from 'protocol'
import { useEffect, useRef } from 'react'
import { signedIn } from '../../api/auth.ts'
import { grants, revokeGrant, useGrants } from '../../api/grants.ts'
import { Who } from '../../features/confirmations/who.tsx'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { CallLines, EndButton } from './call-lines.tsx'

/** The grants under which calls run without a card, each with a button that ends it. @param chosen the id of the grant in the address */
export function GrantList({ chosen }: { chosen: string | undefined }) {
  const list = useGrants()
  const isOperator = useValue(signedIn)?.role === 'operator'
  const mark = useRef<HTMLLIElement>(null)
  const isOver = list !== undefined && chosen !== undefined && !list.some(({ id }) => id === chosen)
  const isShown = list !== undefined && chosen !== undefined && !isOver
  useEffect(() => {
    if (isShown) mark.current?.scrollIntoView({ block: 'nearest' })
  }, [isShown])
  if (list === undefined || (list.length === 0 && !isOver)) return null
  return (
    <>
      <h2>Grants in force</h2>
      {isOver && <p className="inbox-note">That grant is over: used up, out of time or revoked.</p>}
      <ul>
        {list.map((grant) => (
          <li
            key={grant.id}
            ref={grant.id === chosen ? mark : undefined}
            className="granted"
            aria-current={grant.id === chosen ? 'true' : undefined}
          >
            <Icon name="clock" />
            <span>
              <What grant={grant} />
            </span>
            <span className="num">{grant.usesLeft} left</span>
            <CallLines call={grant} until={grant.expiresAt} isExample={grant.scope !== undefined}>
              , made by <Who id={grant.by} />
            </CallLines>
            {isOperator && <EndButton label="Revoke" end={() => revoke(grant)} />}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Shows the calls that a grant allows: with a scope, calls of one kind in a folder or on a website; otherwise one call of one tool. */
function What({ grant: { toolName, target, scope } }: { grant: Grant }) {
  if (scope !== undefined) return <Visible text={scope.words} />
  return (
    <>
      <span className="mono">
        <Visible text={toolName} />
      </span>
      {target.kind !== 'none' && (
        <>
          {' on '}
          <span className="num">
            <Visible text={String(target.vmid ?? target.id.replace(/^\w+\//, ''))} />
          </span>
        </>
      )}
    </>
  )
}

const revoke = (grant: Grant) => revokeGrant(grant.id).finally(() => grants.renew())
