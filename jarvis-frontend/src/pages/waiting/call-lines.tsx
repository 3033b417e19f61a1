import type { Card } from 'protocol'
import { useState } from 'react'
import { say } from '../../app/announce.tsx'
import { exactInput } from '../../features/confirmations/sentence.ts'
import { askerText } from '../../features/confirmations/words.ts'
import { exactTime, timeOfDay } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'

type Props = {
  call: Pick<Card, 'requestedBy' | 'toolInput'>
  /** End of the validity, Unix ms. */
  until: number
  /** True if the arguments are an example, and other arguments are allowed too. */
  isExample?: boolean
  children?: React.ReactNode
}

/** The requester of a call, the end of its validity, and the exact arguments. */
export const CallLines = ({ call, until, isExample = false, children }: Props) => (
  <>
    <small>
      {askerText(call)}, until <time title={exactTime(until)}>{timeOfDay(until)}</time>
      {children}
    </small>
    {!isExample && (
      <small>
        <code>
          <Visible text={exactInput(call.toolInput)} />
        </code>
      </small>
    )}
  </>
)

/** The button that ends a grant or denial. @param end throws an Error with the reason if it fails */
export function EndButton({ label, end }: { label: string; end: () => Promise<unknown> }) {
  const [isSending, setSending] = useState(false)
  const press = async () => {
    setSending(true)
    await end().catch((error: Error) => say(error.message))
    setSending(false)
  }
  return (
    <button type="button" className="button small" aria-disabled={isSending} onClick={() => !isSending && void press()}>
      {label}
    </button>
  )
}
