import type { Status } from 'protocol'
import { useNameOf } from '../api/names.ts'
import { exactTime } from '../lib/format.ts'
import { Visible } from '../ui/boxed.tsx'
import { Link } from '../ui/link.tsx'
import { Mark } from '../ui/mark.tsx'
import './glass.css'

/** Tells everybody, for a day, that an owner alone approved a call that several people must approve: who, what and why. */
export function GlassBanner({ broken }: { broken: NonNullable<Status['glassBroken']> }) {
  const nameOf = useNameOf()
  return (
    <>
      {broken.map(({ toolUseId, toolName, person, reason, at }) => (
        <section key={toolUseId} className="glass wash-warn" aria-label="The glass was broken">
          <Mark kind="warn" size={12} />
          <span>
            <b>
              <Visible text={nameOf(person)} />
            </b>{' '}
            approved <Visible text={toolName} /> alone, {exactTime(at)}: <Visible text={reason} />
          </span>
          <Link to={`/waiting?card=${encodeURIComponent(toolUseId)}`}>See the card</Link>
        </section>
      ))}
    </>
  )
}
