import type { ConfirmationRow } from 'jarvis-backend/protocol'
import { useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { confirmations, takeDenialBack } from '../../api/confirmations.ts'
import { say } from '../../app/announce.tsx'
import { exactInput } from '../../features/confirmations/sentence.ts'
import { askerText } from '../../features/confirmations/words.ts'
import { exactTime, timeOfDay } from '../../lib/format.ts'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'

/** What clients are refused without a card because it was denied, and the one press that lets them ask again. */
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
            <small>
              {askerText(row)}, until{' '}
              <time title={exactTime(row.refusedUntil ?? 0)}>{timeOfDay(row.refusedUntil ?? 0)}</time>
            </small>
            <small>
              <code>
                <Visible text={exactInput(row.toolInput)} />
              </code>
            </small>
            {isOperator && <TakeBack row={row} />}
          </li>
        ))}
      </ul>
    </>
  )
}

function TakeBack({ row }: { row: ConfirmationRow }) {
  const [isSending, setSending] = useState(false)
  const takeBack = async () => {
    setSending(true)
    await takeDenialBack(row.toolUseId).catch((error: Error) => say(error.message))
    setSending(false)
    confirmations.renew()
  }
  return (
    <button
      type="button"
      className="button small"
      aria-disabled={isSending}
      onClick={() => !isSending && void takeBack()}
    >
      Take back
    </button>
  )
}
