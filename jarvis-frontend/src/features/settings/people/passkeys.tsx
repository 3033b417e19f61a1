import { isLongUnseen } from 'jarvis-backend/facts'
import type { Passkey, PasskeysReply } from 'jarvis-backend/protocol'
import { useState } from 'react'
import { ApiError } from '../../../api/http.ts'
import { register, removePasskey, renamePasskey } from '../../../api/passkeys.ts'
import { ago, exactTime } from '../../../lib/format.ts'
import { passkeyProblem } from '../../../lib/passkey-problem.ts'
import { Visible } from '../../../ui/boxed.tsx'
import { KeyMark } from '../../../ui/key-mark.tsx'
import { Mark } from '../../../ui/mark.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { FormProblem } from '../form-problem.tsx'
import { TwoStep } from './two-step.tsx'
import { useAttempt } from './use-attempt.ts'

type Props = {
  passkeys: PasskeysReply
  isResting: boolean
  /** Why the last passkey cannot be removed; undefined where it can. */
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
  passkey: { id, name, isSynced, createdAt, lastUsedAt },
  isResting,
  held,
  onChange,
}: {
  passkey: Passkey
  isResting: boolean
  held: string | undefined
  onChange: (work: () => Promise<unknown>) => void
}) {
  const now = useNow(60_000)
  const [isNaming, setNaming] = useState(false)
  const isOld = isLongUnseen(lastUsedAt ?? createdAt, now)
  return (
    <li>
      {isOld ? <Mark kind="warn" size={11} label="long unused:" /> : <KeyMark />}
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
        <span>
          <Visible text={name} />
          <small>{isSynced ? 'copied to your other devices by its maker' : 'stays on one device'}</small>
        </span>
      )}
      <span className="text-soft">
        {isOld ? 'not used for 90 d' : lastUsedAt === undefined ? 'never used' : `used ${ago(lastUsedAt, now)}`}
        <small>made {exactTime(createdAt)}</small>
      </span>
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
