import type { Change } from 'protocol'
import { useArmed } from '../../api/changes.ts'
import { TimeLeft } from '../../features/confirmations/countdown.tsx'
import { Visible } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { phone, useMedia } from '../../ui/use-media.ts'

/** Changes that go back by themselves unless a person keeps them, soonest first. */
export function ArmedList({ items, chosen }: { items: readonly Change[]; chosen: string | undefined }) {
  const isPhone = useMedia(phone)
  const aheadMs = useArmed()?.aheadMs ?? 0
  if (items.length === 0) return null
  return (
    <>
      <h2>Goes back by itself</h2>
      <ul>
        {items.map(({ id, sentence, goesBackAt = 0 }) => (
          <li key={id}>
            <Link
              to={`/waiting?change=${encodeURIComponent(id)}`}
              replace={!isPhone}
              aria-current={id === chosen ? 'true' : undefined}
            >
              <Icon name="clock" />
              <span>
                <Visible text={sentence} />
              </span>
              <TimeLeft until={goesBackAt} aheadMs={aheadMs} />
              <small>silence is an answer here</small>
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}
