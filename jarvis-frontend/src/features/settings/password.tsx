import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { signedIn, takeReply } from '../../api/auth.ts'
import { changePassword } from '../../api/settings.ts'
import { useValue } from '../../lib/use-value.ts'
import { Username } from '../../ui/username.tsx'
import { FormSaid, type Said } from './form-problem.tsx'
import { endedWords } from './people/words.ts'

/** Changes this person's password. This browser stays signed in; the person's other browsers are signed out, and pairings end. */
export function PasswordForm({ isResting }: { isResting: boolean }) {
  const [said, setSaid] = useState<Said>()
  const [needsCode, setNeedsCode] = useState(false)
  const name = useValue(signedIn)?.name
  const change = async (form: HTMLFormElement) => {
    const given = new FormData(form)
    const read = (name: string) => String(given.get(name) ?? '')
    if (read('next') !== read('again')) {
      setSaid({ ok: false, text: 'The two new ones differ. Nothing was changed.' })
      return
    }
    try {
      const reply = await changePassword(read('current'), read('next'), read('code'))
      takeReply(reply)
      form.reset()
      setNeedsCode(false)
      setSaid({
        ok: true,
        text: `Changed. ${reply.ended ? endedWords(reply.ended) : 'You are signed out everywhere else.'}`,
      })
    } catch (error) {
      if (error instanceof ApiError && error.code === 'second_factor_required') setNeedsCode(true)
      const text = error instanceof ApiError ? error.message : 'The answer could not be read.'
      setSaid({ ok: false, text: `${text} Nothing was changed.` })
    }
  }
  return (
    <form
      className="form-row"
      aria-label="Change the password"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isResting) void change(event.currentTarget)
      }}
    >
      <Username name={name} />
      <label>
        Present password
        <input className="field" type="password" name="current" autoComplete="current-password" required />
      </label>
      <label>
        New password
        <input className="field" type="password" name="next" autoComplete="new-password" required minLength={8} />
      </label>
      <label>
        New password again
        <input className="field" type="password" name="again" autoComplete="new-password" required />
      </label>
      {needsCode && (
        <label>
          Code of your app, or a recovery code
          <input className="field" name="code" autoComplete="one-time-code" required spellCheck={false} />
        </label>
      )}
      <button type="submit" className="button" aria-disabled={isResting}>
        Change the password
      </button>
      <small className="text-dim">
        At least 8 characters of any kind; better 15 or more, as some words that do not belong together.
      </small>
      <FormSaid said={said} />
    </form>
  )
}
