import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'

/** Why what was asked for did not happen, below its form. */
export function FormProblem({ text }: { text: string | undefined }) {
  if (text === undefined) return null
  return (
    <p className="form-problem" role="alert">
      <Mark kind="bad" size={11} />{' '}
      <span>
        <Visible text={text} />
      </span>
    </p>
  )
}
