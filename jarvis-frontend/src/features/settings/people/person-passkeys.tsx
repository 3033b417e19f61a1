import { listPasskeysOf, removePasskeyOf } from '../../../api/passkeys.ts'
import { useLoad } from '../../../api/use-load.ts'
import { FormProblem } from '../form-problem.tsx'
import { PasskeyMark, PasskeyName, PasskeyUse } from './passkey-facts.tsx'
import { TwoStep } from './two-step.tsx'
import { useAttempt } from './use-attempt.ts'

type Props = { id: string; name: string; isResting: boolean }

/** The passkeys of another person for an owner, who removes one that is lost. */
export function PersonPasskeys({ id, name, isResting }: Props) {
  const { data, problem, again } = useLoad(`passkeys of ${id}`, () => listPasskeysOf(id), ['connect'])
  const { problem: refused, isBusy, attempt } = useAttempt()
  if (data === undefined) return problem === undefined ? null : <FormProblem text={problem.message} />
  if (data.items.length === 0) return <p className="rest-note">None.</p>
  return (
    <>
      <ul className="fact-list" aria-label={`Passkeys of ${name}`}>
        {data.items.map((passkey) => (
          <li key={passkey.id}>
            <PasskeyMark passkey={passkey} />
            <PasskeyName passkey={passkey} />
            <PasskeyUse passkey={passkey} />
            <TwoStep
              act="Remove"
              object={passkey.name}
              isResting={isResting || isBusy}
              onDo={() => void attempt(() => removePasskeyOf(id, passkey.id)).then((isDone) => isDone && again())}
            />
          </li>
        ))}
      </ul>
      <FormProblem text={refused} />
    </>
  )
}
