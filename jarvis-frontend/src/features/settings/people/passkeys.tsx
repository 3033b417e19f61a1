import type { Passkey, PasskeysReply } from 'protocol'
import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { register, removePasskey, renamePasskey } from '../../../api/passkeys.ts'
import { passkeyProblem } from '../../../lib/passkey-problem.ts'
import { Visible } from '../../../ui/boxed.tsx'
import { FormProblem } from '../form-problem.tsx'
import { PasskeyMark, PasskeyName, PasskeyUse } from './passkey-facts.tsx'
import { TwoStep } from './two-step.tsx'
import { useAttempt } from './use-attempt.ts'

type Props = {
  passkeys: PasskeysReply
  isResting: boolean
  /** Why the last passkey cannot be removed; undefined if it can. */
  lastHeld: string | undefined
  onChanged: () => void
}

/** This person's passkeys, and a button that adds one. */
export function Passkeys({ passkeys: { items, problem }, isResting, lastHeld, onChanged }: Props) {
  const { problem: failed, isBusy, attempt, say } = useAttempt()
  const change = (work: () => Promise<unknown>) => void attempt(work).then((isDone) => isDone && onChanged())
  const add = async (form: HTMLFormElement) => {
    const name = String(new FormData(form).get('passkey') ?? '').trim()
    const isDone = await attempt(async () => {
      try {
        await register(name)
      } catch (error) {
        if (error instanceof ApiError) throw error
        throw new ApiError('passkey', passkeyProblem(error) ?? 'Stopped. No passkey was added.')
      }
    })
    if (!isDone) return
    form.reset()
    say(undefined)
    onChanged()
  }
  return (
    <>
      {items.length === 0 ? (
        <p>No passkey yet. It signs you in without a password, and signs decisions that must be signed.</p>
      ) : (
        <ul className="fact-list" aria-label="Your passkeys">
          {items.map((passkey) => (
            <Row
              key={passkey.id}
              passkey={passkey}
              isResting={isResting || isBusy}
              held={items.length === 1 ? lastHeld : undefined}
              onChange={change}
            />
          ))}
        </ul>
      )}
      {problem === undefined ? (
        <form
          className="form-row"
          aria-label="Add a passkey"
          onSubmit={(event) => {
            event.preventDefault()
            if (!isResting) void add(event.currentTarget)
          }}
        >
          <label>
            Name of the passkey
            <input
              className="field"
              name="passkey"
              required
              maxLength={60}
              placeholder="Pixel of mira"
              autoComplete="off"
            />
          </label>
          <button type="submit" className="button" disabled={isResting || isBusy}>
            Add a passkey…
          </button>
        </form>
      ) : (
        <p className="rest-note">
          <Visible text={problem} />
        </p>
      )}
      <FormProblem text={failed} />
    </>
  )
}

function Row({
  passkey,
  isResting,
  held,
  onChange,
}: {
  passkey: Passkey
  isResting: boolean
  held: string | undefined
  onChange: (work: () => Promise<unknown>) => void
}) {
  const { id, name } = passkey
  const [isNaming, setNaming] = useState(false)
  return (
    <li>
      <PasskeyMark passkey={passkey} />
      {isNaming ? (
        <form
          className="rename"
          aria-label={`Rename ${name}`}
          onSubmit={(event) => {
            event.preventDefault()
            const next = String(new FormData(event.currentTarget).get('name') ?? '').trim()
            setNaming(false)
            if (next !== name) onChange(() => renamePasskey(id, next))
          }}
        >
          <input className="field" name="name" aria-label="Name" defaultValue={name} required maxLength={60} />
          <button type="submit" className="button small">
            Keep the name
          </button>
        </form>
      ) : (
        <PasskeyName passkey={passkey} />
      )}
      <PasskeyUse passkey={passkey} />
      <span className="two-acts">
        {!isNaming && (
          <button
            type="button"
            className="button small quiet"
            aria-label={`Rename ${name}…`}
            disabled={isResting}
            onClick={() => setNaming(true)}
          >
            Rename…
          </button>
        )}
        <TwoStep
          act="Remove"
          object={name}
          held={held}
          isResting={isResting}
          onDo={() => onChange(() => removePasskey(id))}
        />
      </span>
    </li>
  )
}
