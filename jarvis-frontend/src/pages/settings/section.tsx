import { signedIn } from '../../api/auth.ts'
import { useIsLive } from '../../app/load-state.tsx'
import { useValue } from '../../lib/use-value.ts'

/** One section of the settings, which a link can name. */
export function Section({ id, title, children }: { id: string; title: string; children: React.ReactNode }) {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
    </section>
  )
}

/** Whether this person may change settings now. @param who the lowest role that may */
export function useRights(who: 'owner' | 'operator' | 'member' = 'owner') {
  const person = useValue(signedIn)
  const isOperator =
    person?.rank === 'owner' ||
    (who === 'operator' && person?.role === 'operator') ||
    (who === 'member' && person?.mayAsk === true)
  const isLive = useIsLive()
  return { isOperator, isLive, isResting: !isOperator || !isLive, isMember: person?.rank === 'member' }
}
