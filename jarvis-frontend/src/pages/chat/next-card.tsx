import { elementOf, pathOf, useWaiting } from '../../api/waiting.ts'
import { AskGist } from '../../app/tray.tsx'
import { goToCard } from '../../app/use-keys.ts'
import { TimeLeft } from '../../ui/countdown.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { useNow } from '../../ui/use-now.ts'

/** On a phone: the next waiting card or question as one line above the composer. */
export function NextCard({ sessionId }: { sessionId: string | undefined }) {
  const { asks } = useWaiting()
  const here = asks.filter((ask) => ask.sessionId === sessionId)
  const others = asks.filter((ask) => ask.sessionId !== sessionId)
  // If this session's single card is the only one, no line is needed. Otherwise prefer a card of another session, then a card that is not in view.
  useNow(1_000)
  if (others.length + here.length < (here.length > 0 ? 2 : 1)) return null
  const next = others[0] ?? here.find((ask) => !isInView(elementOf(ask))) ?? here[1]
  if (next === undefined) return null
  return (
    <Link
      to={pathOf(next)}
      className="next-card"
      onClick={() => {
        const card = document.getElementById(elementOf(next))
        if (card !== null) goToCard(card)
      }}
    >
      <AskGist ask={next} isCut />
      <TimeLeft until={next.expiresAt} />
      <Icon name="right" />
    </Link>
  )
}

function isInView(id: string): boolean {
  const box = document.getElementById(id)?.getBoundingClientRect()
  return box !== undefined && box.top < innerHeight / 2 && box.bottom > innerHeight / 4
}
