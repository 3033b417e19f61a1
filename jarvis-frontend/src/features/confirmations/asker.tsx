import type { Card } from 'protocol'
import { signedIn } from '../../api/auth.ts'
import { useNames } from '../../api/names.ts'
import { shortModel } from '../../lib/format.ts'
import { useValue } from '../../lib/use-value.ts'
import { Boxed, Visible } from '../../ui/boxed.tsx'
import { Who } from './who.tsx'

/** The person in whose name a call is asked for. Renders nothing if JARVIS has only one person. @param id undefined: the first owner */
export function ForPerson({ id = 'operator' }: { id: string | undefined }) {
  const { isMany, nameOf } = useNames()
  const own = useValue(signedIn)?.id
  if (!isMany) return null
  return <span className="for-person">for {id === own ? 'you' : <Visible text={nameOf(id)} />}</span>
}

/** The principal that asks. A client chooses its own name, so the name is drawn as foreign text. */
export function Asker({ card }: { card: Card }) {
  const { kind, name, token, agent = 'main', for: askedBy } = card.requestedBy
  if (askedBy !== undefined) {
    return (
      <>
        Asked by{' '}
        <b>
          <Visible text={agent} />
        </b>
        <br />
        for <Visible text={askedBy} />, in this chat
      </>
    )
  }
  if (kind === 'chat') {
    return (
      <>
        Asked in this chat by{' '}
        <span className="asker">
          <Visible text={shortModel(name)} />
        </span>
      </>
    )
  }
  if (kind === 'command') {
    return (
      <>
        Typed as a command by <Who id={name} />
      </>
    )
  }
  if (kind !== 'mcp') {
    return (
      <>
        Asked by <Visible text={kind === 'v1' ? 'program' : kind} /> <Boxed text={name} />
      </>
    )
  }
  return (
    <>
      MCP client <Boxed text={name} />
      {token !== undefined && (
        <>
          , token <Visible text={token} />
        </>
      )}
      , cannot approve
    </>
  )
}
