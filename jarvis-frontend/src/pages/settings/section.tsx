import { signedIn } from '../../api/auth.ts'
import { useIsLive } from '../../app/load-state.tsx'
import { useValue } from '../../lib/use-value.ts'

type SectionProps = {
  id: string
  title: string
  /** The pane beside the section, or null; undefined if the section never has one. */
  aside?: React.ReactNode
  children: React.ReactNode
}

/** One section of the settings. A link can name it by its id. */
export function Section({ id, title, aside, children }: SectionProps) {
  const own = (
    <>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
    </>
  )
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      {aside === undefined ? own : <div className="section-main">{own}</div>}
      {aside}
    </section>
  )
}

/** Returns the rights of this person in the settings, now. @param who the lowest role that may change them */
export function useRights(who: 'owner' | 'operator' | 'member' = 'owner') {
  const person = useValue(signedIn)
  const isOperator =
    person?.rank === 'owner' ||
    (who === 'operator' && person?.role === 'operator') ||
    (who === 'member' && person?.mayAsk === true)
  const isLive = useIsLive()
  return { isOperator, isLive, isResting: !isOperator || !isLive, isMember: person?.rank === 'member' }
}
