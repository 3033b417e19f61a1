import type { ChannelGroups, ChannelInfo } from 'protocol'
import { useState } from 'react'
import { readGroups, tellGroup } from '../../../api/channels.ts'
import { Visible } from '../../../ui/boxed.tsx'
import { FormProblem } from '../form-problem.tsx'
import { useAttempt } from '../people/use-attempt.ts'

/** Chooses a group chat that gets messages: one that the channel lists, or one by its id. */
export function Groups({
  channel: { id, name },
  isResting,
  onChanged,
}: {
  channel: ChannelInfo
  isResting: boolean
  onChanged: () => void
}) {
  const { problem, isBusy, attempt } = useAttempt()
  const [found, setFound] = useState<ChannelGroups['items']>()
  const isStill = isResting || isBusy
  const look = () => attempt(async () => setFound((await readGroups(id)).items))
  const tell = async (group: string) => {
    if (!(await attempt(() => tellGroup(id, group)))) return
    setFound(undefined)
    onChanged()
  }
  if (found === undefined)
    return (
      <>
        <FormProblem text={problem} />
        <div className="person-acts">
          <button type="button" className="button small quiet" disabled={isStill} onClick={() => void look()}>
            Tell a group…
          </button>
        </div>
      </>
    )
  return (
    <div className="pairing">
      <p>
        A group is told of alerts and jobs, without names. Nothing that is written or pressed there counts. A name can
        be chosen by anyone; the number cannot.
      </p>
      {found.length === 0 ? (
        <p>Add the bot to the group on {name} first, as the person who is paired here; it is listed then.</p>
      ) : (
        <ul className="fact-list recipients" aria-label="Groups">
          {found.map((group) => (
            <li key={group.id}>
              <span className="recipient-name">
                <b>
                  <Visible text={group.name} />
                </b>
                <small className="num">{group.id}</small>
              </span>
              <button
                type="button"
                className="button small"
                disabled={isStill}
                aria-label={`Tell ${group.name}`}
                onClick={() => void tell(group.id)}
              >
                Tell it
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        className="form-row"
        aria-label="Another group"
        onSubmit={(event) => {
          event.preventDefault()
          void tell(String(new FormData(event.currentTarget).get('group')).trim())
        }}
      >
        <label className="wide">
          Number of another group
          <input className="field num" name="group" inputMode="numeric" autoComplete="off" required />
        </label>
        <button type="submit" className="button small" disabled={isStill}>
          Tell it
        </button>
        <button type="button" className="button small quiet" onClick={() => setFound(undefined)}>
          Close
        </button>
      </form>
      <FormProblem text={problem} />
    </div>
  )
}
