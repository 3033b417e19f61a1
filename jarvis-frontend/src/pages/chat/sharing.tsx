import type { SessionShare, SessionSummary, ShareMay } from 'protocol'
import { firstOwnerId } from 'protocol/facts'
import { useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { call } from '../../api/http.ts'
import { useNames } from '../../api/names.ts'
import { readPeople } from '../../api/people.ts'
import { useLoad } from '../../api/use-load.ts'
import { Over } from '../../app/over.tsx'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { visibleText } from '../../ui/visible.ts'
import './sharing.css'

const mayWords: Record<ShareMay, string> = { look: 'reads', talk: 'reads and writes' }

/** Says in the header with whom a session is shared, and opens the list. Renders nothing if there is only one person. */
export function Sharing({ sessionId }: { sessionId: string }) {
  const me = useValue(signedIn)
  const { isMany, nameOf } = useNames()
  const { data, again } = useLoad(
    `session ${sessionId}`,
    () => call('GET /api/sessions/:id', { params: { id: sessionId } }),
    ['connect', 'sessions', 'people'],
  )
  const [isOpen, setOpen] = useState(false)
  if (!isMany || me === undefined || data === undefined) return null
  const { person: owner = firstOwnerId, sharedWith = [] } = data
  const owns = owner === me.id || me.role === 'operator'
  if (sharedWith.length === 0 && !(owns && me.mayAsk)) return null
  const [first] = sharedWith
  const words =
    first === undefined
      ? 'Share'
      : owner !== me.id
        ? `${nameOf(owner)} shares this`
        : sharedWith.length === 1
          ? `Shared with ${first.name}`
          : `Shared with ${sharedWith.length}`
  return (
    <>
      <button
        type="button"
        className={`button small quiet sharing${first === undefined ? '' : ' is-shared'}`}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Icon name="agents" /> {visibleText(words)}
      </button>
      {isOpen && (
        <SharingDialog session={data} owner={owner} owns={owns} onClose={() => setOpen(false)} onChanged={again} />
      )}
    </>
  )
}

type DialogProps = {
  session: SessionSummary
  owner: string
  owns: boolean
  onClose: () => void
  onChanged: () => void
}

function SharingDialog({ session: { id, sharedWith = [] }, owner, owns, onClose, onChanged }: DialogProps) {
  const me = useValue(signedIn)
  const { nameOf } = useNames()
  const people = useLoad('people', readPeople, ['people']).data?.items ?? []
  const [problem, setProblem] = useState<string>()
  const act = async (work: Promise<unknown>) => {
    setProblem(undefined)
    await work.catch((error: Error) => setProblem(error.message))
    onChanged()
  }
  // Operators can see the session anyway, so list them last.
  const last = (role: string) => Number(role === 'operator' || role === 'owner')
  const others = people
    .filter((person) => person.id !== owner && !sharedWith.some((share) => share.person === person.id))
    .sort((one, other) => last(one.role) - last(other.role))
  return (
    <Over label="Who sees this conversation" onClose={onClose}>
      <section className="sharing-dialog scroll">
        <h2>Who sees this conversation</h2>
        <ul className="sharing-list">
          <li>
            <b>
              <Visible text={nameOf(owner)} />
            </b>
            <span className="text-soft">whose it is</span>
          </li>
          {sharedWith.map((share) => (
            <Row
              key={share.person}
              share={share}
              owns={owns}
              isOwn={share.person === me?.id}
              byName={nameOf(share.by)}
              onMay={(may) =>
                void act(
                  call('PUT /api/sessions/:id/shares/:person', { params: { id, person: share.person }, body: { may } }),
                )
              }
              onEnd={() =>
                void act(call('DELETE /api/sessions/:id/shares/:person', { params: { id, person: share.person } }))
              }
            />
          ))}
        </ul>
        {owns && others.length > 0 && (
          <form
            className="sharing-form"
            aria-label="Share with somebody"
            onSubmit={(event) => {
              event.preventDefault()
              const given = new FormData(event.currentTarget)
              const may = given.get('may') === 'talk' ? 'talk' : 'look'
              void act(
                call('PUT /api/sessions/:id/shares/:person', {
                  params: { id, person: String(given.get('person')) },
                  body: { may },
                }),
              )
            }}
          >
            <label>
              Person
              <select className="field" name="person">
                {others.map((person) => (
                  <option key={person.id} value={person.id}>
                    {visibleText(person.name)}, {person.role}
                  </option>
                ))}
              </select>
            </label>
            <label>
              May
              <select className="field" name="may" defaultValue="look">
                <option value="look">read it</option>
                <option value="talk">read it and write in it</option>
              </select>
            </label>
            <button type="submit" className="button">
              Share
            </button>
          </form>
        )}
        {problem !== undefined && <p role="alert">{problem}</p>}
        <p className="text-soft">
          Operators and owners see every conversation. Whoever reads this one sees all of it, also what their role does
          not show of the cluster. Whoever writes asks by their own role, and changes or branches nothing of it: who
          began it does, and operators.
        </p>
        <button type="button" className="button small" onClick={onClose}>
          Close
        </button>
      </section>
    </Over>
  )
}

function Row({
  share: { name, may },
  owns,
  isOwn,
  byName,
  onMay,
  onEnd,
}: {
  share: SessionShare
  owns: boolean
  isOwn: boolean
  byName: string
  onMay: (may: ShareMay) => void
  onEnd: () => void
}) {
  return (
    <li>
      <b>
        <Visible text={name} />
      </b>
      <span className="text-soft">
        {mayWords[may]}, shared by <Visible text={byName} />
      </span>
      {(owns || isOwn) && (
        <span className="two-acts">
          {owns && (
            <button
              type="button"
              className="button small quiet"
              onClick={() => onMay(may === 'talk' ? 'look' : 'talk')}
            >
              {may === 'talk' ? 'Let only read' : 'Let write too'}
            </button>
          )}
          <button type="button" className="button small quiet" onClick={onEnd}>
            {isOwn ? 'Leave' : `End for ${visibleText(name)}`}
          </button>
        </span>
      )}
    </li>
  )
}
