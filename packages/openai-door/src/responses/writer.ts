import type { Entry } from 'protocol'
import type { Writer } from '../answer.ts'
import type { ApiError } from '../errors.ts'
import type { Place } from './place.ts'
import type { Head, Own } from './wire.ts'

/** Writes a response. `shown`: an entry without secrets and without what only a model needs. */
export type ResponseWriter = Writer & {
  entry(entry: Entry): void
  fail(error: ApiError): void
  shown(entry: Entry): Entry
}

/** The data that a writer puts into a response. */
export type Told = { place: Place; head: Head; own: Own; shown: ResponseWriter['shown'] }
