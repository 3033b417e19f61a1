import type { Grant } from 'jarvis-backend/protocol'
import { useState } from 'react'
import { signedIn } from '../api/auth.ts'
import { grants, revokeGrant, useGrants } from '../api/grants.ts'
import { TimeLeft } from '../features/confirmations/countdown.tsx'
import { actOf, exactInput } from '../features/confirmations/sentence.ts'
import { Sentence } from '../features/confirmations/sentence-line.tsx'
import { askerText } from '../features/confirmations/words.ts'
import { useValue } from '../lib/use-value.ts'
import { Visible } from '../ui/boxed.tsx'
import { Tier } from '../ui/tier.tsx'
import { say } from './announce.tsx'

/** What runs without a card for now, and the one press that ends it. */
export function GrantList() {
  const list = useGrants() ?? []
  const isOperator = useValue(signedIn)?.role === 'operator'
  if (list.length === 0) return null
  return (
    <>
      <h2>Allowed without asking</h2>
      <ul>
        {list.map((grant) => (
          <li key={grant.id} className="granted">
            <Tier tier="red" size={13} />
            <span>
              <Sentence
                pieces={actOf(grant).ask.map((piece) => (typeof piece === 'string' ? piece.replace(/\?$/, '') : piece))}
              />
            </span>
            <TimeLeft until={grant.expiresAt} />
            <small>
              <code>
                <Visible text={exactInput(grant.toolInput)} />
              </code>{' '}
              for {askerText(grant)}; {grant.usesLeft} of {grant.uses} left, given by <Visible text={grant.by} />
            </small>
            {isOperator && <Revoke grant={grant} />}
          </li>
        ))}
      </ul>
    </>
  )
}

function Revoke({ grant }: { grant: Grant }) {
  const [isSending, setSending] = useState(false)
  const revoke = async () => {
    setSending(true)
    await revokeGrant(grant.id).catch((error: Error) => say(error.message))
    setSending(false)
    grants.renew()
  }
  return (
    <button
      type="button"
      className="button small"
      aria-disabled={isSending}
      onClick={() => !isSending && void revoke()}
    >
      Revoke
    </button>
  )
}
