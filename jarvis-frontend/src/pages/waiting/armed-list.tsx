import type { Change } from 'protocol'
import { ArmedLine } from '../../app/tray.tsx'
import { Link } from '../../ui/link.tsx'
import { phone, useMedia } from '../../ui/use-media.ts'

/** Changes that go back by themselves unless a person keeps them, soonest first. */
export function ArmedList({ items, chosen }: { items: readonly Change[]; chosen: string | undefined }) {
  const isPhone = useMedia(phone)
  if (items.length === 0) return null
  return (
    <>
      <h2>Goes back by itself</h2>
      <ul>
        {items.map((change) => (
          <li key={change.id}>
            <Link
              to={`/waiting?change=${encodeURIComponent(change.id)}`}
              replace={!isPhone}
              aria-current={change.id === chosen ? 'true' : undefined}
            >
              <ArmedLine change={change} />
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}
