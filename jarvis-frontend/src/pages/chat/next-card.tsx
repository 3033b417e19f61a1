import { useConfirmations } from '../../api/confirmations.ts'
import { goToCard } from '../../app/use-keys.ts'
import { cardPath } from '../../features/confirmations/card-path.ts'
import { TimeLeft } from '../../features/confirmations/countdown.tsx'
import { actOf } from '../../features/confirmations/sentence.ts'
import { Sentence } from '../../features/confirmations/sentence-line.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { Tier } from '../../ui/tier.tsx'
import { useNow } from '../../ui/use-now.ts'

/** On a phone: the next waiting card as one line above the composer. */
export function NextCard({ sessionId }: { sessionId: string | undefined }) {
  const pending = useConfirmations()?.pending ?? []
  const here = pending.filter((row) => row.sessionId === sessionId)
  const others = pending.filter((row) => row.sessionId !== sessionId)
  // If this session's single card is the only one, no line is needed. Otherwise prefer a card of another session, then a card that is not in view.
  useNow(1_000)
  if (others.length + here.length < (here.length > 0 ? 2 : 1)) return null
  const next = others[0] ?? here.find(({ toolUseId }) => !isInView(toolUseId)) ?? here[1]
  if (next === undefined) return null
  return (
    <Link
      to={cardPath(next)}
      className="next-card"
      onClick={() => {
        const card = document.getElementById(`card-${next.toolUseId}`)
        if (card !== null) goToCard(card)
      }}
    >
      <Tier tier="red" size={13} />
      <span className="cut">
        <Sentence pieces={actOf(next).ask} />
      </span>
      <TimeLeft until={next.expiresAt} />
      <Icon name="right" />
    </Link>
  )
}

function isInView(toolUseId: string): boolean {
  const box = document.getElementById(`card-${toolUseId}`)?.getBoundingClientRect()
  return box !== undefined && box.top < innerHeight / 2 && box.bottom > innerHeight / 4
}
