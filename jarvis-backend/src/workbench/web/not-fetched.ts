/** The reason why a page was not read, as the end of a sentence: `it took too long`. This is an expected outcome, which the caller reports. */
export class NotFetched extends Error {
  override name = 'NotFetched'
}
