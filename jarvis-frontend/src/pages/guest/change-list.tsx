import type { GuestIdentity } from 'protocol'
import { CompareLink } from '../../app/changes/compare-link.tsx'
import { UndoButton } from '../../app/changes/undo-button.tsx'
import { Problem, Skeletons } from '../../app/load-state.tsx'
import { when } from '../../features/confirmations/undo-words.ts'
import { shortModel } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { useNow } from '../../ui/use-now.ts'
import { isOfAnother } from './facts.ts'
import { More } from './more.tsx'
import type { useChanges } from './use-changes.ts'

/** The changes that JARVIS made to a guest, newest first, each with Undo or the reason why there is none. */
export function ChangeList({
  changes,
  marks,
  identity,
}: {
  changes: ReturnType<typeof useChanges>
  /** The numbers with which the charts mark the changes. */
  marks: readonly { number: number; id: string }[]
  /** Identity of the guest that has this vmid now; undefined if it is not known. */
  identity?: GuestIdentity | undefined
}) {
  const now = useNow(60_000)
  const { items, problem, again } = changes
  if (items === undefined)
    return problem === undefined ? <Skeletons rows={3} height={30} /> : <Problem error={problem} onAgain={again} />
  return (
    <>
      <Problem error={problem} onAgain={again} kept />
      {items.length === 0 ? (
        <p className="guest-note">JARVIS changed nothing of it.</p>
      ) : (
        <ul className="guest-changes">
          {items.map((change) => {
            const number = marks.find(({ id }) => id === change.id)?.number
            return (
              <li key={change.id} data-change-row={change.id}>
                {change.state === 'armed' ? (
                  <Icon name="clock" />
                ) : (
                  <Mark
                    kind={change.state === 'unknown' ? 'unknown' : change.state === 'failed' ? 'bad' : 'step'}
                    size={9}
                  />
                )}
                <span className="guest-change-words">
                  <Visible text={change.sentence.replace(/\.$/, '')} />{' '}
                  {number !== undefined && (
                    <span className="guest-number num">
                      <span className="vh">change </span>
                      {number}
                    </span>
                  )}
                  {isOfAnother(change, identity) && <small>of another guest that had this number</small>}
                  {change.problem !== undefined && (
                    <small>
                      <Mark kind="bad" size={9} /> <Visible text={change.problem} /> <CompareLink change={change} />
                    </small>
                  )}
                </span>
                <Link to={`/journal?toolUseId=${encodeURIComponent(change.id)}`} className="num text-dim">
                  {when(change.at, now)}
                </Link>
                <span className="cut text-dim">
                  <Visible text={shortModel(change.requestedBy.name)} />
                </span>
                <span className="guest-undo">
                  {change.state === 'armed' ? (
                    <span className="text-dim">goes back by itself</span>
                  ) : (
                    <UndoButton change={change} />
                  )}
                </span>
              </li>
            )
          })}
        </ul>
      )}
      <Problem error={changes.earlierProblem} onAgain={changes.more} kept />
      {changes.hasMore && <More key={items.length} words="Earlier" isByItself onMore={changes.more} />}
    </>
  )
}
