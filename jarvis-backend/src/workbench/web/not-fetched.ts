/** The reason why a page was not read, as the end of a sentence: `it took too long`. An expected outcome, which the asker is told. */
export class NotFetched extends Error {
  override name = 'NotFetched'
}
