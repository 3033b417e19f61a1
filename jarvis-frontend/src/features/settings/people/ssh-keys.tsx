import { ApiError } from 'protocol/client'
import { addSshKey, listSshKeys, removeSshKey } from '../../../api/ssh-keys.ts'
import { useLoad } from '../../../api/use-load.ts'
import { passkeyProblem } from '../../../lib/passkey-problem.ts'
import { FormProblem } from '../form-problem.tsx'
import { SshKeyFacts } from './ssh-key-facts.tsx'
import { TwoStep } from './two-step.tsx'
import { useAttempt } from './use-attempt.ts'

/** The OpenSSH keys that sign this person's decisions, and a form for another one. */
export function SshKeys({ isResting }: { isResting: boolean }) {
  const { data, problem, again } = useLoad('ssh-keys', listSshKeys, ['connect'])
  const { problem: failed, isBusy, attempt } = useAttempt()
  const isHeld = isResting || isBusy
  const add = async (form: HTMLFormElement) => {
    const given = new FormData(form)
    const [key, name] = ['ssh-key', 'ssh-name'].map((field) => String(given.get(field) ?? '').trim()) as [
      string,
      string,
    ]
    const isDone = await attempt(async () => {
      if (key.includes('PRIVATE KEY'))
        throw new ApiError(
          'invalid_request',
          'This is a private key. Paste the line of its .pub file; nothing was sent.',
        )
      try {
        await addSshKey(key, name)
      } catch (error) {
        if (error instanceof ApiError) throw error
        throw new ApiError('passkey', passkeyProblem(error) ?? 'Stopped. No key was added.')
      }
    })
    if (!isDone) return
    form.reset()
    again()
  }
  return (
    <>
      <h3>SSH keys</h3>
      {data === undefined ? (
        <FormProblem text={problem?.message} />
      ) : data.items.length === 0 ? (
        <p>No SSH key yet. It signs decisions at a terminal.</p>
      ) : (
        <ul className="fact-list" aria-label="Your SSH keys">
          {data.items.map((sshKey) => (
            <li key={sshKey.id}>
              <SshKeyFacts sshKey={sshKey} />
              <TwoStep
                act="Remove"
                object={sshKey.name}
                isResting={isHeld}
                onDo={() => void attempt(() => removeSshKey(sshKey.id)).then((isDone) => isDone && again())}
              />
            </li>
          ))}
        </ul>
      )}
      <form
        className="form-row"
        aria-label="Add an SSH key"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isHeld) void add(event.currentTarget)
        }}
      >
        <label>
          Line of the .pub file
          <input
            className="field"
            name="ssh-key"
            required
            maxLength={4000}
            placeholder="ssh-ed25519 AAAA… mira@laptop"
            autoComplete="off"
            spellCheck={false}
          />
        </label>
        <label>
          Name of the key
          <input
            className="field"
            name="ssh-name"
            maxLength={60}
            placeholder="the comment in the line"
            autoComplete="off"
          />
        </label>
        <button type="submit" className="button" disabled={isHeld}>
          Add an SSH key…
        </button>
      </form>
      <FormProblem text={failed} />
    </>
  )
}
