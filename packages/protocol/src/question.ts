import { z } from 'zod'
import { Principal } from './tier.ts'

export const QuestionId = z.string().min(1).max(100)
export type QuestionId = z.infer<typeof QuestionId>

/** Longest typed answer to one question, characters. */
export const maxAnswerChars = 2_000

/** A choice. `label` and `note` are the words of the model or server that asks: data, never markup. */
export const QuestionOption = z.object({ label: z.string(), note: z.string().optional() })
export type QuestionOption = z.infer<typeof QuestionOption>

/** One question, in the words of the model or server that asks. */
export const QuestionItem = z.object({
  text: z.string(),
  /** Choices; empty: the answer is typed. */
  options: z.array(QuestionOption),
  /** Several options may be chosen. */
  isMultiple: z.literal(true).optional(),
  /** The kind of answer that may be typed; `none`: a person can only choose an option. A number is typed in decimal. */
  typed: z.enum(['text', 'number', 'integer', 'none']),
  /** The question requires an answer. */
  isRequired: z.literal(true).optional(),
  /** The asker's hint on the answer: its form, its limits, a suggestion. */
  hint: z.string().optional(),
})
export type QuestionItem = z.infer<typeof QuestionItem>

/** A group of questions that are asked together. */
export const Asking = z.object({
  /** The attached MCP server that asks. Absent: the chat's model asks. */
  server: z.string().optional(),
  /** A message of the server, shown before its questions. */
  message: z.string().optional(),
  /** An address that a server wants a person to open. JARVIS never opens it. */
  url: z.string().optional(),
  items: z.array(QuestionItem),
})
export type Asking = z.infer<typeof Asking>

/** A question that waits for a person. An answer approves no call. Times are Unix ms. */
export const Question = Asking.extend({
  questionId: QuestionId,
  /** Id of the tool call that asks. */
  toolUseId: z.string(),
  requestedBy: Principal,
  createdAt: z.int(),
  /** Time after which the question counts as unanswered, Unix ms. */
  expiresAt: z.int(),
})
export type Question = z.infer<typeof Question>

/** The answer to one item. `chosen`: positions of options, from 0. `text`: what a person typed. */
export const Answer = z.strictObject({
  chosen: z.array(z.int().nonnegative()).max(100).optional(),
  text: z.string().max(maxAnswerChars).optional(),
})
export type Answer = z.infer<typeof Answer>

/**
 * The end of a question. `declined`: a person refused to answer. `unanswered`: nobody answered within a day, and no option is chosen. `withdrawn`:
 * its run or its server no longer asks.
 */
export const QuestionEnd = z.enum(['answered', 'declined', 'unanswered', 'withdrawn'])
export type QuestionEnd = z.infer<typeof QuestionEnd>

/** `answers`: one answer for each item, in order. `said`: a person's own text instead of all answers. */
export const QuestionResolution = z.object({
  end: QuestionEnd,
  by: z.string(),
  answers: z.array(Answer).optional(),
  said: z.string().optional(),
})
export type QuestionResolution = z.infer<typeof QuestionResolution>

/** The ways to answer a question: `answers`, `said` or `declined`. */
const answering = {
  answers: z.array(Answer).max(100).optional(),
  said: z.string().regex(/\S/, 'is empty').max(maxAnswerChars).optional(),
  declined: z.literal(true).optional(),
}
export const AnswerBody = z.strictObject(answering)
export type AnswerBody = z.infer<typeof AnswerBody>

/** A question of the last day, with the session in which it was asked. */
export const QuestionRow = Question.extend({ sessionId: z.string() })
  .extend(QuestionResolution.partial().shape)
  .extend({ endedAt: z.number().optional() })
export type QuestionRow = z.infer<typeof QuestionRow>
export const QuestionsReply = z.object({ items: z.array(QuestionRow) })
export type QuestionsReply = z.infer<typeof QuestionsReply>
