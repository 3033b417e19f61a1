import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'

export type Said = { ok: boolean; text: string }

/** What came of what was asked for, below its form. */
export function FormSaid({ said }: { said: Said | undefined }) {
  if (said === undefined) return null
  return (
    <p className="form-problem" role="alert">
      <Mark kind={said.ok ? 'ok' : 'bad'} size={11} />{' '}
      <span>
        <Visible text={said.text} />
      </span>
    </p>
  )
}

/** Why what was asked for did not happen, below its form. */
export const FormProblem = ({ text }: { text: string | undefined }) => (
  <FormSaid said={text === undefined ? undefined : { ok: false, text }} />
)
