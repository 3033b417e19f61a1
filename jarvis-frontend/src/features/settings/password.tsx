import { useState } from 'react'
import { takeToken } from '../../api/auth.ts'
import { ApiError } from '../../api/http.ts'
import { changePassword } from '../../api/settings.ts'
import { Username } from '../../ui/username.tsx'
import { FormSaid, type Said } from './form-problem.tsx'

/** Changes the password. This browser stays signed in; all others are signed out. */
export function PasswordForm({ isResting }: { isResting: boolean }) {
  const [said, setSaid] = useState<Said>()
  const change = async (form: HTMLFormElement) => {
    const given = new FormData(form)
    const read = (name: string) => String(given.get(name) ?? '')
    if (read('next') !== read('again')) {
      setSaid({ ok: false, text: 'The two new ones differ. Nothing was changed.' })
      return
    }
    try {
      const { token } = await changePassword(read('current'), read('next'))
      takeToken(token)
      form.reset()
      setSaid({ ok: true, text: 'Changed. Everybody else is signed out.' })
    } catch (error) {
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
      <Username />
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
      <button type="submit" className="button" aria-disabled={isResting}>
        Change the password
      </button>
      <FormSaid said={said} />
    </form>
  )
}
