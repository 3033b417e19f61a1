import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Change, ConfirmationRow, QuestionRow } from 'protocol'
import { expect, test } from 'vitest'
import { waitingOf } from './waiting.ts'

const card = (toolUseId: string, expiresAt: number) => ({ toolUseId, expiresAt }) as ConfirmationRow
const question = (questionId: string, expiresAt: number, end?: 'answered') =>
  ({ questionId, expiresAt, ...(end && { end }) }) as QuestionRow

test('cards and open questions wait in one order, and changes that go back count with them', () => {
  const questions = [question('q1', 2), question('q2', 0, 'answered')]
  const { asks, count } = waitingOf([card('a', 1), card('b', 3)], questions, [{} as Change])
  expect(asks.map((ask) => ('questionId' in ask ? ask.questionId : ask.toolUseId))).toEqual(['a', 'q1', 'b'])
  expect(count).toBe(4)
})

test('no other file counts what waits', () => {
  const root = join(import.meta.dirname, '..')
  const own = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => {
    if (!/\.tsx?$/.test(file)) return false
    const text = readFileSync(join(root, file), 'utf8')
    return /(?:useConfirmations|useArmed|useQuestions)\(\)\?*[^\n]*\.length|end === undefined\)\.length/.test(text)
  })
  // Deciding whether the code that announces cards is wanted is not a count that anybody sees.
  expect(own).toEqual(['app/use-card-news.ts'])
})
