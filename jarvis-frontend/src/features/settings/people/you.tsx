import type { EndedAccess, MeReply } from 'protocol'
import { useState } from 'react'
import { listPasskeys } from '../../../api/passkeys.ts'
import { endSignIn, readSignIns, signOutOthers } from '../../../api/people.ts'
import { useLoad } from '../../../api/use-load.ts'
import { FormProblem, FormSaid } from '../form-problem.tsx'
import { PasswordForm } from '../password.tsx'
import { YourAccounts } from './accounts.tsx'
import { Passkeys } from './passkeys.tsx'
import { SecondFactor } from './second-factor.tsx'
import { SignIns } from './sign-ins.tsx'
import { SshKeys } from './ssh-keys.tsx'
import { TwoStep } from './two-step.tsx'
import { useAttempt } from './use-attempt.ts'
import { endedWords } from './words.ts'

type Props = { me: MeReply; decides: boolean; isResting: boolean; onChanged: () => void }

/** The passkeys, keys and codes with which this person signs in and signs decisions. */
export function YourFactors({ me: { factors }, decides, isResting, onChanged }: Props) {
  const passkeys = useLoad('passkeys', listPasskeys, ['connect'])
  return (
    <>
      <h3>Password</h3>
      <PasswordForm isResting={isResting} />
      <h3>Second factor</h3>
      <SecondFactor factors={factors} isResting={isResting} onChanged={onChanged} />
      <h3>Passkeys</h3>
      {passkeys.data === undefined ? (
        <FormProblem text={passkeys.problem?.message} />
      ) : (
        <Passkeys
          passkeys={passkeys.data}
          isResting={isResting}
          lastHeld={factors.password ? undefined : 'The last way to sign in: set a password first.'}
          onChanged={() => {
            passkeys.again()
            onChanged()
          }}
        />
      )}
      {decides && <SshKeys isResting={isResting} />}
      <YourAccounts isResting={isResting} />
    </>
  )
}

/** This person's sign-ins, and buttons that end them. */
export function YourDevices({ isResting }: { isResting: boolean }) {
  const { data, problem, again } = useLoad('sign-ins', readSignIns, ['connect'])
  const { problem: failed, isBusy, attempt } = useAttempt()
  const [ended, setEnded] = useState<EndedAccess>()
  const act = (work: () => Promise<unknown>) => void attempt(work).then((isDone) => isDone && again())
  if (data === undefined) return <FormProblem text={problem?.message} />
  const others = data.items.filter(({ isThis }) => isThis === undefined).length
  return (
    <>
      <SignIns
        items={data.items}
        isResting={isResting || isBusy}
        label="Where you are signed in"
        onEnd={(id) => act(() => endSignIn(id))}
      />
      {others > 0 && (
        <div className="person-acts">
          <TwoStep
            act="Sign out"
            object="everywhere else"
            label="Sign out everywhere else"
            keep="Stay signed in"
            isResting={isResting || isBusy}
            onDo={() => act(async () => setEnded((await signOutOthers()).ended))}
          />
        </div>
      )}
      <FormProblem text={failed} />
      <FormSaid said={ended && { ok: true, text: endedWords(ended) }} />
    </>
  )
}
