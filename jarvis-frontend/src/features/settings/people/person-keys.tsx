import type { ReactNode } from 'react'
import { listPasskeysOf, removePasskeyOf } from '../../../api/passkeys.ts'
import { listSshKeysOf, removeSshKeyOf } from '../../../api/ssh-keys.ts'
import { useLoad } from '../../../api/use-load.ts'
import { FormProblem } from '../form-problem.tsx'
import { PasskeyMark, PasskeyName, PasskeyUse } from './passkey-facts.tsx'
import { SshKeyFacts } from './ssh-key-facts.tsx'
import { TwoStep } from './two-step.tsx'
import { useAttempt } from './use-attempt.ts'

type Props = { id: string; name: string; isResting: boolean }

/** For owners: another person's passkeys, to remove one that is lost. */
export function PersonPasskeys({ id, name, isResting }: Props) {
  return (
    <Keys
      isResting={isResting}
      name={`passkeys of ${id}`}
      label={`Passkeys of ${name}`}
      none="No passkey."
      list={() => listPasskeysOf(id)}
      remove={(passkey) => removePasskeyOf(id, passkey)}
      facts={(passkey) => (
        <>
          <PasskeyMark passkey={passkey} />
          <PasskeyName passkey={passkey} />
          <PasskeyUse passkey={passkey} />
        </>
      )}
    />
  )
}

/** As `PersonPasskeys`, of the keys that sign decisions at a terminal. */
export function PersonSshKeys({ id, name, isResting }: Props) {
  return (
    <Keys
      isResting={isResting}
      name={`ssh-keys of ${id}`}
      label={`SSH keys of ${name}`}
      none="No SSH key."
      list={() => listSshKeysOf(id)}
      remove={(key) => removeSshKeyOf(id, key)}
      facts={(sshKey) => <SshKeyFacts sshKey={sshKey} />}
    />
  )
}

/** A list of keys, each with a button that removes it. @param name the name under which the list is loaded */
function Keys<Key extends { id: string; name: string }>({
  name,
  label,
  none,
  isResting,
  list,
  remove,
  facts,
}: {
  name: string
  label: string
  none: string
  isResting: boolean
  list: () => Promise<{ items: Key[] }>
  remove: (id: string) => Promise<void>
  facts: (key: Key) => ReactNode
}) {
  const { data, problem, again } = useLoad(name, list, ['connect'])
  const { problem: refused, isBusy, attempt } = useAttempt()
  if (data === undefined) return problem === undefined ? null : <FormProblem text={problem.message} />
  if (data.items.length === 0) return <p className="rest-note">{none}</p>
  return (
    <>
      <ul className="fact-list" aria-label={label}>
        {data.items.map((key) => (
          <li key={key.id}>
            {facts(key)}
            <TwoStep
              act="Remove"
              object={key.name}
              isResting={isResting || isBusy}
              onDo={() => void attempt(() => remove(key.id)).then((isDone) => isDone && again())}
            />
          </li>
        ))}
      </ul>
      <FormProblem text={refused} />
    </>
  )
}
