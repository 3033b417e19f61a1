import { offer } from '../offers.ts'
import type { Seen } from '../seen.ts'
import { type Finding, gaps, type Inquiry, notDone, type Reads, read } from './inquiry.ts'

/** A line of list_changes. `how`: the way to take the change back, or why there is none. */
type ChangeFacts = {
  id: string
  ago: string
  state: string
  undoes: string | undefined
  sentence: string
  canBeUndone: boolean
  how: string
}

/** Returns the changes in the text of list_changes, newest first. */
const changesIn = (text: string): ChangeFacts[] =>
  text.split('\n').flatMap((line) => {
    const [, id, ago, state, undoes, sentence, undo, how] =
      /^(\S+), ([^,]+) ago, (\w+)(?:, it took back (\S+))?: (.*?) (The way back|No way back): (.*)$/s.exec(line) ?? []
    if (id === undefined || ago === undefined || state === undefined || sentence === undefined || how === undefined)
      return []
    return [{ id, ago, state, undoes, sentence, canBeUndone: undo === 'The way back', how }]
  })

/** Returns true if the change takes another change back. An undo of an undo does not count, because it makes the first change again. */
function isTakenBack({ undoes }: ChangeFacts, all: readonly ChangeFacts[]): boolean {
  if (undoes === undefined) return false
  const undone = all.find(({ id }) => id === undoes)
  return undone === undefined || !isTakenBack(undone, all)
}

/**
 * Takes a change back.
 * @param ownCalls ids of this chat's calls, whose newest change is taken back; undefined: the newest of all changes
 * @param isRedo true: makes the change again that was last taken back
 */
export function undone(ownCalls: readonly string[] | undefined, isRedo = false): Inquiry {
  const list = read('list_changes')
  return {
    find(seen: Seen): Reads | Finding {
      if (seen.of(list) === undefined) return { reads: [list] }
      const text = seen.text(list)
      if (text === undefined) return { say: `What I changed I could not read. ${gaps(seen, [list])}` }
      const all = changesIn(text)
      const newest = all.find(({ id }) => ownCalls === undefined || ownCalls.includes(id))
      const [other] = all
      if (newest === undefined)
        return {
          say:
            other === undefined
              ? 'I changed nothing yet, sir, so there is nothing to take back.'
              : `In this chat I changed nothing, sir. My newest change, ${other.ago} ago: ${other.sentence} Say ${offer('undo the last change')} if you mean that one.`,
        }
      const { id, ago, state, sentence, canBeUndone, how } = newest
      const isUndo = isTakenBack(newest, all)
      if (isRedo && !isUndo) return { say: 'I took nothing back last, sir, so there is nothing to make again.' }
      if (isUndo && !isRedo && state === 'made')
        return {
          say: `That is taken back already, sir, ${ago} ago: ${sentence} Do you want the change made again? Then say ${offer('redo that')}.`,
        }
      const about = `My newest change${ownCalls === undefined ? '' : ' here'}, ${ago} ago: ${sentence}`
      const closed = {
        running: 'It is still being made.',
        failed: 'It failed, so there is nothing that I take back.',
        undoing: 'It is being taken back already.',
        undone: 'It was taken back already.',
      }[state]
      if (closed !== undefined) return { say: `${about} ${closed}` }
      if (!canBeUndone) return { say: `${about} It cannot be undone. ${how}` }
      return { say: `${about} To take it back: ${how}`, act: read('undo', { change: id }) }
    },
    check: (_seen, act) => ({
      say: notDone(act, 'that') ?? `It is ${isRedo ? 'made again' : 'taken back'}, sir. ${act.text}`,
    }),
  }
}
