import type { SignInInfo } from 'protocol'
import { ago, exactTime } from '../../../lib/format.ts'
import { Visible } from '../../../ui/boxed.tsx'
import { Mark } from '../../../ui/mark.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { browserOf } from './browser.ts'
import { TwoStep } from './two-step.tsx'

/** The sign-ins of a person. `onEnd`: undefined for another person's sign-ins, which are shown without IP addresses. */
export function SignIns({
  items,
  isResting,
  label,
  onEnd,
}: {
  items: readonly SignInInfo[]
  isResting: boolean
  label: string
  onEnd?: (id: string) => void
}) {
  return (
    <ul className="fact-list" aria-label={label}>
      {items.map((signIn) => (
        <Row key={signIn.id} signIn={signIn} isResting={isResting} onEnd={onEnd} />
      ))}
    </ul>
  )
}

function Row({
  signIn: { id, client, address, method, createdAt, lastSeenAt, endsAt, isThis },
  isResting,
  onEnd,
}: {
  signIn: SignInInfo
  isResting: boolean
  onEnd: ((id: string) => void) | undefined
}) {
  const now = useNow(60_000)
  const name = browserOf(client)
  return (
    <li>
      <Mark kind={isThis ? 'running' : 'stopped'} size={11} />
      <span title={client}>
        <Visible text={name} />
        <small>
          {isThis ? 'this one, ' : ''}
          <Visible text={method.replaceAll('_', ' ')} />
        </small>
      </span>
      <span className="text-soft">
        seen {ago(lastSeenAt, now)}
        {onEnd !== undefined && (
          <>
            , <Visible text={address} />
          </>
        )}
        <small>
          since {exactTime(createdAt)}, ends {exactTime(endsAt)}
        </small>
      </span>
      {onEnd !== undefined && isThis === undefined && (
        <TwoStep act="Sign out" object={name} isResting={isResting} onDo={() => onEnd(id)} />
      )}
    </li>
  )
}
