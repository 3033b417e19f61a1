import type { ConfirmationRow } from 'protocol'
import { Link } from '../../ui/link.tsx'
import { Tier } from '../../ui/tier.tsx'
import { ForPerson } from './asker.tsx'
import { cardPath } from './card-path.ts'
import { TimeLeft } from './countdown.tsx'
import { actOf } from './sentence.ts'
import { Sentence } from './sentence-line.tsx'
import { askerText } from './words.ts'

type TitleOf = (sessionId: string) => string | undefined

/** Waiting cards, one line each; the card that expires first is first. */
export function Tray({ rows, titleOf }: { rows: readonly ConfirmationRow[]; titleOf: TitleOf }) {
  return (
    <ul className="tray">
      {rows.map((row) => (
        <li key={row.toolUseId}>
          <Link to={cardPath(row)}>
            <WaitingLine row={row} titleOf={titleOf} />
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** A waiting card's sentence, remaining time and requester. */
export const WaitingLine = ({ row, titleOf }: { row: ConfirmationRow; titleOf: TitleOf }) => (
  <>
    <Tier tier="red" size={13} />
    <span>
      <Sentence pieces={actOf(row).ask} />
    </span>
    <TimeLeft until={row.expiresAt} />
    <small>
      {whoAsked(row, titleOf)} <ForPerson id={row.requestedBy.person} />
    </small>
  </>
)

function whoAsked(row: ConfirmationRow, titleOf: TitleOf): string {
  const title = titleOf(row.sessionId)
  return ['mcp', 'v1'].includes(row.requestedBy.kind) || title === undefined ? askerText(row) : `chat: ${title}`
}
