import type { ApiTokens } from '../../auth/api-tokens.ts'
import { type JobMakers, personOfJob, type StoredJob } from '../job.ts'

export type MakersParts = {
  apiTokens: Pick<ApiTokens, 'list'>
  /** Returns true if a person may ask for anything now. @param person undefined: the first owner */
  mayAsk(person: string | undefined): boolean
  now(): number
}

/** Checks the people and tokens that made jobs. */
export class Makers implements JobMakers {
  readonly #parts: MakersParts

  constructor(parts: MakersParts) {
    this.#parts = parts
  }

  problem(job: StoredJob): string | undefined {
    if (!this.#parts.mayAsk(personOfJob(job).person)) return 'Whoever it belongs to may not ask for anything any more.'
    const token = job.askedBy?.token
    if (token === undefined || this.#isKnown(token, job.createdAt)) return undefined
    return `The token ${token}, whose client asked for this job, is gone.`
  }

  /**
   * Returns true if the token that made the job is still valid. A new token of the same name is another token, so the token must be older than the
   * job.
   */
  #isKnown(token: string, askedAt: number): boolean {
    const now = this.#parts.now()
    return this.#parts.apiTokens
      .list()
      .some(
        ({ name, createdAt, expiresAt = Number.POSITIVE_INFINITY }) =>
          name === token && createdAt <= askedAt && expiresAt > now,
      )
  }
}
