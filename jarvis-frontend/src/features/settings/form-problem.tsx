import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'

export type Said = { ok: boolean; text: string }

/** The outcome of a form's request, below the form. */
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

/** The error of a form's request, shown below the form. */
export const FormProblem = ({ text }: { text: string | undefined }) => (
  <FormSaid said={text === undefined ? undefined : { ok: false, text }} />
)
