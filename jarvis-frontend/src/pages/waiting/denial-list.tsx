import type { ConfirmationRow } from 'protocol'
import { signedIn } from '../../api/auth.ts'
import { confirmations, takeDenialBack } from '../../api/confirmations.ts'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { CallLines, EndButton } from './call-lines.tsx'

/** Denied calls that clients may not repeat for a time: JARVIS refuses them without a new card. A button lets the client ask again. */
export function DenialList({ decided }: { decided: readonly ConfirmationRow[] }) {
  const isOperator = useValue(signedIn)?.role === 'operator'
  const refused = decided.filter(({ refusedUntil = 0 }) => refusedUntil > Date.now())
  if (refused.length === 0) return null
  return (
    <>
      <h2>Refused for now</h2>
      <ul>
        {refused.map((row) => (
          <li key={row.toolUseId} className="granted">
            <Mark kind="none" size={11} />
            <span className="mono">
              <Visible text={row.toolName} />
            </span>
            <CallLines call={row} until={row.refusedUntil ?? 0} />
            {isOperator && <EndButton label="Take back" end={() => takeBack(row)} />}
          </li>
        ))}
      </ul>
    </>
  )
}

const takeBack = (row: ConfirmationRow) => takeDenialBack(row.toolUseId).finally(() => confirmations.renew())
