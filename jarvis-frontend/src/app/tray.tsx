import type { Change } from 'protocol'
import { useArmed } from '../api/changes.ts'
import { type Ask, isQuestion, pathOf, type Waiting } from '../api/waiting.ts'
import { ForPerson } from '../features/confirmations/asker.tsx'
import { actOf } from '../features/confirmations/sentence.ts'
import { Sentence } from '../features/confirmations/sentence-line.tsx'
import { askerText } from '../features/confirmations/words.ts'
import { askerOf, gistOf } from '../features/questions/words.ts'
import { Visible } from '../ui/boxed.tsx'
import { TimeLeft } from '../ui/countdown.tsx'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { Mark } from '../ui/mark.tsx'
import { Tier } from '../ui/tier.tsx'

type TitleOf = (sessionId: string) => string | undefined

/** Everything that waits, one line each; what expires first is first. */
export function Tray({ asks, changes, titleOf }: Pick<Waiting, 'asks' | 'changes'> & { titleOf: TitleOf }) {
  return (
    <ul className="tray">
      {asks.map((ask) => (
        <li key={pathOf(ask)}>
          <Link to={pathOf(ask)}>
            <WaitingLine ask={ask} titleOf={titleOf} />
          </Link>
        </li>
      ))}
      {changes.map((change) => (
        <li key={change.id}>
          <Link to={`/waiting?change=${encodeURIComponent(change.id)}`}>
            <ArmedLine change={change} />
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** A change that goes back by itself: its sentence and the remaining time. */
export function ArmedLine({ change: { sentence, goesBackAt = 0 } }: { change: Change }) {
  return (
    <>
      <Icon name="clock" />
      <span>
        <Visible text={sentence} />
      </span>
      <TimeLeft until={goesBackAt} aheadMs={useArmed()?.aheadMs ?? 0} />
      <small>goes back by itself unless you keep it</small>
    </>
  )
}

/** A waiting card or question: its sentence, remaining time and requester. */
export function WaitingLine({ ask, titleOf }: { ask: Ask; titleOf: TitleOf }) {
  const title = titleOf(ask.sessionId)
  const isOfProgram = ['mcp', 'v1'].includes(ask.requestedBy.kind)
  const from = isOfProgram || title === undefined ? askerText(ask) : `chat: ${title}`
  return (
    <>
      <AskGist ask={ask} />
      <TimeLeft until={ask.expiresAt} />
      <small>
        {isQuestion(ask) ? <Visible text={`${askerOf(ask)} asks, ${from}`} /> : from}{' '}
        <ForPerson id={ask.requestedBy.person} />
      </small>
    </>
  )
}

/** The mark of a card or question, and its sentence. */
export const AskGist = ({ ask, isCut = false }: { ask: Ask; isCut?: boolean }) => (
  <>
    {isQuestion(ask) ? <Mark kind="question" size={13} /> : <Tier tier="red" size={13} />}
    <span className={isCut ? 'cut' : undefined}>
      {isQuestion(ask) ? <Visible text={gistOf(ask)} /> : <Sentence pieces={actOf(ask).ask} />}
    </span>
  </>
)
