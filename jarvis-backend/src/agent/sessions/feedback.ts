import type { Feedback } from 'protocol'

/** Feedback as it is stored. `person`: who gave it. */
export type StoredFeedback = Omit<Feedback, 'name'>

/** The feedback of people: texts on JARVIS, which this store keeps, and ratings of answers, which are entries of transcripts. */
export interface FeedbackStore {
  /** Keeps a text on JARVIS. */
  add(given: StoredFeedback & { about: 'jarvis'; text: string }): void
  /**
   * Lists feedback, newest first. Of the ratings of an answer, the newest counts, and one that was withdrawn is left out. A copy of a conversation does
   * not repeat its ratings. @param query.before the last item of the page before; `person`: only this person's; `about`: only this kind
   */
  page(query: {
    limit: number
    before?: Pick<StoredFeedback, 'at' | 'id'> | undefined
    person?: string | undefined
    about?: StoredFeedback['about'] | undefined
  }): StoredFeedback[]
  /** Returns the person who gave a text on JARVIS; undefined if there is no such text. */
  personOf(id: string): string | undefined
  /** The number of texts on JARVIS that a person gave. */
  countOf(person: string): number
  remove(id: string): void
}
