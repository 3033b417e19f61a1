import { z } from 'zod'
import { pageOf } from './page.ts'
import { PageQuery } from './rest.ts'

/** `answer`: a rating of a model's answer. `jarvis`: a text on JARVIS itself. */
export const FeedbackAbout = z.enum(['answer', 'jarvis'], 'is answer or jarvis')

/** A person's text on JARVIS. `sessionId`: the conversation that it is about. `seq`: the entry there. */
export const FeedbackBody = z
  .strictObject({
    text: z.string().trim().min(1).max(4_000),
    sessionId: z.string().max(200).optional(),
    seq: z.int().min(0).optional(),
  })
  .refine(({ sessionId, seq }) => seq === undefined || sessionId !== undefined, 'needs sessionId where it has seq')
export type FeedbackBody = z.infer<typeof FeedbackBody>

export const FeedbackQuery = PageQuery.extend({
  before: z
    .string()
    .max(300)
    .regex(/^\d{1,15}\.[\w-]+$/, 'must be a cursor from `next`')
    .optional(),
  about: FeedbackAbout.optional(),
})
export type FeedbackQuery = z.infer<typeof FeedbackQuery>

/** Feedback of a person. `at`: Unix ms. `text`: absent for a rating without a reason. `sessionId`, `seq`: the conversation and the entry, if the reader may read them. */
export const Feedback = z.object({
  id: z.string(),
  at: z.number(),
  about: FeedbackAbout,
  person: z.string(),
  /** The person's name. */
  name: z.string(),
  rating: z.enum(['up', 'down']).optional(),
  text: z.string().optional(),
  sessionId: z.string().optional(),
  seq: z.int().optional(),
})
export type Feedback = z.infer<typeof Feedback>
export const FeedbackPage = pageOf(Feedback)
export type FeedbackPage = z.infer<typeof FeedbackPage>
export type FeedbackAbout = z.infer<typeof FeedbackAbout>
