import { JarvisError, promptFiles } from 'protocol'
import { dailyAddition, othersHeading } from './daily.ts'
import { isSkillPath } from './file-keeper.ts'

/**
 * Names the files that only people write, because a runbook, a skill or an order of the heartbeat is used later, when nobody knows any more who wrote
 * it. Returns undefined for all other files.
 */
export function peoplesFile(path: string): string | undefined {
  if (/^runbooks\//i.test(path)) return 'runbooks, on their page'
  if (isSkillPath(path)) return 'skills, in their folder'
  return /^HEARTBEAT(?:_RESULTS)?\.md$/i.test(path) ? path : undefined
}

/** Lowers headings, so that no heading in the text ends the part of the file that is not the operator's. */
export const withoutHeadings = (text: string): string => text.replace(/^##?(?= )/gm, '###')

/**
 * Returns the text of a note that a program writes. Only what stands below the heading of others may change, so that a program's words are recalled
 * as a stranger's. A new note is put below that heading.
 * @param before the present text; undefined: there is no file
 * @param asked the whole new text; empty: the file is deleted
 * @throws JarvisError `forbidden`
 */
export function programsNote(path: string, before: string | undefined, asked: string): string {
  const file = peoplesFile(path) ?? (isOfPrompt(path) ? `${path}, which is in every prompt` : undefined)
  if (file !== undefined) throw new JarvisError('forbidden', `Only a person writes ${file}. Nothing was written.`)
  const kept = peoplesLines(before ?? '')
  if (kept === peoplesLines(asked)) return asked
  if (kept === '' && asked.trim() !== '') return dailyAddition('', withoutHeadings(asked), 'others').trimStart()
  throw new JarvisError(
    'forbidden',
    `A program changes only the text below the line "${othersHeading}" of ${path}. What people and JARVIS wrote must stay. Nothing was written.`,
  )
}

const isOfPrompt = (path: string) => promptFiles.some((name) => name.toLowerCase() === path.toLowerCase())

/** The lines of a file that do not stand below the heading of others, without empty lines. */
function peoplesLines(text: string): string {
  let isOthers = false
  const lines = text.split('\n').filter((line) => {
    if (/^##? /.test(line)) isOthers = line.trim() === othersHeading
    return !isOthers && line.trim() !== ''
  })
  return lines.join('\n')
}
